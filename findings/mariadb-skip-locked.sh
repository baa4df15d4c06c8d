#!/usr/bin/env bash
# MariaDB 10.11.19 of Debian 12, and PyMySQL 1.2.4, seen on 2026-11-29.
# One would guess: `SELECT ... WHERE status = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED` gives each worker a row of its own, and
# none waits for another.
# What happens: each has its own, but the second cannot write `status` until the first has committed: it waits, and gets error 1205.
# At READ COMMITTED neither waits.
# Why it matters: workers of a queue or an outbox that call a gateway between the two wait for each other's calls, and a write whose call
# was made is not recorded. Set READ COMMITTED, or keep a row's claim in another table.
# Known to: our ledger's transactions are READ COMMITTED: docs/notifications.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pymysql==1.2.4 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --lc-messages-dir="$folder/usr/share/mysql" --innodb-buffer-pool-size=16M 2>log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.py <<'PY'
from pathlib import Path

import pymysql

NEXT = "SELECT id FROM shop.jobs WHERE status = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
connections = [pymysql.connect(unix_socket=str(Path.cwd() / "socket")) for _ in range(2)]
first, second = (connection.cursor() for connection in connections)
first.execute("CREATE DATABASE shop")
seen = {}
for level in ("REPEATABLE READ", "READ COMMITTED"):
    first.execute("CREATE OR REPLACE TABLE shop.jobs (id INT PRIMARY KEY, status VARCHAR(9), KEY (status, id)) ENGINE=InnoDB")
    first.execute("INSERT INTO shop.jobs VALUES (1, 'new'), (2, 'new'), (3, 'new')")
    connections[0].commit()
    taken = []
    for cursor in (first, second):
        cursor.execute(f"SET SESSION TRANSACTION ISOLATION LEVEL {level}")
        cursor.execute("SET innodb_lock_wait_timeout = 1")
        cursor.execute(NEXT)
        taken.append(cursor.fetchone()[0])
    said = []
    for cursor, number in zip((first, second), taken, strict=True):
        try:
            cursor.execute("UPDATE shop.jobs SET status = 'done' WHERE id = %s", (number,))
            said.append("done")
        except pymysql.err.OperationalError as error:
            said.append(error.args[0])
    seen[level] = (taken, said)
    for connection in connections:
        connection.rollback()
print(seen)
assert seen == {"REPEATABLE READ": ([1, 2], ["done", 1205]), "READ COMMITTED": ([1, 2], ["done", "done"])}, "this has changed"
PY
venv/bin/python run.py
