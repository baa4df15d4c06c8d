#!/usr/bin/env bash
# HAProxy 2.6.12 of Debian 12, seen on 2026-12-01.
# One would guess: `json_query('$.amount')` gives the digits of the body, or the shortest ones of a double.
# What happens: six digits: 12345678.91 is 1.23457e+07, and the orders 1234567 and 1234568 are 1.23457e+06 both. With 'int', 10.50 is 10, and
# 9007199254740993 is nothing. Texts stay as they are.
# Why it matters: what is logged, counted or sent to one server by order number or amount takes many orders for one.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 haproxy=2.6.12-1+deb12u4 liblua5.3-0=5.3.6-2 libopentracing-c-wrapper0=1.1.3-3+b1 libopentracing1=1.6.0-4 \
  libpcre2-8-0=10.42-1+deb12u2 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >shop.cfg <<'CFG'
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend shop
  bind "unix@${FOLDER}/socket"
  option http-buffer-request
  http-request set-var(txn.order) req.body,json_query('$.order')
  http-request set-var(txn.whole) req.body,json_query('$.order','int')
  http-request return status 200 content-type text/plain lf-string "%[var(txn.order)] %[var(txn.whole)]"
CFG
LD_LIBRARY_PATH="$(echo "$folder"/usr/lib/*-linux-gnu)" FOLDER="$folder" usr/sbin/haproxy -db -f shop.cfg >log 2>&1 &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.py <<'PY'
import socket

seen = {}
for order in ("10.50", "12345678.91", "1234567", "1234568", "9007199254740993", '"00123"'):
    body = f'{{"order":{order}}}'
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect("socket")
        asking.sendall(f"POST / HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        seen[order] = asking.makefile("rb").read().decode().partition("\r\n\r\n")[2]
print(seen)
assert seen == {
    "10.50": "10.5 10",
    "12345678.91": "1.23457e+07 12345678",
    "1234567": "1.23457e+06 1234567",
    "1234568": "1.23457e+06 1234568",
    "9007199254740993": "9.0072e+15 ",
    '"00123"': "00123 00123",
}, "this has changed"
PY
python3 run.py
