#!/usr/bin/env bash
# parse-price 1.1.8 and parse-money 1.0.12, seen on 2026-11-28.
# One would guess: -5.00 is minus five, as in 'number' of JavaScript.
# What happens: it is five: both drop the sign, a typographic minus and the brackets of bookkeepers too.
# Why it matters: they read prices from pages and statements, where a refund or a chargeback is a negative amount: it counts as income.
# Known to: no page of ours. In answers of this gateway a refund is an amount above zero in a refund's own member.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save parse-price@1.1.8 parse-money@1.0.12 || exit 2
node - <<'JS'
const assert = require('assert')
const of = (name) => require(name).default ?? require(name)
const [price, money] = [of('parse-price'), of('parse-money')]
const seen = ['-5.00 USD', '\u22125.00 USD', '(5.00) USD'].map((text) => [text, price(text), money(text).amount])
console.log(seen)
assert.deepStrictEqual(seen, [['-5.00 USD', 5, 5], ['\u22125.00 USD', 5, 5], ['(5.00) USD', 5, 5]], 'this has changed')
JS
