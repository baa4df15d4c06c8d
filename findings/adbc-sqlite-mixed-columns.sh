#!/usr/bin/env bash
# adbc-driver-sqlite 1.13.0 (as used by polars and pandas), with pyarrow 26.0.1, seen on 2026-11-29.
# One would guess: a column of SQLite that has numbers and, in one row, a text is an error, or text with the digits that SQLite shows.
# What happens: the numbers before that row become text with seven digits: 12345678.91 is 1.234568e+07, and 10 is 1.000000e+01. Those
# after it have no more; but there 10 is 10. Without that row all are exact.
# Why it matters: one `n/a` in a column of amounts cuts every other amount, and the order of the rows decides how.
# Known to: our ledgers and captures hold amounts as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet adbc-driver-sqlite==1.13.0 adbc-driver-manager==1.13.0 pyarrow==26.0.1 || exit 2
venv/bin/python - <<'PY'
import sqlite3
from contextlib import closing

from adbc_driver_sqlite import dbapi

with closing(sqlite3.connect("shop.db")) as shop:
    shop.execute("CREATE TABLE paid (amount NUMERIC)")
    shop.executemany("INSERT INTO paid VALUES (?)", [(12345678.91,), (10,), ("n/a",)])
    shop.commit()
seen = {}
with dbapi.connect("shop.db") as connection, connection.cursor() as cursor:
    for end in ("WHERE amount <> 'n/a'", "ORDER BY rowid", "ORDER BY rowid DESC"):
        cursor.execute(f"SELECT amount FROM paid {end}")
        seen[end] = cursor.fetch_arrow_table()["amount"].to_pylist()
print(seen)
assert seen == {
    "WHERE amount <> 'n/a'": [12345678.91, 10.0],
    "ORDER BY rowid": ["1.234568e+07", "1.000000e+01", "n/a"],
    "ORDER BY rowid DESC": ["n/a", "10", "1.234568e+07"],
}, "this has changed"
PY
