#!/usr/bin/env bash
# @chewhx/paynowqr 1.1.0 and bakong-khqr 1.0.20 of npm, seen on 2026-11-30.
# One would guess: a maker of payment codes writes an amount with the decimals of its currency in the thirteen characters that EMVCo allows, or
# refuses it.
# What happens: paynowqr writes a number as JavaScript shows it: 0.1 + 0.2 is 0.30000000000000004, nineteen characters, 10.505 stays so,
# and 0.0000001 is 1e-7. The length and checksum of the code are right. bakong-khqr, of the same standard, refuses all three.
# Why it matters: a total that was added up in JavaScript makes a code that looks valid, and that a bank's app refuses, or reads as it likes.
# Known to: the SDK takes a Decimal; [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @chewhx/paynowqr@1.1.0 bakong-khqr@1.0.20 || exit 2
node - <<'JS'
const assert = require('assert')
const PaynowQR = require('@chewhx/paynowqr').default
const { BakongKHQR, IndividualInfo, khqrData } = require('bakong-khqr')

const field = (code) => { const at = code.indexOf('5303') + 7; return code.slice(at + 4, at + 4 + Number(code.slice(at + 2, at + 4))) }
const paynow = (amount) => field(new PaynowQR({ uen: '201403121W', amount, expiry: '20271231', refNumber: 'A1', company: 'Shop' }).output())
const khqr = (amount) => {
  const optional = { currency: khqrData.currency.usd, amount, expirationTimestamp: Date.now() + 60_000 }
  const made = new BakongKHQR().generateIndividual(new IndividualInfo('shop@bank', 'Shop', 'Phnom Penh', optional))
  return made.status.code ? made.status.message : field(made.data.qr)
}
const seen = [10.5, 0.1 + 0.2, 10.505, 0.0000001].map((amount) => [paynow(amount), khqr(amount)])
console.log(seen)
assert.deepStrictEqual(seen, [
  ['10.5', '10.50'],
  ['0.30000000000000004', 'Amount is invalid'],
  ['10.505', 'Amount is invalid'],
  ['1e-7', 'Amount is invalid'],
], 'this has changed')
JS
