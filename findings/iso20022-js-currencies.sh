#!/usr/bin/env bash
# iso20022.js 0.0.15, seen on 2026-11-29.
# One would guess: a whole number is of the smallest unit of its currency, cents of USD and yen of JPY: 1000 of JPY are 1000 yen.
# What happens: it divides by a hundred for each currency: 10 yen, 10 rupiah, and 10 dinars of Bahrain where 1000 fils are one.
# Why it matters: the file for the bank asks for a hundredth of the payout, or for ten times as much.
# Known to: the SDK takes a Decimal in the currency itself: docs/amounts.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save iso20022.js@0.0.15 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { ISO20022 } from 'iso20022.js'

const bank = (bic) => ({ bic, bankAddress: { country: 'DE' } })
const shop = { name: 'Shop', id: 'SHOP', account: { iban: 'DE89370400440532013000' }, agent: bank('DEUTDEFF') }
const supplier = { name: 'Supplier', account: { accountNumber: '1' }, agent: bank('COBADEFF'), address: { streetName: 'Road', buildingNumber: '1', postalCode: '10115', townName: 'Berlin', country: 'DE' } }
const asked = (currency) => {
  const payout = { type: 'swift', direction: 'credit', amount: 1000, currency, creditor: supplier, remittanceInformation: 'Payout' }
  const file = new ISO20022({ initiatingParty: shop }).createSWIFTCreditPaymentInitiation([payout])
  return file.serialize().match(/<InstdAmt[^>]*>([^<]*)/)[1]
}
const seen = Object.fromEntries(['USD', 'JPY', 'IDR', 'BHD'].map((currency) => [currency, asked(currency)]))
console.log(seen)
assert.deepStrictEqual(seen, { USD: '10', JPY: '10', IDR: '10', BHD: '10' }, 'this has changed')
JS
node run.mjs
