#!/usr/bin/env bash
# dinero.js 2.0.2, seen on 2026-11-29.
# One would guess: `transformScale(amount, 2)` treats a payment of 10.505 and its refund of -10.505 alike, by rounding or by cutting.
# What happens: it goes down: 10.50 and -10.51, and -10.501 is -10.51 too. `halfUp` gives 10.51 and -10.50.
# Why it matters: a fee and its refund leave a cent over, and a ledger that must sum to nothing does not.
# `halfEven` and `halfAwayFromZero` are even-handed.
# Known to: [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save dinero.js@2.0.2 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { USD, dinero, halfAwayFromZero, halfEven, halfUp, toDecimal, transformScale } from 'dinero.js'

const scaled = (amount, how) => toDecimal(transformScale(dinero({ amount, currency: USD, scale: 3 }), 2, how))
const seen = Object.fromEntries(Object.entries({ default: undefined, halfUp, halfEven, halfAwayFromZero })
  .map(([name, how]) => [name, [10505, -10505, 10501, -10501].map((amount) => scaled(amount, how)).join(' ')]))
console.log(seen)
assert.deepStrictEqual(seen, {
  default: '10.50 -10.51 10.50 -10.51',
  halfUp: '10.51 -10.50 10.50 -10.50',
  halfEven: '10.50 -10.50 10.50 -10.50',
  halfAwayFromZero: '10.51 -10.51 10.50 -10.50',
}, 'this has changed')
JS
node run.mjs
