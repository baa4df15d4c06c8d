#!/usr/bin/env bash
# libsql 0.1.11 beside the sqlite3 of Python, seen on 2026-11-29.
# One would guess: as in sqlite3, whose API it has, `rowcount` says how many rows the last statement touched: 0 if none.
# What happens: on one cursor it is the sum of all statements so far: an UPDATE that met nothing says 2, an INSERT that did nothing 1.
# Why it matters: `if cursor.rowcount == 0: return` is how a worker sees that another one has claimed the order. Here it never is 0
# again, and both go on. A cursor of its own for each statement has the right number.
# Known to: our ledger on SQLite opens its file with sqlite3 itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps libsql==0.1.11 || exit 2
venv/bin/python - <<'PY'
import sqlite3

import libsql

STATEMENTS = (
    "INSERT INTO orders VALUES ('A', 'new')",
    "INSERT INTO orders VALUES ('A', 'new') ON CONFLICT DO NOTHING",
    "UPDATE orders SET state = 'claimed' WHERE number = 'A' AND state = 'new'",
    "UPDATE orders SET state = 'claimed' WHERE number = 'A' AND state = 'new'",
)
seen = {}
for name, package in (("sqlite3", sqlite3), ("libsql", libsql)):
    connection = package.connect(":memory:")
    connection.execute("CREATE TABLE orders (number TEXT PRIMARY KEY, state TEXT)")
    cursor = connection.cursor()
    seen[name] = [cursor.execute(statement).rowcount for statement in STATEMENTS]
    connection.execute("DELETE FROM orders")
    seen[name + ", a cursor each"] = [connection.execute(statement).rowcount for statement in STATEMENTS]
print(seen)
assert seen == {
    "sqlite3": [1, 0, 1, 0],
    "sqlite3, a cursor each": [1, 0, 1, 0],
    "libsql": [1, 1, 2, 2],
    "libsql, a cursor each": [1, 0, 1, 0],
}, "this has changed"
PY
