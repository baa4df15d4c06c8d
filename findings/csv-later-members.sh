#!/usr/bin/env bash
# csv-stringify 6.9.0, fast-csv 5.0.8, objects-to-csv 1.3.6, export-to-csv 1.5.0, json-2-csv 5.6.0 and jsonexport 3.2.0, with
# @json2csv/plainjs 7.0.8 and d3-dsv 3.0.2, seen on 2026-12-01.
# One would guess: a list of orders that is written as CSV has a column for each member, or a member that is not in the first order is
# refused; an order is one row.
# What happens: the first four leave it out: the fee of the second order is gone, and nothing is said. json-2-csv writes the word undefined.
# jsonexport writes an order of two lines as two rows: its number is in the first, its amount and date in the second.
# Why it matters: a report whose first order has no fee has no fees; an amount without a number stands below another order.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save csv-stringify@6.9.0 fast-csv@5.0.8 objects-to-csv@1.3.6 export-to-csv@1.5.0 json-2-csv@5.6.0 \
  jsonexport@3.2.0 @json2csv/plainjs@7.0.8 d3-dsv@3.0.2 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'
import { Parser } from '@json2csv/plainjs'
import { stringify } from 'csv-stringify/sync'
import { csvFormat } from 'd3-dsv'
import { asString, generateCsv, mkConfig } from 'export-to-csv'
import { json2csv } from 'json-2-csv'

const require = createRequire(import.meta.url)
const ObjectsToCsv = require('objects-to-csv')
const jsonexport = require('jsonexport')
const writers = {
  'csv-stringify': (rows) => stringify(rows, { header: true }),
  'fast-csv': (rows) => require('fast-csv').writeToString(rows, { headers: true }),
  'objects-to-csv': (rows) => new ObjectsToCsv(rows).toString(),
  'export-to-csv': (rows) => asString(generateCsv(mkConfig({ useKeysAsHeaders: true, quoteStrings: false, useBom: false }))(rows)),
  'json-2-csv': (rows) => json2csv(rows),
  jsonexport: (rows) => jsonexport(rows),
  '@json2csv/plainjs': (rows) => new Parser().parse(rows).replaceAll('"', ''),
  'd3-dsv': (rows) => csvFormat(rows)
}
const rows = [{ order: 'A', amount: '10.50' }, { order: 'B', amount: '7.00', fee: '0.30' }]
const seen = {}
for (const [name, write] of Object.entries(writers)) seen[name] = (await write(rows)).trim().split(/\r?\n/).join(' | ')
process.env.TZ = 'UTC'
const lines = [{ order: 'A', lines: [{ sku: 'x' }, { sku: 'y' }], amount: '10.50', at: new Date('2026-12-01T00:00:00Z') }]
seen['jsonexport, of two lines'] = (await jsonexport(lines)).split('\n').join(' | ')
console.log(seen)
const cut = 'order,amount | A,10.50 | B,7.00'
assert.deepStrictEqual(seen, {
  'csv-stringify': cut,
  'fast-csv': cut,
  'objects-to-csv': cut,
  'export-to-csv': cut,
  'json-2-csv': 'order,amount,fee | A,10.50,undefined | B,7.00,0.30',
  jsonexport: 'order,amount,fee | A,10.50 | B,7.00,0.30',
  '@json2csv/plainjs': 'order,amount,fee | A,10.50, | B,7.00,0.30',
  'd3-dsv': 'order,amount,fee | A,10.50, | B,7.00,0.30',
  'jsonexport, of two lines': 'order,lines.sku,amount,at | A,x,, | ,y,10.50,12/1/2026'
}, 'this has changed')
JS
node run.mjs
