#!/usr/bin/env bash
# invoice-number 2.0.1, seen on 2026-12-01.
# One would guess: the number after INV-2026-026 is INV-2026-027, and after INV-2026-999 comes INV-2026-1000, or an error.
# What happens: the first is INV-2027, as 026 is found in the year, and what follows is cut off; from there on it counts years. The second
# is INV-2026-000, as 999 is followed by 000: nobody is told. Only the last group counts: INV-0999/SG is followed by INV-0999/SH.
# Why it matters: the series breaks with the 27th invoice of 2026, or each has the number of an older one, to which a payment that names
# it is booked.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save invoice-number@2.0.1 || exit 2
cat >run.js <<'JS'
const assert = require('node:assert')
const { InvoiceNumber } = require('invoice-number')

const numbers = ['INV-2026-001', 'INV-2026-099', 'INV-2026-999', '2026/999', '999', 'INV-9Z', 'INV-0999/SG']
const seen = Object.fromEntries(numbers.map((number) => [number, InvoiceNumber.next(number)]))
let number = 'INV-2026-001'
for (let issued = 1; issued < 30; issued += 1) {
  const next = InvoiceNumber.next(number)
  if (next.length !== number.length) seen[number] = next
  number = next
}
seen['the thirtieth'] = number
console.log(seen)
assert.deepStrictEqual(seen, {
  'INV-2026-001': 'INV-2026-002', 'INV-2026-099': 'INV-2026-100', 'INV-2026-999': 'INV-2026-000', '2026/999': '2026/000', 999: '000',
  'INV-9Z': 'INV-0A', 'INV-0999/SG': 'INV-0999/SH', 'INV-2026-026': 'INV-2027', 'the thirtieth': 'INV-2030'
}, 'this has changed')
JS
node run.js
