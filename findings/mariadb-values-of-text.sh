#!/usr/bin/env bash
# MariaDB 10.11.19 of Debian 12, and PyMySQL 1.2.4, seen on 2026-11-29.
# One would guess: in ON DUPLICATE KEY UPDATE, `VALUES(body)` is what was offered to be inserted, wherever it stands.
# What happens: not of a TEXT that was assigned before, to its left: then it is the first characters of the new text, as many as were
# offered. VARCHAR is right.
# Why it matters: a log that adds to one column and keeps the last event in another keeps a piece of the wrong one, without a warning.
# Assign what uses VALUES() before the column itself.
# Known to: our ledger, which asks before it assigns.
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

cursor = pymysql.connect(unix_socket=str(Path.cwd() / "socket"), autocommit=True).cursor()
cursor.execute("CREATE DATABASE shop")
cursor.execute("USE shop")
seen = {}
for kind in ("TEXT", "VARCHAR(200)"):
    cursor.execute(f"CREATE OR REPLACE TABLE orders (number INT PRIMARY KEY, events {kind}, last {kind}) ENGINE=InnoDB")
    for order in ("events = CONCAT(events, ',', VALUES(events)), last = VALUES(events)", "last = VALUES(events), events = events"):
        cursor.execute("REPLACE INTO orders VALUES (1, 'placed', '')")
        cursor.execute(f"INSERT INTO orders VALUES (1, 'paid', '') ON DUPLICATE KEY UPDATE {order}")
        cursor.execute("SELECT events, last FROM orders")
        seen[kind, order.split()[0]] = cursor.fetchone()
for what, row in seen.items():
    print(what, row)
assert seen == {
    ("TEXT", "events"): ("placed,paid", "plac"),
    ("TEXT", "last"): ("placed", "paid"),
    ("VARCHAR(200)", "events"): ("placed,paid", "paid"),
    ("VARCHAR(200)", "last"): ("placed", "paid"),
}, "this has changed"
PY
venv/bin/python run.py
