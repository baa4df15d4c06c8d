#!/usr/bin/env bash
# dbffile 1.13.0, seen on 2026-11-30.
# One would guess: an amount that is too long for its column N(10,2) is refused, or stored as asterisks as in dBase.
# What happens: its text is cut from the right: -1234567.89 is -1234567.8, 123456789.01 loses its cents, and 12345678901.25 is 1234567890,
# a tenth. Nothing says so.
# Why it matters: a table for the bank or the tax office has amounts that are wrong tenfold, next to right ones.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save dbffile@1.13.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { DBFFile } = require('dbffile')

;(async () => {
  const amounts = [19.99, 1234567.89, -1234567.89, 12345678.91, 123456789.01, 12345678901.25]
  const file = await DBFFile.create('orders.dbf', [{ name: 'AMOUNT', type: 'N', size: 10, decimalPlaces: 2 }])
  await file.appendRecords(amounts.map((amount) => ({ AMOUNT: amount })))
  const records = await (await DBFFile.open('orders.dbf')).readRecords()
  const seen = records.map((record) => record.AMOUNT)
  console.log(seen)
  assert.deepStrictEqual(seen, [19.99, 1234567.89, -1234567.8, 12345678.9, 123456789, 1234567890], 'this has changed')
})()
JS
node run.cjs
