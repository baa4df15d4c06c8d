#!/usr/bin/env bash
# js-money 0.6.3 and ts-money 0.4.8, seen on 2026-11-30.
# One would guess: `allocate` gives nothing to who has a share of 0, and no part has another sign than the whole.
# What happens: what is left over goes cent by cent to the first ones, whatever their shares, and of refunds too much is taken first: 1.00 by
# 0, 1, 1 and 1 is 0.01, 0.33, 0.33 and 0.33; a refund of 0.01 by 0, 1 and 1 is 0.01, -0.01 and -0.01. Whoever has a share of 0 and stands
# last gets nothing.
# Why it matters: a partner who has no part in a sale is paid, and at a refund paid again while the others are charged for it.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save js-money@0.6.3 ts-money@0.4.8 lodash@4.17.21 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const makers = { js: require('js-money'), ts: require('ts-money').Money }
const asked = [[100, [0, 1, 1, 1]], [-100, [0, 1, 1, 1]], [-1, [0, 1, 1]], [-5, [0, 1, 1]], [100, [1, 1, 1, 0]]]
const make = { js: (cents) => makers.js.fromInteger(cents, 'USD'), ts: (cents) => makers.ts.fromInteger(cents, 'USD') }
const seen = Object.fromEntries(Object.entries(make).map(([name, from]) => [
  name, asked.map(([cents, shares]) => cents + ' is ' + from(cents).allocate(shares).map((part) => part.amount).join(' '))
]))
console.log(seen)
const expected = ['100 is 1 33 33 33', '-100 is 1 -33 -34 -34', '-1 is 1 -1 -1', '-5 is 1 -3 -3', '100 is 34 33 33 0']
assert.deepStrictEqual(seen, { js: expected, ts: expected }, 'this has changed')
JS
node run.cjs
