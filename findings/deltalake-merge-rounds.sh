#!/usr/bin/env bash
# deltalake 1.6.6, and pyarrow 25.0.1, seen on 2026-11-29.
# One would guess: a table of DECIMAL(12,2) takes 10.505 in one way: it is refused, or rounded.
# What happens: an append refuses a column of three decimals. MERGE and UPDATE round it: 10.505 is 10.51.
# Why it matters: whoever tests with an append believes that the table keeps amounts from being rounded.
# Known to: docs/amounts.md says to round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet deltalake==1.6.6 pyarrow==25.0.1 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake


def book(number, amount, decimals):
    return pa.table({"number": [number], "amount": pa.array([Decimal(amount)], pa.decimal128(12, decimals))})


write_deltalake("book", book("ORD_1", "1.00", 2))
try:
    write_deltalake("book", book("ORD_2", "10.505", 3), mode="append")
    seen = ["appended"]
except Exception as error:
    seen = [type(error).__name__]
table = DeltaTable("book")
table.update(updates={"amount": "10.505"})
seen.append(table.to_pyarrow_table().column("amount").to_pylist())
merge = table.merge(book("ORD_2", "20.505", 3), "new.number = book.number", source_alias="new", target_alias="book")
merge.when_matched_update_all().when_not_matched_insert_all().execute()
seen.append(sorted(table.to_pyarrow_table().column("amount").to_pylist()))
print(seen)
assert seen == ["SchemaMismatchError", [Decimal("10.51")], [Decimal("10.51"), Decimal("20.51")]], "this has changed"
PY
venv/bin/python run.py
