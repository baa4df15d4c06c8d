#!/usr/bin/env bash
# sql.js 1.17.0, seen on 2026-11-29.
# One would guess: a whole number that JavaScript holds exactly is the same text in a TEXT column as `String(number)`; `run` with several
# statements runs them all.
# What happens: from 2^31 on, numbers are bound as doubles: 20261129000001 is stored as `20261129000001.0`, while 1234567 is `1234567`. With
# parameters, the first statement alone is run, and nothing is said of the others.
# Why it matters: an order number that is a number is not found again by its text, but only once it has grown beyond ten digits.
# Known to: the SDK's keys are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save sql.js@1.17.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')

require('sql.js')().then((SQL) => {
  const db = new SQL.Database()
  db.run('CREATE TABLE orders (number TEXT)')
  for (const number of [1234567, 2147483647, 2147483648, 20261129000001]) db.run('INSERT INTO orders VALUES (?)', [number])
  db.run("INSERT INTO orders VALUES (?); INSERT INTO orders VALUES ('ORD_2')", ['ORD_1'])
  const seen = db.exec('SELECT number FROM orders')[0].values.flat()
  console.log(seen)
  assert.deepStrictEqual(seen, ['1234567', '2147483647', '2147483648.0', '20261129000001.0', 'ORD_1'], 'this has changed')
}).catch((error) => { console.error(error); process.exit(1) })
JS
node run.cjs
