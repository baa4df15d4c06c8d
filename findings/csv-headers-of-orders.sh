#!/usr/bin/env bash
# csvtojson 2.0.14, convert-csv-to-json 4.72.0, csv-parse 7.0.3, csv-parser 3.2.1, d3-dsv 3.0.2, json-2-csv 5.6.0 and fast-csv 5.0.8,
# seen on 2026-12-01.
# One would guess: each column of a CSV file comes back; two columns of one name are both kept, or refused.
# What happens: with the columns `order` and `order.id` csvtojson has no order number, as the second makes an object of the first, and
# json-2-csv no second column. Of two columns of one name all but fast-csv, which refuses, keep the last, without a word.
# convert-csv-to-json cuts "1,000.50" in quotes at the comma, unless it is told that there are quotes: the amount is `"1`, and all that
# follows moves by a column. json-2-csv leaves the file's last newline in the last field.
# Why it matters: a statement with two columns "Amount", in its currency and in that of the account, has one of them.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save csvtojson@2.0.14 convert-csv-to-json@4.72.0 csv-parse@7.0.3 csv-parser@3.2.1 d3-dsv@3.0.2 \
  json-2-csv@5.6.0 fast-csv@5.0.8 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { csvParse } from 'd3-dsv'
import { csv2json } from 'json-2-csv'

const require = createRequire(import.meta.url)
const converter = require('convert-csv-to-json')
const readers = {
  csvtojson: (text) => require('csvtojson')().fromString(text),
  'convert-csv-to-json': (text) => converter.fieldDelimiter(',').csvStringToJson(text),
  'csv-parse': (text) => parse(text, { columns: true }),
  'csv-parser': (text) => Readable.from([text]).pipe(require('csv-parser')()).toArray(),
  'd3-dsv': (text) => [...csvParse(text)],
  'json-2-csv': (text) => csv2json(text),
  'fast-csv': (text) => require('fast-csv').parseString(text, { headers: true }).toArray()
}
const files = {
  dotted: 'order,order.id\nORD-1,7f3\n',
  doubled: 'order,amount,amount\nORD-1,10.50 USD,170625 IDR\n',
  quoted: 'order,amount,status\nORD-1,"1,000.50",paid\n'
}
const seen = {}
for (const [name, read] of Object.entries(readers)) {
  seen[name] = {}
  for (const [file, text] of Object.entries(files)) {
    try {
      seen[name][file] = JSON.stringify((await read(text))[0])
    } catch {
      seen[name][file] = 'refused'
    }
  }
}
console.log(seen)
const dotted = '{"order":"ORD-1","order.id":"7f3"}'
const last = '{"order":"ORD-1","amount":"170625 IDR"}'
const quoted = '{"order":"ORD-1","amount":"1,000.50","status":"paid"}'
assert.deepStrictEqual(seen, {
  csvtojson: { dotted: '{"order":{"id":"7f3"}}', doubled: last, quoted },
  'convert-csv-to-json': { dotted, doubled: last, quoted: '{"order":"ORD-1","amount":"\\"1","status":"000.50\\""}' },
  'csv-parse': { dotted, doubled: last, quoted },
  'csv-parser': { dotted, doubled: last, quoted },
  'd3-dsv': { dotted, doubled: last, quoted },
  'json-2-csv': { dotted: '{"order":"ORD-1"}', doubled: last.replace('IDR', 'IDR\\n'), quoted: quoted.replace('paid', 'paid\\n') },
  'fast-csv': { dotted, doubled: 'refused', quoted }
}, 'this has changed')
JS
node run.mjs
