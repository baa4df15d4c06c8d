#!/usr/bin/env bash
# typeorm 1.1.1 with mysql2 3.24.5, on MariaDB 10.11.19 of Debian 12, seen on 2026-11-29.
# One would guess: `save()` of a row that was read, and that somebody has deleted since, fails or changes nothing, as an UPDATE does.
# What happens: it puts the row in again, with what was read and the change. `update()` changes nothing. `sum()` of a DECIMAL, which is text
# in each row, is a double.
# Why it matters: an order that was deleted, or moved to another table, is there again, as one that may be paid or refunded.
# Known to: our ledgers change a row only where its version is the one that was read.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
npm install --silent --no-fund --no-audit --no-save typeorm@1.1.1 mysql2@3.24.5 reflect-metadata@0.2.2 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --lc-messages-dir="$folder/usr/share/mysql" --innodb-buffer-pool-size=16M 2>log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.cjs <<'JS'
require('reflect-metadata')
const assert = require('assert')
const { DataSource, EntitySchema } = require('typeorm')
const mysql = require('mysql2/promise')

;(async () => {
  const socketPath = `${__dirname}/socket`
  const connection = await mysql.createConnection({ socketPath, user: 'root' })
  await connection.query('CREATE DATABASE shop')
  await connection.end()
  const columns = { id: { type: 'int', primary: true }, amount: { type: 'decimal', precision: 20, scale: 2 } }
  const options = { type: 'mysql', database: 'shop', username: 'root', socketPath, synchronize: true }
  const source = await new DataSource({ ...options, entities: [new EntitySchema({ name: 'order', columns })] }).initialize()
  const orders = source.getRepository('order')
  await orders.insert([{ id: 1, amount: '10.50' }, { id: 2, amount: '12345678901234567.89' }])
  const order = await orders.findOneBy({ id: 1 })
  const total = await orders.sum('amount')
  await orders.delete(1)
  order.amount = '11.50'
  const { affected } = await orders.update(1, { amount: '11.50' })
  const after = await orders.countBy({ id: 1 })
  await orders.save(order)
  const seen = [affected, after, await orders.findOneBy({ id: 1 }), total]
  console.log(seen)
  const again = { id: 1, amount: '11.50' }
  assert.deepStrictEqual(JSON.parse(JSON.stringify(seen)), [0, 0, again, 12345678901234578], 'this has changed')
  await source.destroy()
})().catch((error) => {
  console.error(error)
  process.exit(1)
})
JS
node run.cjs
