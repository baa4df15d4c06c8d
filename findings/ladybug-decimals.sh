#!/usr/bin/env bash
# ladybug 0.22.0, the graph database that goes on from kuzu, seen on 2026-11-29.
# One would guess: a number written into a DECIMAL keeps its digits or is a double's; a decimal plus 0.1 is a decimal; an offset counts.
# What happens: 12345678901234567.89 is 12345678901234567.68, which is neither; 1.005 in DECIMAL(12,2) is 1.00 and as a text 1.01;
# a decimal plus 0.1, and one divided, are doubles. 10:00+08:00 as TIMESTAMP is 10:00. A text and a bound Decimal keep their digits.
# Why it matters: cents of a large transfer are made up, and times of orders are off by hours.
# Known to: the SDK refuses floats; [the audit](../docs/audit.md#tables) says so of DuckDB.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ladybug==0.22.0 || exit 2
cat >run.py <<'PY'
from datetime import datetime
from decimal import Decimal

import ladybug

connection = ladybug.Connection(ladybug.Database(":memory:"))


def ask(what, **values):
    return connection.execute(f"RETURN {what}", values).get_next()[0]


seen = [
    ask("CAST(12345678901234567.89 AS DECIMAL(20,2))"),
    ask("CAST('12345678901234567.89' AS DECIMAL(20,2))"),
    ask("$amount", amount=Decimal("12345678901234567.89")),
    ask("CAST(1.005 AS DECIMAL(12,2))"),
    ask("CAST('1.005' AS DECIMAL(12,2))"),
    ask("CAST('10.50' AS DECIMAL(12,2)) + 0.1"),
    ask("CAST('2026-11-29T10:00:00+08:00' AS TIMESTAMP)"),
]
print(seen)
assert seen == [
    Decimal("12345678901234567.68"),
    Decimal("12345678901234567.89"),
    Decimal("12345678901234567.89"),
    Decimal("1.00"),
    Decimal("1.01"),
    10.6,
    datetime(2026, 11, 29, 10),
], "this has changed"
PY
venv/bin/python run.py
