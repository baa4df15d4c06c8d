#!/usr/bin/env bash
# @sinclair/typebox 0.34.52 and typebox 1.4.3, seen on 2026-11-30.
# One would guess: `Value.Parse` refuses 10.9 for a Type.Integer, and reads the text 1e3 as 1000; `multipleOf: 0.01` takes most amounts.
# What happens: 10.9, as number or text, is 10, and the text 1e3 is 1. multipleOf refuses 9,985 of the 9,999 amounts below 100. In 1.x Parse
# refuses them all and multipleOf takes each, but `Value.Convert` makes 10 of 10.9, and 0 of null and of no text.
# Why it matters: an amount in the smallest unit that somebody computed with a fraction loses it, and one in cents that was written with an
# exponent is a thousandth, where a schema was to prevent it.
# Known to: docs/check-receiver.md, `other-types`: what a server takes that the document forbids.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @sinclair/typebox@0.34.52 typebox@1.4.3 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import newer from 'typebox'
import newerValue from 'typebox/value'

const below = Array.from({ length: 9999 }, (_, cent) => (cent + 1) / 100)
const of = (types, values, way, amount) => {
  try { return values[way](types.Object({ amount: types.Integer() }), { amount }).amount } catch { return 'refused' }
}
const refused = (types, values) => below.filter((amount) => !values.Check(types.Number({ multipleOf: 0.01 }), amount)).length
const asked = [10.9, '10.9', '1e3', null, '']
const seen = {
  parse: asked.map((amount) => of(Type, Value, 'Parse', amount)),
  'parse, 1.x': asked.map((amount) => of(newer, newerValue, 'Parse', amount)),
  'convert, 1.x': asked.map((amount) => of(newer, newerValue, 'Convert', amount)),
  multipleOf: [refused(Type, Value), refused(newer, newerValue)]
}
console.log(seen)
assert.deepStrictEqual(seen, {
  parse: [10, 10, 1, 'refused', 'refused'],
  'parse, 1.x': ['refused', 'refused', 'refused', 'refused', 'refused'],
  'convert, 1.x': [10, 10, 1000, 0, 0],
  multipleOf: [9985, 0]
}, 'this has changed')
JS
node run.mjs
