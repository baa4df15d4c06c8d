#!/usr/bin/env bash
# sqlite3, the command, 3.40.1 of Debian 12, seen on 2026-11-30.
# One would guess: what `-csv` and the table show as 19.99 is 19.99 in `-json` and in a dump too.
# What happens: `-json` writes 19.989999999999998436, and even 10.5, which a double holds, is 10.499999999999999999 (on amd64); `.dump` and
# `.mode insert` do so too. Of the 9,999 amounts below 100, 9,801 are shown otherwise than as they are.
# Why it matters: `sqlite3 -json` is how a table of payments gets into a script or a report; whoever keeps the digits of JSON, or cuts them
# to two decimals, has another amount: 19.98, 10.49.
# Known to: our ledgers store text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
shell() { LD_LIBRARY_PATH="$(echo usr/lib/*-linux-gnu)" usr/bin/sqlite3 "$@"; }
shell payments.db 'CREATE TABLE payments (amount REAL); INSERT INTO payments VALUES (19.99), (10.5)'
{
  shell -csv payments.db 'SELECT amount FROM payments'
  shell -json payments.db 'SELECT amount FROM payments'
  shell payments.db .dump | grep INSERT
  shell -json :memory: 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) SELECT i / 100.0 AS amount FROM n' |
    "${PYTHON:-python3}" -c '
import decimal, json, sys

rows = json.load(sys.stdin, parse_float=decimal.Decimal)
print(sum(row["amount"] != decimal.Decimal(cents) / 100 for cents, row in enumerate(rows, 1)), "of", len(rows))'
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
19.99
10.5
[{"amount":19.989999999999998436},
{"amount":10.499999999999999999}]
INSERT INTO payments VALUES(19.989999999999998436);
INSERT INTO payments VALUES(10.499999999999999999);
9801 of 9999
SEEN
