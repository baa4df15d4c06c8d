#!/usr/bin/env bash
# asyncpg 0.32.0, psycopg 3.3.9 and pg8000 1.31.6, on PostgreSQL (pglite 0.5.14), seen on 2026-11-28.
# One would guess: a float that is given for a numeric is the same number in the table whichever driver sends it, or it is refused.
# What happens: three drivers, three numbers. asyncpg stores the binary value with all its digits, 10.0999999999999996447...; psycopg
# has the server round to fifteen digits, 10.1 and 0.3; pg8000 sends the shortest text, 10.1 and 0.30000000000000004. asyncpg
# also takes True, as 1.
# Why it matters: with asyncpg, `amount = 10.1` does not find the row, and sums end in a tail of digits. Whoever goes from one driver
# to another mixes both in one column.
# Known to: the SDK refuses a float as an amount, and the ledger writes amounts as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps asyncpg==0.32.0 typing_extensions==4.16.0 psycopg==3.3.9 psycopg-binary==3.3.9 \
  pg8000==1.31.6 scramp==1.5.0 asn1crypto==1.5.1 python-dateutil==2.9.0.post0 six==1.17.0 || exit 2
npm install --silent --no-fund --no-audit --no-save @electric-sql/pglite-socket@0.2.17 @electric-sql/pglite@0.5.14 || exit 2
cat >server.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
const server = new PGLiteSocketServer({ db: await PGlite.create(), port: 0, host: "127.0.0.1", maxConnections: 10 })
server.addEventListener("listening", (event) => console.log(event.detail.port))
await server.start()
JS
node server.mjs >port &
server=$!
trap 'kill "$server"; rm -rf "$folder"' EXIT
until [ -s port ]; do kill -0 "$server"; sleep 0.1; done
venv/bin/python -W ignore - "$(cat port)" <<'PY'
import asyncio
import sys
from contextlib import closing

import asyncpg
import pg8000.dbapi
import psycopg

PORT = int(sys.argv[1])
VALUES = (10.1, 0.1 + 0.2, True)
QUERY = "SELECT CAST({} AS numeric)"


async def of_asyncpg() -> list[str]:
    connection = await asyncpg.connect(host="127.0.0.1", port=PORT, user="postgres", database="postgres", ssl=False)
    try:
        return [str(await connection.fetchval(QUERY.format("$1"), value)) for value in VALUES]
    finally:
        connection.terminate()  # pglite does not answer the polite end


def of(connection) -> list[str]:
    given = []
    with closing(connection):
        for value in VALUES:
            cursor = connection.cursor()
            try:
                cursor.execute(QUERY.format("%s"), (value,))
                given.append(str(cursor.fetchone()[0]))
            except Exception as error:
                connection.rollback()
                given.append(type(error).__name__)
    return given


seen = {"psycopg": of(psycopg.connect(host="127.0.0.1", port=PORT, user="postgres", dbname="postgres", sslmode="disable"))}
seen["pg8000"] = of(pg8000.dbapi.connect("postgres", host="127.0.0.1", port=PORT, database="postgres"))
seen["asyncpg"] = asyncio.run(of_asyncpg())
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    "asyncpg": [
        "10.0999999999999996447286321199499070644378662109375",
        "0.3000000000000000444089209850062616169452667236328125",
        "1",
    ],
    "psycopg": ["10.1", "0.3", "CannotCoerce"],
    "pg8000": ["10.1", "0.30000000000000004", "DatabaseError"],
}, "this has changed"
PY
