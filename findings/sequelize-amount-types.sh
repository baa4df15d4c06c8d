#!/usr/bin/env bash
# sequelize 6.37.8 with mariadb 3.5.4 and mysql2 3.24.5, on MariaDB 10.11.19 of Debian 12, seen on 2026-11-29.
# One would guess: a DECIMAL is text in each row, or a number in each, with either driver, and so is its sum.
# What happens: with mariadb it is a number as long as a double holds it, and text beyond; with mysql2 text. `sum()` is a double with both.
# Why it matters: `amount + fee` adds for all payments of the tests, and joins two texts for a large one; a total ends in wrong cents.
# Known to: the SDK refuses floats.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
npm install --silent --no-fund --no-audit --no-save sequelize@6.37.8 mariadb@3.5.4 mysql2@3.24.5 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --lc-messages-dir="$folder/usr/share/mysql" --innodb-buffer-pool-size=16M 2>log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.cjs <<'JS'
const assert = require('assert')
const mysql = require('mysql2/promise')
const { DataTypes, Sequelize } = require('sequelize')

;(async () => {
  const socketPath = `${__dirname}/socket`
  const connection = await mysql.createConnection({ socketPath, user: 'root' })
  await connection.query('CREATE DATABASE shop')
  await connection.end()
  const seen = {}
  for (const dialect of ['mariadb', 'mysql']) {
    const sequelize = new Sequelize('shop', 'root', '', { dialect, logging: false, dialectOptions: { socketPath } })
    const Order = sequelize.define('order', { amount: DataTypes.DECIMAL(20, 2) }, { timestamps: false })
    await Order.sync({ force: true })
    for (const amount of ['10.50', '12345678901234567.89']) await Order.create({ amount })
    const rows = await Order.findAll({ order: ['id'] })
    seen[dialect] = [...rows.map((order) => order.amount), await Order.sum('amount')]
    await sequelize.close()
  }
  console.log(seen)
  const large = '12345678901234567.89'
  const total = 12345678901234578
  assert.deepStrictEqual(seen, { mariadb: [10.5, large, total], mysql: ['10.50', large, total] }, 'this has changed')
})().catch((error) => {
  console.error(error)
  process.exit(1)
})
JS
node run.cjs
