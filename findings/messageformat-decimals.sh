#!/usr/bin/env bash
# messageformat 4.0.0 (MessageFormat 2) on Node.js 20, seen on 2026-12-01.
# One would guess: an amount as text keeps its digits, as in the Intl.NumberFormat below, which takes texts exactly.
# What happens: a text becomes a double first: 12345678901234567.89 is $12,345,678,901,234,568.00, where Intl alone shows the cents. A
# BigInt is exact. `:integer` rounds 10.50 to 11, and -0.5 to -0; .5 and +5 are no numbers.
# Why it matters: amounts are passed as text in order not to be doubles; the message shows another sum than was charged.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save messageformat@4.0.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { MessageFormat } from 'messageformat'
import { DraftFunctions } from 'messageformat/functions'
const of = (kind, x) => new MessageFormat('en', `{$x ${kind}}`, { functions: DraftFunctions, bidiIsolation: 'none' }).format({ x }, () => {})
const long = '12345678901234567.89'
const seen = {
  text: of(':currency currency=USD', long), bigint: of(':number', 12345678901234567n),
  intl: new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(long),
  integers: [of(':integer', '10.50'), of(':integer', '-0.5')], refused: [of(':number', '.5'), of(':number', '+5')],
}
console.log(seen)
assert.deepStrictEqual(seen, {
  text: '$12,345,678,901,234,568.00', bigint: '12,345,678,901,234,567', intl: '$12,345,678,901,234,567.89',
  integers: ['11', '-0'], refused: ['{$x}', '{$x}'],
}, 'this has changed')
JS
node run.mjs
