#!/usr/bin/env bash
# @x402/evm 2.27.0, seen on 2026-11-30.
# One would guess: a price with more than the six decimals of USDC is refused or rounded, and 1e-7 is the same price as text and as number.
# What happens: it is cut: 1.9999999 is 1.999999, and 0.0000009 is nothing at all: the amount to pay is 0. The number 1e-7 is 0, too, while
# the text '1e-7' is refused.
# Why it matters: a price for one token or byte, some ten-millionths of a dollar, is a price of nothing, and no step says so.
# Known to: [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @x402/evm@2.27.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { ExactEvmScheme } from '@x402/evm/exact/server'

const scheme = new ExactEvmScheme()
const seen = []
for (const price of ['$19.99', '1.9999999', '0.0000019', '0.0000009', 1e-7, '1e-7', '10.5 USD']) {
  try {
    seen.push([price, (await scheme.parsePrice(price, 'eip155:8453')).amount])
  } catch (error) {
    seen.push([price, error.message])
  }
}
console.log(seen)
assert.deepStrictEqual(seen, [
  ['$19.99', '19990000'], ['1.9999999', '1999999'], ['0.0000019', '1'], ['0.0000009', '0'], [1e-7, '0'],
  ['1e-7', 'Invalid money format: 1e-7'], ['10.5 USD', '10500000']
], 'this has changed')
JS
node run.mjs
