#!/usr/bin/env bash
# currency.js 2.0.4, seen on 2026-11-28.
# One would guess: an amount is rounded once, to two decimals, away from zero or half to even, for debits as for credits; and a
# text that is a number in JavaScript is that number.
# What happens: it is rounded to six decimals first and then to two, so that 1.0049999 is 1.01. Half a cent goes up for positive
# amounts and towards zero for negative ones. All but digits is taken out of a text: '1e3' is 13, and '1e-7', which is how JavaScript
# writes a small rate, is NaN.
# Why it matters: the products of a rate differ from the books by a cent, a refund (negative) from its payment as well, and NaN spreads
# to every sum.
# Known to: no page of ours. Send amounts to this gateway as the decimals that you show.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save currency.js@2.0.4 || exit 2
node - <<'JS'
const assert = require('assert')
const currency = require('currency.js')
const seen = Object.fromEntries([1.0049999, 1.005, -1.005, '1e3', '1e-7'].map((amount) => [typeof amount + ' ' + amount, currency(amount).toString()]))
console.log(seen)
assert.deepStrictEqual(seen, {
  'number 1.0049999': '1.01',
  'number 1.005': '1.01',
  'number -1.005': '-1.00',
  'string 1e3': '13.00',
  'string 1e-7': 'NaN',
}, 'this has changed')
JS
