#!/usr/bin/env bash
# SQLAlchemy 2.1.9 with psycopg 3.3.9 and pg8000 1.31.6, on PostgreSQL (pglite 0.5.14), seen on 2026-11-28.
# One would guess: `rowcount` of INSERT ... ON CONFLICT DO NOTHING is 1 if a row was inserted, and 0 if it was there.
# What happens: with psycopg it is -1 in both cases, which is true in an `if`. With pg8000 it is 1 and 0, as it was with psycopg2;
# and psycopg is what `postgresql://` means since SQLAlchemy 2.1. A textual statement and `preserve_rowcount` give 1 and 0; UPDATE
# and DELETE are right with each.
# Why it matters: "if it was inserted, deliver" is how a repeated webhook or task is told from the first. After an upgrade that changes
# no line of yours, each repeat is delivered. Ask with RETURNING.
# Known to: docs/notifications.md, "Write a handler".
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps sqlalchemy==2.1.9 typing_extensions==4.16.0 psycopg==3.3.9 psycopg-binary==3.3.9 \
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
import sys

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

TABLE = sa.Table("done", sa.MetaData(), sa.Column("number", sa.String, primary_key=True))
BY_HAND = sa.text("INSERT INTO done VALUES ('ORD_2') ON CONFLICT DO NOTHING")
first = insert(TABLE).values(number="ORD_1").on_conflict_do_nothing()
address = f"127.0.0.1:{sys.argv[1]}/postgres"
seen = {"driver of postgresql://": sa.create_engine(f"postgresql://postgres@{address}").dialect.driver}
for url in (f"postgresql+psycopg://postgres@{address}?sslmode=disable", f"postgresql+pg8000://postgres@{address}"):
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool)
    with engine.begin() as connection:
        TABLE.metadata.drop_all(connection)
        TABLE.metadata.create_all(connection)
        kept = {"preserve_rowcount": True}
        counts = [connection.execute(first).rowcount for _ in range(2)]
        counts += [connection.execute(BY_HAND).rowcount for _ in range(2)]
        counts += [connection.execute(first, execution_options=kept).rowcount]
        seen[f"{engine.dialect.driver}: first, again, text, text again, preserved"] = counts
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    "driver of postgresql://": "psycopg",
    "psycopg: first, again, text, text again, preserved": [-1, -1, 1, 0, 0],
    "pg8000: first, again, text, text again, preserved": [1, 0, 1, 0, 0],
}, "this has changed"
PY
