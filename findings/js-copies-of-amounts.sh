#!/usr/bin/env bash
# rfdc 1.4.1, deepmerge 4.3.1, klona 2.0.6, fast-copy 4.3.1, defu 6.1.7 and structuredClone of Node.js 20, with decimal.js 10.6.0,
# bignumber.js 11.1.5 and big.js 7.0.1, seen on 2026-12-01.
# One would guess: a deep copy of an order has its amounts, or is refused; one library copies each kind of decimal or none.
# What happens: rfdc and deepmerge copy the digits and no more, without a word: JSON of the copy has {"s":1,"e":1,"d":[10,5000000]}, and the
# copy is not less, equal or more than anything. So does structuredClone with BigNumber alone, the others it refuses; klona copies Decimal
# alone, and refuses the others. fast-copy and defu copy all three.
# Why it matters: an order that is copied before it is kept, put in a queue or sent has no amount any more.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save rfdc@1.4.1 deepmerge@4.3.1 klona@2.0.6 fast-copy@4.3.1 defu@6.1.7 decimal.js@10.6.0 \
  bignumber.js@11.1.5 big.js@7.0.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'
import Big from 'big.js'
import BigNumber from 'bignumber.js'
import Decimal from 'decimal.js'
import { defu } from 'defu'
import { copy } from 'fast-copy'
import { klona } from 'klona'

const require = createRequire(import.meta.url)
const deepmerge = require('deepmerge')
const copies = {
  rfdc: require('rfdc')(),
  deepmerge: (order) => deepmerge({}, order),
  structuredClone,
  klona,
  'fast-copy': copy,
  defu: (order) => defu({}, order)
}
const seen = {}
for (const [name, make] of Object.entries(copies)) {
  seen[name] = [new Decimal('10.50'), new BigNumber('10.50'), new Big('10.50')].map((amount) => {
    try {
      const copied = make({ amount })
      const compared = copied.amount > 10 || copied.amount < 11 ? 'compares' : 'compares to nothing'
      return `${JSON.stringify(copied)} ${compared}`
    } catch {
      return 'refused'
    }
  })
}
console.log(seen)
const kept = '{"amount":"10.5"} compares'
const decimal = '{"amount":{"s":1,"e":1,"d":[10,5000000]}} compares to nothing'
const bignumber = '{"amount":{"s":1,"e":1,"c":[10,50000000000000]}} compares to nothing'
const big = '{"amount":{"s":1,"e":1,"c":[1,0,5]}} compares to nothing'
assert.deepStrictEqual(seen, {
  rfdc: [decimal, bignumber, big],
  deepmerge: [decimal, bignumber, big],
  structuredClone: ['refused', bignumber, 'refused'],
  klona: [kept, 'refused', 'refused'],
  'fast-copy': [kept, kept, kept],
  defu: [kept, kept, kept]
}, 'this has changed')
JS
node run.mjs
