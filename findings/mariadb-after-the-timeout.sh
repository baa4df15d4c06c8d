#!/usr/bin/env bash
# MariaDB 10.11.19 of Debian 12 with aiomysql 0.3.2, asyncmy 0.2.18, mysql2 3.24.5 and mariadb 3.5.4 of npm, seen on 2026-11-29.
# One would guess: an UPDATE of a connection that commits by itself, given up by `asyncio.timeout` or the driver's `timeout` while it
# waits for a lock, does not happen: the driver says that it failed and closes the connection.
# What happens: with aiomysql, asyncmy and mysql2 it happens once the lock is free, though nobody is connected any more. mariadb asks
# the server for the limit, and it does not; but its `execute` leaves `timeout` out, and waits for the server's own, 50 seconds.
# Why it matters: who does the write again does it twice. After such a timeout the outcome is unknown, as of a call.
# Known to: docs/outcomes.md says so of calls. A handler's statements have no such limit, and the server ends what is idle.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pymysql==1.2.4 aiomysql==0.3.2 asyncmy==0.2.18 || exit 2
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

const [name, method] = process.argv.slice(2)
const driver = { mysql2, mariadb }[name]
const connection = await driver.createConnection({ socketPath: `${process.cwd()}/socket`, database: 'shop', user: 'root' })
connection.on('error', () => {})
await connection.query('SET innodb_lock_wait_timeout = 3')
const began = performance.now()
const error = await connection[method]({ sql: 'UPDATE orders SET paid = paid + 1', timeout: 500 }).catch((raised) => raised)
process.stdout.write(`${error.code}${performance.now() - began > 2500 ? ', late' : ''}`)
process.exit(0)
JS
cat >run.py <<'PY'
import asyncio
import subprocess
import time
from pathlib import Path

import aiomysql
import asyncmy
import pymysql

SOCKET = str(Path.cwd() / "socket")
looker, holder = (pymysql.connect(unix_socket=SOCKET, autocommit=True).cursor() for _ in range(2))
for statement in ("CREATE DATABASE shop", "CREATE TABLE shop.orders (paid INT) ENGINE=InnoDB", "INSERT INTO shop.orders VALUES (0)"):
    looker.execute(statement)


async def awaited(driver):
    connection = await driver.connect(unix_socket=SOCKET, db="shop", autocommit=True)
    async with connection.cursor() as cursor:
        try:
            async with asyncio.timeout(0.5):
                await cursor.execute("UPDATE orders SET paid = paid + 1")
        except TimeoutError:
            said = "TimeoutError"
    connection.close()
    return said


def node(*words):
    return subprocess.check_output(["node", "run.mjs", *words], text=True)


seen = {}
for name, give_up in {
    "aiomysql": lambda: asyncio.run(awaited(aiomysql)),
    "asyncmy": lambda: asyncio.run(awaited(asyncmy)),
    "mysql2 query": lambda: node("mysql2", "query"),
    "mariadb query": lambda: node("mariadb", "query"),
    "mariadb execute": lambda: node("mariadb", "execute"),
}.items():
    looker.execute("UPDATE shop.orders SET paid = 0")
    holder.execute("BEGIN")
    holder.execute("SELECT * FROM shop.orders FOR UPDATE")
    said = give_up()
    time.sleep(0.5)
    holder.execute("ROLLBACK")
    time.sleep(0.5)
    looker.execute("SELECT paid FROM shop.orders")
    seen[name] = (said, looker.fetchone()[0])
for name, result in seen.items():
    print(name, *result)
assert seen == {
    "aiomysql": ("TimeoutError", 1),
    "asyncmy": ("TimeoutError", 1),
    "mysql2 query": ("PROTOCOL_SEQUENCE_TIMEOUT", 1),
    "mariadb query": ("ER_STATEMENT_TIMEOUT", 0),
    "mariadb execute": ("ER_LOCK_WAIT_TIMEOUT, late", 0),
}, "this has changed"
PY
venv/bin/python run.py
