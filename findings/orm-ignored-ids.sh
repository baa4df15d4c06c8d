#!/usr/bin/env bash
# peewee 4.5.3 on SQLite, and sequelize 6.37.8 with mysql2 3.24.5 on MariaDB 10.11.19 of Debian 12, seen on 2026-11-29.
# One would guess: an INSERT that leaves a row out, because its number is there, gives no id, or the id of the row that is there.
# What happens: `insert(...).on_conflict_ignore().execute()` gives the id of the row that the connection inserted last, another order;
# `bulkCreate(rows, {ignoreDuplicates: true})` gives the row that was there the id of the new one, and the new one none.
# Why it matters: what is stored with that id (a payment, a refund) belongs to somebody else's order.
# Known to: our ledgers know rows by their numbers.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mariadb-server-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet peewee==4.5.3 || exit 2
npm install --silent --no-fund --no-audit --no-save sequelize@6.37.8 mysql2@3.24.5 || exit 2
mkdir data
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)" usr/sbin/mariadbd --no-defaults --skip-networking \
  --skip-grant-tables --user=root --datadir="$folder/data" --socket="$folder/socket" --pid-file="$folder/pid" \
  --lc-messages-dir="$folder/usr/share/mysql" --innodb-buffer-pool-size=16M 2>log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.py <<'PY'
import peewee

database = peewee.SqliteDatabase(":memory:")


class Order(peewee.Model):
    number = peewee.CharField(unique=True)

    class Meta:
        database = database


database.create_tables([Order])
seen = [Order.insert(number=number).on_conflict_ignore().execute() for number in ("ORD_1", "ORD_2", "ORD_1")]
print(seen, [(order.id, order.number) for order in Order.select()])
assert seen == [1, 2, 2], "this has changed"
PY
venv/bin/python run.py
cat >run.cjs <<'JS'
const assert = require('assert')
const mysql = require('mysql2/promise')
const { DataTypes, Sequelize } = require('sequelize')

;(async () => {
  const socketPath = `${__dirname}/socket`
  const connection = await mysql.createConnection({ socketPath, user: 'root' })
  await connection.query('CREATE DATABASE shop')
  await connection.end()
  const sequelize = new Sequelize('shop', 'root', '', { dialect: 'mysql', logging: false, dialectOptions: { socketPath } })
  const number = { type: DataTypes.STRING(20), unique: true }
  const Order = sequelize.define('order', { number }, { timestamps: false })
  await Order.sync()
  for (const number of ['ORD_1', 'ORD_2']) await Order.create({ number })
  const made = await Order.bulkCreate([{ number: 'ORD_1' }, { number: 'ORD_3' }], { ignoreDuplicates: true })
  const stored = await Order.findOne({ where: { number: 'ORD_3' } })
  const seen = made.map((order) => [order.number, order.id === stored.id ? "ORD_3's" : order.id])
  console.log(seen)
  assert.deepStrictEqual(seen, [['ORD_1', "ORD_3's"], ['ORD_3', null]], 'this has changed')
  await sequelize.close()
})().catch((error) => {
  console.error(error)
  process.exit(1)
})
JS
node run.cjs
