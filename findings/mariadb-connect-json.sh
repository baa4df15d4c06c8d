#!/usr/bin/env bash
# The CONNECT engine of MariaDB 10.11.19 of Debian 12, and PyMySQL 1.2.4, seen on 2026-12-01.
# One would guess: a table over a file of JSON keeps a DECIMAL that is put in, or refuses the column; UPDATE changes what it names.
# What happens: the amount is left out of the file without a warning, and read as NULL; a DOUBLE of 0.0000001 is written 0.000000. An UPDATE of
# another member writes the order 20261129000000000001 as 9223372036854775807.
# Why it matters: payments are stored without their amounts, and an order that is marked as paid loses its number.
# Known to: the SDK's ids are texts; our ledgers store text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 mariadb-plugin-connect=1:10.11.19-0+deb12u1 libodbc2=2.3.11-2+deb12u1 \
  libltdl7=2.4.7-7~deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pymysql==1.2.4 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --plugin-dir="$folder/usr/lib/mysql/plugin" --plugin-load-add=ha_connect.so \
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
table = "ENGINE=CONNECT TABLE_TYPE=JSON FILE_NAME='{}.json' LRECL=256 OPTION_LIST='Pretty=0'"
cursor.execute(f"CREATE TABLE payments (id VARCHAR(30), amount DECIMAL(12,2), fee DOUBLE) {table.format('payments')}")
cursor.execute("INSERT INTO payments VALUES ('A-1', 10.50, 0.0000001)")
cursor.execute("SHOW WARNINGS")
warnings = cursor.fetchall()
cursor.execute("SELECT amount FROM payments")
amounts = cursor.fetchall()

orders = Path("data/shop/orders.json")
orders.write_text('{"order":20261129000000000001,"amount":10.50,"paid":"no"}\n')
cursor.execute(f"CREATE TABLE orders (amount VARCHAR(30), paid VARCHAR(10)) {table.format('orders')}")
cursor.execute("UPDATE orders SET paid = 'yes'")
cursor.execute("FLUSH TABLES")
seen = {"warnings": warnings, "amounts": amounts, "payments": Path("data/shop/payments.json").read_text(), "orders": orders.read_text()}
print(seen)
assert seen == {
    "warnings": (),
    "amounts": ((None,),),
    "payments": '{"id":"A-1","fee":0.000000}\n',
    "orders": '{"order":9223372036854775807,"amount":10.50,"paid":"yes"}\n',
}, "this has changed"
PY
venv/bin/python run.py
