#!/usr/bin/env bash
# pyiceberg 0.12.0, seen on 2026-11-29.
# One would guess: `delete(EqualTo("amount", 10.505))` of a table with two decimals deletes nothing, or is refused as Decimal("10.505") is.
# What happens: it deletes the row of 10.51: a float is rounded to the column first, in a filter and in `delete`. `amount = 10.5` as text, and
# Decimal("10.5"), are refused, as they have one decimal and the column two.
# Why it matters: a float is what a sum or a JSON body gives; another order's row goes, and the right writing of an amount is an error.
# Known to: the SDK refuses floats.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyiceberg==0.12.0 sqlalchemy==2.1.9 pyarrow==26.0.1 || exit 2
cat >run.py <<'PY'
import os
from decimal import Decimal

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import EqualTo

catalog = SqlCatalog("shop", uri="sqlite:///catalog.db", warehouse=f"file://{os.getcwd()}")
catalog.create_namespace("shop")
rows = pa.table({"amount": pa.array([Decimal("10.50"), Decimal("10.51")], pa.decimal128(20, 2))})
orders = catalog.create_table("shop.orders", schema=rows.schema)
orders.append(rows)


def amounts(what=None):
    try:
        return [str(amount) for amount in orders.scan(**({"row_filter": what} if what else {})).to_arrow()["amount"].to_pylist()]
    except ValueError as refused:
        return str(refused)


seen = [amounts(EqualTo("amount", 10.505)), amounts("amount = 10.5"), amounts(EqualTo("amount", Decimal("10.505"))), amounts("amount = 10.50")]
orders.delete(EqualTo("amount", 10.505))
seen.append(amounts())
print(seen)
assert seen == [
    ["10.51"],
    "Could not convert 10.5 into a decimal(20, 2)",
    "Could not convert 10.505 into a decimal(20, 2)",
    ["10.50"],
    ["10.50"],
], "this has changed"
PY
venv/bin/python run.py
