#!/usr/bin/env bash
# ibis-framework 12.0.0 with duckdb 2.0.1, seen on 2026-11-29.
# One would guess: execute() gives the number that the database computed: 0.99 times 0.15 is 0.1485 in DuckDB, whose type has four decimals.
# What happens: ibis has a type of its own for the result, with the decimals of one factor, and rounds to it after the query: 0.15, and the
# total of two such fees 0.30 for 0.2970; the mean of 0.15 and 0.16 is 0.16. to_pyarrow() of the same expressions raises ArrowInvalid.
# Why it matters: a sum of fees by notebook is another than the one by SQL, and nothing says so.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ibis-framework==12.0.0 duckdb==2.0.1 pyarrow==26.0.1 pyarrow-hotfix==0.7 numpy==2.4.6 pandas==3.1.1 rich==15.0.0 packaging==26.4 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

import ibis

database = ibis.duckdb.connect()
orders = ibis.memtable({"amount": [Decimal("0.15")] * 2, "rate": [Decimal("0.99")] * 2})
means = ibis.memtable({"amount": [Decimal("0.15"), Decimal("0.16")]})
fees = orders.amount * orders.rate


def arrow(expression):
    try:
        return str(database.to_pyarrow(expression))
    except Exception as error:
        return type(error).__name__


computed = database.raw_sql("SELECT sum(0.15::DECIMAL(2, 2) * 0.99::DECIMAL(2, 2)) FROM range(2)").fetchall()[0][0]
seen = (
    str(computed),
    [str(one) for one in database.execute(fees)],
    str(database.execute(fees.sum())),
    str(database.execute(means.amount.mean())),
    arrow(fees.sum()),
)
print(*seen, sep="\n")
assert seen == ("0.2970", ["0.15", "0.15"], "0.30", "0.16", "ArrowInvalid"), "this has changed"
PY
venv/bin/python run.py
