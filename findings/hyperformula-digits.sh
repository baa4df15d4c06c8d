#!/usr/bin/env bash
# hyperformula 3.5.0, seen on 2026-11-28.
# One would guess: a cell gives the number that was put in, to the fifteen digits that a spreadsheet keeps.
# What happens: it gives eleven significant digits, of a number that was typed as of a result: 1234567890.12 is 1234567890.1, and
# 999999999999.99 is 1000000000000. ROUND(1.005, 2) is 1 while 0.1 + 0.2 is 0.3.
# Why it matters: sums in rupiah, dong or pesos lose their decimals, and then their last digits, on the way from the sheet to a payment.
# Known to: no page of ours. This SDK refuses floats as amounts: write what is read from a sheet as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save hyperformula@3.5.0 || exit 2
node - <<'JS'
const assert = require('assert')
const { HyperFormula } = require('hyperformula')
const sheet = HyperFormula.buildFromArray([[1234567890.12, 999999999999.99, '=SUM(A1,B1)', '=A1&""', '=ROUND(1.005,2)']], { licenseKey: 'gpl-v3' })
const seen = sheet.getSheetValues(0)[0]
console.log(seen)
assert.deepStrictEqual(seen, [1234567890.1, 1000000000000, 1001234567900, '1234567890.12', 1], 'this has changed')
JS
