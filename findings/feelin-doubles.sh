#!/usr/bin/env bash
# feelin 8.2.0, seen on 2026-11-30.
# One would guess: FEEL has decimals of 34 digits, as its standard says (DMN, of the OMG): 100 times 1.1 is 110, and 0.1 and 0.2 are 0.3.
# What happens: numbers are doubles: `ceiling(100 * 1.1)` is 111, `floor(0.29 * 100)` 28, `round half up(1.005, 2)` is 1, and two orders
# whose twenty digits differ in the last one are equal. `4.35 * 100 >= 435` is false.
# Why it matters: a decision table that a Java engine computes rightly gives another fee here, or takes another row.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save feelin@8.2.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { evaluate } from 'feelin'

const expected = {
  'ceiling(100 * 1.1)': 111,
  'floor(0.29 * 100)': 28,
  'round half up(1.005, 2)': 1,
  '0.1 + 0.2 = 0.3': false,
  '4.35 * 100 >= 435': false,
  '20261129000000000001 = 20261129000000000002': true,
}
const seen = Object.fromEntries(Object.keys(expected).map((text) => [text, evaluate(text, {}).value]))
console.log(seen)
assert.deepStrictEqual(seen, expected, 'this has changed')
JS
node run.mjs
