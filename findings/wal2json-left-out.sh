#!/usr/bin/env bash
# wal2json 2.5 with PostgreSQL 15.20 of Debian 12, seen on 2026-12-01.
# One would guess: who reads all changes of a slot has the tables: what empties a table is a change, and NaN and infinity are not NULL.
# What happens: in the first format, which is the default, TRUNCATE is a transaction without changes; NaN and Infinity are null in both
# formats. An UPDATE or DELETE of a table without a key is left out of both, with a warning in the server's log. Digits are kept.
# Why it matters: a copy of the ledger goes on with rows that are gone, and a sum that is not a number is one that nobody entered.
# Known to: our ledgers give their items by pages, not from the server's log.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 postgresql-15=15.20-0+deb12u1 postgresql-client-15=15.20-0+deb12u1 libpq5=15.20-0+deb12u1 \
  postgresql-15-wal2json=2.5-1+b1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
LD_LIBRARY_PATH="$(echo "$folder"/usr/lib/*-linux-gnu)"
export LD_LIBRARY_PATH
bin="$folder/usr/lib/postgresql/15/bin"
chmod 755 "$folder"
mkdir data
chown "$([ "$(id -u)" = 0 ] && echo nobody || id -un)" data
# The server refuses to run as root.
as=(env)
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=nobody --regid=nogroup --clear-groups); fi
"${as[@]}" "$bin/initdb" --pgdata=data/main --username=shop --no-locale --encoding=UTF8 >log
"${as[@]}" "$bin/postgres" -D data/main -k "$folder/data" -c listen_addresses= -c wal_level=logical -c output_plugin_libraries=wal2json 2>>log &
server=$!
trap 'kill -INT "$server"; wait "$server" || true; rm -rf "$folder"' EXIT
until [ -S data/.s.PGSQL.5432 ] && "$bin/psql" -h "$folder/data" -U shop postgres -c 'SELECT 1' >/dev/null 2>&1; do kill -0 "$server"; sleep 0.2; done
"$bin/psql" -h "$folder/data" -U shop postgres -XAtq >seen 2>warnings <<'SQL'
CREATE TABLE paid (number text PRIMARY KEY, amount numeric);
CREATE TABLE notes (number text, note text);
SELECT slot_name FROM pg_create_logical_replication_slot('first', 'wal2json');
SELECT slot_name FROM pg_create_logical_replication_slot('second', 'wal2json');
INSERT INTO paid VALUES ('A', 12345678901234567.890);
INSERT INTO paid VALUES ('B', 'NaN'), ('C', 'Infinity');
INSERT INTO notes VALUES ('A', 'paid');
UPDATE notes SET note = 'refunded';
DELETE FROM notes;
TRUNCATE paid;
SELECT 'first', c->>'kind', c->>'table', c->'columnvalues' FROM pg_logical_slot_get_changes('first', NULL, NULL), json_array_elements(data::json->'change') c;
SELECT 'second', d.data::json->>'action', d.data::json->>'table', (SELECT string_agg((c->'value')::text, ' ') FROM
  json_array_elements(d.data::json->'columns') c) FROM pg_logical_slot_get_changes('second', NULL, NULL, 'format-version', '2') d
  WHERE d.data::json->>'action' NOT IN ('B', 'C');
SQL
cat seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
first
second
first|insert|paid|["A",12345678901234567.890]
first|insert|paid|["B",null]
first|insert|paid|["C",null]
first|insert|notes|["A","paid"]
second|I|paid|"A" 12345678901234567.890
second|I|paid|"B" null
second|I|paid|"C" null
second|I|notes|"A" "paid"
second|T|paid|
SEEN
