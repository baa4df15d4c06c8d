#!/usr/bin/env bash
# deltalake 1.6.6 with pyarrow 26.0.1, seen on 2026-11-29.
# One would guess: a row of DECIMAL(20,2) is found by its amount, however long.
# What happens: not 12345678901234567.89, with `to_pyarrow_table(filters=...)` or a dataset's filter: the log keeps the least and the largest
# amount of a file as doubles, 1.2345678901234568e+16, and files that cannot have the amount by these are passed over. SQL by QueryBuilder
# finds it.
# Why it matters: whoever asks by amount whether something was paid is told no.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet deltalake==1.6.6 pyarrow==26.0.1 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, QueryBuilder, write_deltalake

amounts = [Decimal("12345678901234567.89"), Decimal("10.50")]
for amount in amounts:
    write_deltalake("orders", pa.table({"amount": pa.array([amount], pa.decimal128(20, 2))}), mode="append")
table = DeltaTable("orders")
builder = QueryBuilder().register("orders", table)
seen = [
    (
        table.to_pyarrow_table(filters=[("amount", "=", amount)]).num_rows,
        table.to_pyarrow_dataset().to_table(filter=pc.field("amount") == pa.scalar(amount, pa.decimal128(20, 2))).num_rows,
        pa.table(builder.execute(f"SELECT amount FROM orders WHERE amount = '{amount}'")).num_rows,
    )
    for amount in amounts
]
print(seen, table.to_pyarrow_table()["amount"].to_pylist())
assert seen == [(0, 0, 1), (1, 1, 1)], "this has changed"
PY
venv/bin/python run.py
