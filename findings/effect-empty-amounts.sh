#!/usr/bin/env bash
# effect 4.1.0 of npm, seen on 2026-11-30.
# One would guess: a schema that takes an amount from a text refuses an empty one, as that for whole numbers does; and it writes an amount in
# digits, as it was read.
# What happens: for `BigDecimalFromString` and `FiniteFromString` the empty text is 0, and a blank is for the second; `BigIntFromString`
# refuses both. Written, 0.000000000000000001 is 1e-18, 10.50 is 10.5, and 100 divided by 3 has a hundred digits and an exponent: 3.33...e+1.
# Why it matters: a field that somebody left empty is an order of nothing, and a form that is validated takes it; a third of an amount, and one
# wei, are texts that no gateway takes.
# Known to: the SDK takes a Decimal; [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save effect@4.1.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { BigDecimal, Schema } from 'effect'

const shown = (value) => BigDecimal.isBigDecimal(value) ? BigDecimal.format(value) : String(value)
const read = (schema, text) => {
  try {
    return shown(Schema.decodeUnknownSync(schema)(text))
  } catch { return 'refused' }
}
const write = Schema.encodeSync(Schema.BigDecimalFromString)
const amount = BigDecimal.fromStringUnsafe
const seen = {}
for (const name of ['BigDecimalFromString', 'FiniteFromString', 'BigIntFromString']) {
  seen[name] = ['', ' ', '10'].map((text) => read(Schema[name], text))
}
seen.written = [amount('10.50'), amount('0.000000000000000001'), BigDecimal.divideUnsafe(amount('100'), amount('3'))].map(write)
console.log(seen)
assert.deepStrictEqual(seen, {
  BigDecimalFromString: ['0', 'refused', '10'],
  FiniteFromString: ['0', '0', '10'],
  BigIntFromString: ['refused', 'refused', '10'],
  written: ['10.5', '1e-18', `3.${'3'.repeat(99)}e+1`],
}, 'this has changed')
JS
node run.mjs
