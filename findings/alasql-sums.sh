#!/usr/bin/env bash
# alasql 4.19.1, seen on 2026-11-29.
# One would guess: SUM of a DECIMAL(12,2) column is a number, as in each SQL database; the column has two decimals.
# What happens: texts are kept as they come. Their SUM is not there at all; with one number among them it is text, 10.505 and 1.25 are 10.5051.25.
# 10.505 keeps its third decimal. Of a CSV file, the order number 00123 is the number 123.
# Why it matters: amounts come as text wherever they shall keep their digits, and a total of them is shown to somebody.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save alasql@4.19.1 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const alasql = require('alasql')

alasql('CREATE TABLE orders (id STRING, amount DECIMAL(12,2))')
alasql("INSERT INTO orders VALUES ('1', '10.50'), ('2', '1.25')")
alasql('CREATE TABLE others (amount DECIMAL(12,2))')
alasql("INSERT INTO others VALUES (10.505), ('1.25')")
alasql.promise('SELECT id FROM CSV(?, {headers: true})', ['id,amount\n00123,10.50\n']).then((rows) => {
  const seen = {
    sum: alasql('SELECT VALUE SUM(amount) FROM orders'),
    mixed: alasql('SELECT VALUE SUM(amount) FROM others'),
    objects: alasql('SELECT VALUE SUM(amount) FROM ?', [[{ amount: '10.50' }, { amount: '1.25' }]]),
    numbers: alasql('SELECT VALUE SUM(amount) FROM ?', [[{ amount: 10.5 }, { amount: 1.25 }]]),
    decimals: alasql('SELECT VALUE amount FROM others'),
    csv: rows[0].id,
  }
  console.log(seen)
  assert.deepStrictEqual(seen, {
    sum: undefined,
    mixed: '10.5051.25',
    objects: undefined,
    numbers: 11.75,
    decimals: 10.505,
    csv: 123,
  }, 'this has changed')
}).catch((error) => { console.error(error); process.exit(1) })
JS
node run.cjs
