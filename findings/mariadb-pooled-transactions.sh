#!/usr/bin/env bash
# MariaDB 10.11.19 of Debian 12 with mysql2 3.24.5 and mariadb 3.5.4 of npm, seen on 2026-11-29.
# One would guess: a connection that is released to its pool with an open transaction, as after an error, is rolled back there.
# What happens: mariadb does so. mysql2 hands it to the next user as it is, and that one's COMMIT commits the half transaction too.
# Why it matters: an effect whose handler failed becomes durable with another one's order. Roll back in `finally`.
# Known to: our ledger refuses a connection that comes with an open transaction.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
npm install --silent --no-fund --no-audit --no-save mysql2@3.24.5 mariadb@3.5.4 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --lc-messages-dir="$folder/usr/share/mysql" --innodb-buffer-pool-size=16M 2>log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.mjs <<'JS'
import assert from 'node:assert'
import mysql2 from 'mysql2/promise'
import * as mariadb from 'mariadb'

const address = { socketPath: `${process.cwd()}/socket`, user: 'root', connectionLimit: 1 }
const rows = (answer) => (Array.isArray(answer[0]) ? answer[0] : answer).map((row) => row.number)
const seen = {}
for (const [name, driver] of Object.entries({ mysql2, mariadb })) {
  const pool = driver.createPool(address)
  const first = await pool.getConnection()
  await first.query('CREATE DATABASE IF NOT EXISTS shop')
  await first.query('CREATE OR REPLACE TABLE shop.orders (number INT) ENGINE=InnoDB')
  await first.query('START TRANSACTION')
  await first.query('INSERT INTO shop.orders VALUES (1)')
  await first.release()
  const second = await pool.getConnection()
  await second.query('INSERT INTO shop.orders VALUES (2)')
  await second.query('COMMIT')
  seen[name] = rows(await second.query('SELECT number FROM shop.orders'))
  await second.release()
  await pool.end()
}
console.log(seen)
assert.deepStrictEqual(seen, { mysql2: [1, 2], mariadb: [2] }, 'this has changed')
JS
node run.mjs
