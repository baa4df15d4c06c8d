#!/usr/bin/env bash
# datafusion 55.0.0 (Python), seen on 2026-11-29.
# One would guess: a fee of `amount * 0.15` of a DECIMAL column is a decimal, as in PostgreSQL, DuckDB and Spark.
# What happens: 0.15 is a double, so the product, its sum and each comparison are doubles; SUM(amount) / 3 is a decimal.
# `datafusion.sql_parser.parse_float_as_decimal` makes it one.
# Why it matters: sums over a book of amounts end in other cents, and nothing in the column's type tells.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet datafusion==55.0.0 pyarrow==25.0.1 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

import datafusion
import pyarrow as pa

AMOUNTS = pa.record_batch({"amount": pa.array([Decimal("12345678901234567.89"), Decimal("0.01")], pa.decimal128(20, 2))})
QUERY = """SELECT SUM(amount * 0.15) AS fee, SUM(amount) / 3 AS third,
COUNT(*) FILTER (WHERE amount > 12345678901234567.88) AS above FROM book"""
seen = {}
for decimal in ("false", "true"):
    context = datafusion.SessionContext(datafusion.SessionConfig().set("datafusion.sql_parser.parse_float_as_decimal", decimal))
    context.register_record_batches("book", [[AMOUNTS]])
    seen[decimal] = [column[0] for column in context.sql(QUERY).to_pydict().values()]
print(seen)
third = Decimal("4115226300411522.633333")
assert seen == {
    "false": [1851851835185185.2, third, 0],
    "true": [Decimal("1851851835185185.1850"), third, 1],
}, "this has changed"
PY
venv/bin/python run.py
