#!/usr/bin/env bash
# ezmoney 1.0.3, seen on 2026-11-28.
# One would guess: fromNumber(10.505, 'USD') is 1051 or 1050 cents, or refused.
# What happens: it is 11 dollars, and 1.1 BHD is 1 dinar: unless a third argument says otherwise, a number is rounded to whole units of
# the currency. fromString('USD 10.50') keeps its cents.
# Why it matters: prices of a catalogue or an answer are numbers; they are charged without their cents, and nothing is raised.
# Known to: no page of ours. Send amounts to this gateway as the decimals that you show.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save ezmoney@1.0.3 || exit 2
node - <<'JS'
const assert = require('assert')
const { fromNumber, fromString } = require('ezmoney')
const seen = [fromNumber(10.505, 'USD'), fromNumber(1.1, 'BHD'), fromNumber(10.505, 'USD', 2), fromString('USD 10.50')].map((money) => JSON.stringify(money))
console.log(seen)
assert.deepStrictEqual(seen, [
  '{"amount":11,"currency":"USD","precision":0}',
  '{"amount":1,"currency":"BHD","precision":0}',
  '{"amount":1050,"currency":"USD","precision":2}',
  '{"amount":1050,"currency":"USD","precision":2}',
], 'this has changed')
JS
