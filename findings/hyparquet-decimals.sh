#!/usr/bin/env bash
# hyparquet 1.31.5 and apache-arrow 21.2.0, seen on 2026-11-29.
# One would guess: a DECIMAL that is read as a number of JavaScript is the number nearest to it, so that 19.99 === 19.99; and an id that
# does not fit in 64 bits with a sign is refused, or put in a column without one.
# What happens: hyparquet multiplies by 0.01, and 19.99 of a file is 19.990000000000002: of the ten thousand amounts below 100.00, 1,327
# are not equal to themselves. apache-arrow's `vectorFromArray` turns the id 12345678901234567890n into -6101065172474983726n.
# Why it matters: amounts of a settlement file that are compared with those of orders differ for one order in eight, and no id is found.
# Known to: the audit, which reads tables of hyparquet-writer: `tests/audit/input/test_tables.py`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save hyparquet@1.31.5 hyparquet-writer@0.17.0 apache-arrow@21.2.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { vectorFromArray } from 'apache-arrow'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'

const schema = [
  { name: 'root', num_children: 1 },
  { name: 'amount', type: 'INT64', converted_type: 'DECIMAL', scale: 2, precision: 18, repetition_type: 'REQUIRED' },
]
const amounts = Array.from({ length: 10000 }, (_, cents) => cents / 100)
const file = parquetWriteBuffer({ schema, columnData: [{ name: 'amount', data: amounts }] })
const read = (await parquetReadObjects({ file })).map((row) => row.amount)
const seen = {
  read: read[1999],
  others: read.filter((amount, cents) => amount !== amounts[cents]).length,
  id: vectorFromArray([12345678901234567890n]).get(0),
}
console.log(seen)
assert.deepStrictEqual(seen, { read: 19.990000000000002, others: 1327, id: -6101065172474983726n }, 'this has changed')
JS
node run.mjs
