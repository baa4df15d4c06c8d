#!/usr/bin/env bash
# knex 3.3.0 with mysql2 3.24.5, on MariaDB 10.11.19 of Debian 12, seen on 2026-11-29.
# One would guess: `insert(row).onConflict('number').ignore()` leaves out a row whose number is there, as on PostgreSQL and SQLite.
# What happens: every fault is ignored, and the row goes in: 123456.78 as 9999.99 where the column is too small, 10,50 as 10.00, a text
# cut. A row that another unique key or a missing parent refuses is left out in silence, and the promise resolves each time.
# Why it matters: the amount that is stored is not the one that was paid, in strict mode too.
# Known to: our ledger stores texts, and writes with ON DUPLICATE KEY UPDATE.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
npm install --silent --no-fund --no-audit --no-save knex@3.3.0 mysql2@3.24.5 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --lc-messages-dir="$folder/usr/share/mysql" --innodb-buffer-pool-size=16M 2>log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.cjs <<'JS'
const assert = require('assert')
const knex = require('knex')({ client: 'mysql2', connection: { socketPath: `${__dirname}/socket`, user: 'root' } })

;(async () => {
  await knex.raw('CREATE DATABASE shop')
  await knex.raw('CREATE TABLE shop.payers (id INT PRIMARY KEY) ENGINE=InnoDB')
  await knex.raw(`CREATE TABLE shop.orders (number VARCHAR(8) PRIMARY KEY, amount DECIMAL(6,2) NOT NULL, receipt INT UNIQUE,
    payer INT, FOREIGN KEY (payer) REFERENCES shop.payers (id)) ENGINE=InnoDB`)
  const rows = [
    { number: 'ORD_1', amount: '10.50', receipt: 1 },
    { number: 'ORD_2', amount: '123456.78', receipt: 2 },
    { number: 'ORD_3', amount: '10,50', receipt: 3 },
    { number: 'ORD_100001', amount: '1.00', receipt: 4 },
    { number: 'ORD_5', amount: '1.00', receipt: 1 },
    { number: 'ORD_6', amount: '1.00', receipt: 6, payer: 7 },
  ]
  const refused = []
  const orders = () => knex('orders').withSchema('shop')
  for (const row of rows) await orders().insert(row).onConflict('number').ignore().catch((error) => refused.push(error))
  const stored = (await orders().orderBy('receipt')).map((row) => [row.number, row.amount])
  console.log(refused, stored)
  assert.deepStrictEqual(refused, [], 'this has changed')
  assert.deepStrictEqual(stored, [['ORD_1', '10.50'], ['ORD_2', '9999.99'], ['ORD_3', '10.00'], ['ORD_1000', '1.00']], 'this has changed')
  await knex.destroy()
})().catch((error) => {
  console.error(error)
  process.exit(1)
})
JS
node run.cjs
