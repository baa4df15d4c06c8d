#!/usr/bin/env bash
# MariaDB 10.11.19 of Debian 12 with PyMySQL 1.2.4, SQLAlchemy 2.1.9, mysql2 3.24.5 and mariadb 3.5.4 of npm, seen on 2026-11-29.
# One would guess: `INSERT ... ON DUPLICATE KEY UPDATE number = number` counts 1 row if it was inserted and 0 if it was there.
# What happens: so it is with PyMySQL alone. SQLAlchemy on the same driver, mysql2 and mariadb count 1 in both cases.
# Why it matters: "if 1, deliver" is how a repeated webhook or task is told from the first; each repeat is delivered. RETURNING does not
# help either, as it returns the row that is there. INSERT, and look for the error 1062.
# Known to: docs/notifications.md, "Write a handler"; our ledger counts rightly either way: `tests/receiver/ledgers/test_mariadb.py`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps pymysql==1.2.4 sqlalchemy==2.1.9 typing_extensions==4.16.0 || exit 2
npm install --silent --no-fund --no-audit --no-save mysql2@3.24.5 mariadb@3.5.4 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --lc-messages-dir="$folder/usr/share/mysql" --innodb-buffer-pool-size=16M 2>log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.mjs <<'JS'
import mysql2 from 'mysql2/promise'
import * as mariadb from 'mariadb'

const UPSERT = "INSERT INTO orders (number) VALUES ('ORD_2') ON DUPLICATE KEY UPDATE number = number"
const address = { socketPath: `${process.cwd()}/socket`, database: 'shop', user: 'root' }
const counts = {}
for (const [name, driver] of Object.entries({ mysql2, mariadb })) {
  const connection = await driver.createConnection(address)
  await connection.query('DELETE FROM orders')
  counts[name] = []
  for (const _ of [1, 2]) {
    const answer = await connection.query(UPSERT)
    counts[name].push((name === 'mysql2' ? answer[0] : answer).affectedRows)
  }
  await connection.end()
}
console.log(JSON.stringify(counts))
JS
cat >run.py <<'PY'
import json
import subprocess
from pathlib import Path

import pymysql
import sqlalchemy as sa

SOCKET = str(Path.cwd() / "socket")
UPSERT = "INSERT INTO orders (number) VALUES ('ORD_1') ON DUPLICATE KEY UPDATE number = number"
connection = pymysql.connect(unix_socket=SOCKET, autocommit=True)
cursor = connection.cursor()
for statement in ("CREATE DATABASE shop", "USE shop", "CREATE TABLE orders (number VARCHAR(20) PRIMARY KEY) ENGINE=InnoDB"):
    cursor.execute(statement)
seen = {"PyMySQL": [cursor.execute(UPSERT) for _ in range(2)]}
seen["RETURNING"] = []
for _ in range(2):
    cursor.execute(UPSERT.replace("ORD_1", "ORD_3") + " RETURNING number")
    seen["RETURNING"].append(len(cursor.fetchall()))
cursor.execute("DELETE FROM orders")
with sa.create_engine(f"mysql+pymysql://root@/shop?unix_socket={SOCKET}").connect() as engine:
    seen["SQLAlchemy"] = [engine.execute(sa.text(UPSERT)).rowcount for _ in range(2)]
    engine.rollback()
seen |= json.loads(subprocess.check_output(["node", "run.mjs"]))
print(seen)
assert seen == {
    "PyMySQL": [1, 0],
    "RETURNING": [1, 1],
    "SQLAlchemy": [1, 1],
    "mysql2": [1, 1],
    "mariadb": [1, 1],
}, "this has changed"
PY
venv/bin/python run.py
