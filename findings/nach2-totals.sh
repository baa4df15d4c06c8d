#!/usr/bin/env bash
# nach2 0.5.1 on Node.js 20, seen on 2026-12-01.
# One would guess: amounts with a third decimal are refused or rounded once, and a batch's control total is the sum of its entries.
# What happens: each entry is rounded for itself, and the total is the rounded sum of what was given: three entries of 10.505 are written as
# 1051 cents each and 3152 together, two of 1.005 as 100 each and 201 together.
# Why it matters: a bank refuses the whole ACH file, with the payments of everybody in it, for shares of a fee that have a third decimal.
# Known to: [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save nach2@0.5.1 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const nach = require('nach2')
const written = (amounts) => {
  const file = new nach.File({
    immediateDestination: '081000032', immediateOrigin: '123456789', immediateDestinationName: 'Bank', immediateOriginName: 'Shop',
    referenceCode: '#A000001',
  })
  const batch = new nach.Batch({
    serviceClassCode: '220', companyName: 'Shop', standardEntryClassCode: 'WEB', companyIdentification: '123456789',
    companyEntryDescription: 'Shares', companyDescriptiveDate: 'Nov 30', effectiveEntryDate: new Date(2026, 10, 30),
    originatingDFI: '081000032',
  })
  for (const amount of amounts) {
    batch.addEntry(new nach.Entry({
      receivingDFI: '081000210', DFIAccount: '5654221', amount, idNumber: 'R1', individualName: 'Partner', discretionaryData: 'A1',
      transactionCode: '22',
    }))
  }
  file.addBatch(batch)
  return new Promise((done) => file.generateFile((text) => {
    const lines = text.split(/\r?\n/)
    const entries = lines.filter((line) => line[0] === '6').map((line) => Number(line.slice(29, 39)))
    done({ entries, total: Number(lines.find((line) => line[0] === '8').slice(32, 44)) })
  }))
}
const main = async () => {
  const seen = [await written(['19.99', '0.01']), await written(['10.505', '10.505', '10.505']), await written([1.005, 1.005])]
  console.log(seen)
  assert.deepStrictEqual(seen, [
    { entries: [1999, 1], total: 2000 }, { entries: [1051, 1051, 1051], total: 3152 }, { entries: [100, 100], total: 201 },
  ], 'this has changed')
}
main().catch((error) => { console.error(error); process.exit(1) })
JS
node run.cjs
