#!/usr/bin/env bash
# json-bigint 1.0.0 beside lossless-json 4.3.3, seen on 2026-11-29.
# One would guess: `storeAsString` is about whole numbers beyond 2^53, and `useNativeBigInt` too; an amount with decimals is a number.
# What happens: it goes by the length. From sixteen characters on an amount is text: 9999999999999.99 is, 999999999999.99 is a number, though
# a double holds both. With `useNativeBigInt` the first is a SyntaxError, "Cannot convert ... to a BigInt".
# Why it matters: a sum of amounts puts a text after a number, from a certain size on only; or webhooks are refused from that size on.
# Known to: the SDK reads the digits of any size.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save json-bigint@1.0.0 lossless-json@4.3.3 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const json = require('json-bigint')
const lossless = require('lossless-json')

const body = '{"small":999999999999.99,"large":9999999999999.99}'
const texts = json({ storeAsString: true }).parse(body)
const seen = { ...texts, sum: texts.small + texts.large, 'lossless-json': lossless.stringify(lossless.parse(body)) }
try {
  json({ useNativeBigInt: true }).parse(body)
} catch (refused) {
  seen.refused = `${refused.name}: ${refused.message}`
}
console.log(seen)
assert.deepStrictEqual(seen, {
  small: 999999999999.99,
  large: '9999999999999.99',
  sum: '999999999999.999999999999999.99',
  'lossless-json': body,
  refused: 'SyntaxError: Cannot convert 9999999999999.99 to a BigInt',
}, 'this has changed')
JS
node run.cjs
