#!/usr/bin/env bash
# money-math 2.6.3, seen on 2026-11-28.
# One would guess: 10.5 and 10 as text are 10.50 and 10.00, or refused as not of the form that the package wants, two decimals.
# What happens: the point is taken out and the last two digits are cents: '10.5' is 1.05, '10' is 0.10, '10.505' is 105.05. Half a cent is
# rounded up for payments and towards zero for refunds.
# Why it matters: String(10.5), JSON and databases drop the last zero, so one amount in ten is charged at a tenth.
# Known to: no page of ours. This SDK takes and gives Decimal, for which 10.5 is 10.50.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save money-math@2.6.3 || exit 2
node - <<'JS'
const assert = require('assert')
const money = require('money-math')
const seen = ['10.50', '10.5', '10', '10.505'].map((amount) => amount + ' is ' + money.add(amount, '0.00'))
seen.push(money.floatToAmount(1.005), money.floatToAmount(-1.005))
console.log(seen)
assert.deepStrictEqual(seen, ['10.50 is 10.50', '10.5 is 1.05', '10 is 0.10', '10.505 is 105.05', '1.01', '-1.00'], 'this has changed')
JS
