#!/usr/bin/env bash
# fraction.js 5.3.4 and mathjs 15.2.0, seen on 2026-11-30.
# One would guess: a number with two decimals is the fraction that it looks like, 100000001/100, or else exactly what the double is; the
# README calls the search for it "really precise", and warns of numbers of many decimals, such as 1234567.9991829.
# What happens: from 100,000 on numbers lose their cents: 1000000.01 is 1000000, 1234567.89 is 100000000/81, a cent more. Of the 9,999 amounts
# above 100,000 8,300 are another number, above a million 9,727. `fraction` of mathjs does so too; a text is read as it is.
# Why it matters: a library for exact sums changes each large amount before the first sum, and no later step is wrong.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save fraction.js@5.3.4 mathjs@15.2.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const Fraction = require('fraction.js').default
const { fraction } = require('mathjs')

const below = Array.from({ length: 9999 }, (_, cent) => cent + 1)
const changed = (whole) => below.map((cents) => (whole * 100 + cents) / 100).filter((amount) => new Fraction(amount).valueOf() !== amount).length
const seen = {
  number: [99999.99, 1000000.01, 1234567.89].map((amount) => new Fraction(amount).toFraction()),
  mathjs: [1000000.01, 1234567.89].map((amount) => fraction(amount).toFraction()),
  text: new Fraction('1000000.01').toFraction(),
  changed: [10000, 100000, 1000000].map(changed)
}
console.log(seen)
assert.deepStrictEqual(seen, {
  number: ['9999999/100', '1000000', '100000000/81'],
  mathjs: ['1000000', '100000000/81'],
  text: '100000001/100',
  changed: [0, 8300, 9727]
}, 'this has changed')
JS
node run.cjs
