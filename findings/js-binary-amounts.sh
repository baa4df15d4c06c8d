#!/usr/bin/env bash
# avsc 5.7.9, cbor-x 1.6.9 and cbor2 6.3.0, seen on 2026-11-29.
# One would guess: an Avro type that avsc infers from amounts is `double`, as all numbers of JavaScript are; a long of Avro takes each
# safe integer; a decimal of CBOR (tag 4) comes as text or an object, as a double cannot hold it.
# What happens: the inferred type is `float`, and 19.99 comes back as 19.989999771118164; a long refuses Number.MAX_SAFE_INTEGER. cbor-x
# reads the decimal 12345678901234567.89 as the double 12345678901234568.
# Why it matters: amounts lose their cents on the way through a topic or a message that was made to keep them.
# Known to: the SDK sends and reads JSON with its own digits.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet cbor2==6.3.0 || exit 2
npm install --silent --no-fund --no-audit --no-save avsc@5.7.9 cbor-x@1.6.9 || exit 2
venv/bin/python -c '
import cbor2, decimal
cbor2.dump([decimal.Decimal("10.50"), decimal.Decimal("12345678901234567.89")], open("amounts.cbor", "wb"))
assert [str(amount) for amount in cbor2.load(open("amounts.cbor", "rb"))] == ["10.50", "12345678901234567.89"]
'
cat >run.cjs <<'JS'
const assert = require('assert')
const { readFileSync } = require('fs')
const avro = require('avsc')
const { decode } = require('cbor-x')

const inferred = avro.Type.forValue({ amount: 19.99 })
const long = avro.Type.forSchema('long')
const seen = {
  type: inferred.field('amount').type.typeName,
  amount: inferred.fromBuffer(inferred.toBuffer({ amount: 19.99 })).amount,
  safe: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1].map((number) => long.isValid(number)),
  cbor: decode(readFileSync('amounts.cbor')),
}
console.log(seen)
assert.deepStrictEqual(seen, {
  type: 'float',
  amount: 19.989999771118164,
  safe: [false, true],
  cbor: [10.5, 12345678901234568],
}, 'this has changed')
JS
node run.cjs
