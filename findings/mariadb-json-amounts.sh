#!/usr/bin/env bash
# MariaDB 10.11.19 of Debian 12, and PyMySQL 1.2.4, seen on 2026-11-29.
# One would guess: bodies whose amounts differ are different to all its functions, as JSON is kept as text; and 0.00 for a missing
# amount, `COALESCE(amount, '0')`, leaves a DECIMAL a DECIMAL.
# What happens: JSON_EQUALS tells 12345678901234567.89 from .88; JSON_CONTAINS and JSON_OVERLAPS do not. With the text '0' in a
# COALESCE, a CASE or a UNION, SUM is a double: 1.2345678901234568e16. With the number 0 it is exact.
# Why it matters: "the stored request holds this amount" is true of another; a sum over the book loses cents.
# Known to: our ledger stores texts; the sum of a report is made in Decimal.
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
from decimal import Decimal
from pathlib import Path

import pymysql

cursor = pymysql.connect(unix_socket=str(Path.cwd() / "socket"), autocommit=True).cursor()
cursor.execute("CREATE DATABASE shop")
cursor.execute("CREATE TABLE shop.orders (amount DECIMAL(20,2)) ENGINE=InnoDB")
cursor.execute("INSERT INTO shop.orders VALUES (12345678901234567.89), (0.01), (NULL)")


def asked(what):
    cursor.execute(f"SELECT {what}")
    return cursor.fetchone()[0]


body, other = '{"amount": 12345678901234567.89}', '{"amount": 12345678901234567.88}'
seen = [asked(f"JSON_{test}('{body}', '{other}')") for test in ("EQUALS", "CONTAINS", "OVERLAPS")]
sums = [
    asked(f"SUM(amount) FROM ({rows}) AS counted")
    for rows in (
        "SELECT COALESCE(amount, 0) AS amount FROM shop.orders",
        "SELECT COALESCE(amount, '0') AS amount FROM shop.orders",
        "SELECT CASE WHEN amount IS NULL THEN '0' ELSE amount END AS amount FROM shop.orders",
        "SELECT amount FROM shop.orders UNION ALL SELECT '0'",
    )
]
print(seen, sums)
assert seen == [0, 1, 1], "this has changed"
assert sums == [Decimal("12345678901234567.90")] + 3 * [1.2345678901234568e16], "this has changed"
PY
venv/bin/python run.py
