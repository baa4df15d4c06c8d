#!/usr/bin/env bash
# MariaDB 10.11.19 of Debian 12 with its binary log, and PyMySQL 1.2.4, seen on 2026-11-29.
# One would guess: `XA COMMIT ... ONE PHASE` is a COMMIT: once it is confirmed, it survives that the server is killed, where
# sync_binlog=1 and innodb_flush_log_at_trx_commit=1.
# What happens: the last confirmed one is not committed after the restart, but prepared: nobody sees its row, its locks hold, and it
# waits for somebody to say XA COMMIT or XA ROLLBACK. A plain COMMIT is there, and so is XA PREPARE with XA COMMIT.
# Why it matters: an order that was confirmed to a customer is missing, and whoever tidies up with XA ROLLBACK loses it for good.
# Known to: our ledger commits in two phases: `tests/receiver/ledgers/test_mariadb.py`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pymysql==1.2.4 || exit 2
cat >run.py <<'PY'
import os
import subprocess
import time
from pathlib import Path

import pymysql

here = Path.cwd()
os.environ["LD_LIBRARY_PATH"] = ":".join(str(path) for path in here.glob("**/x86_64-linux-gnu") if path.is_dir())
OPTIONS = {
    "datadir": here / "data", "socket": here / "socket", "lc-messages-dir": here / "usr/share/mysql", "pid-file": here / "pid",
    "log-bin": "binlog", "sync-binlog": 1, "innodb-flush-log-at-trx-commit": 1, "innodb-buffer-pool-size": "16M",
}
program = ["usr/sbin/mariadbd", "--no-defaults", "--skip-networking", "--skip-grant-tables", "--user=root"]
WAYS = {
    "COMMIT": ("BEGIN", "INSERT INTO shop.orders VALUES ('{}')", "COMMIT"),
    "two phases": ("XA START 'x'", "INSERT INTO shop.orders VALUES ('{}')", "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"),
    "ONE PHASE": ("XA START 'x'", "INSERT INTO shop.orders VALUES ('{}')", "XA END 'x'", "XA COMMIT 'x' ONE PHASE"),
}


def started():
    server = subprocess.Popen([*program, *(f"--{name}={value}" for name, value in OPTIONS.items())], stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            return server, pymysql.connect(unix_socket=str(here / "socket"), autocommit=True).cursor()
        except pymysql.err.OperationalError:
            assert server.poll() is None, "MariaDB did not start"
            time.sleep(0.1)
    raise TimeoutError


seen = {}
(here / "data").mkdir()
for way, statements in WAYS.items():
    server, cursor = started()
    cursor.execute("CREATE DATABASE IF NOT EXISTS shop")
    cursor.execute("CREATE TABLE IF NOT EXISTS shop.orders (number VARCHAR(20) PRIMARY KEY) ENGINE=InnoDB")
    for number in range(3):
        for statement in statements:
            cursor.execute(statement.format(f"{way} {number}"))
    server.kill()
    server.wait()
    server, cursor = started()
    there = cursor.execute("SELECT * FROM shop.orders WHERE number LIKE %s", (way + "%",))
    prepared = cursor.execute("XA RECOVER")
    if prepared:
        cursor.execute("XA COMMIT 'x'")
    seen[way] = (there, prepared)
    server.kill()
    server.wait()
print(seen)
assert seen == {"COMMIT": (3, 0), "two phases": (3, 0), "ONE PHASE": (2, 1)}, "this has changed"
PY
venv/bin/python run.py
