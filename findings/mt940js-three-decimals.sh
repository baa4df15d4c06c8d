#!/usr/bin/env bash
# mt940js 1.3.5, seen on 2026-11-29.
# One would guess: 10,505 in a statement in dinars of Kuwait is 10.505, in lines and balances.
# What happens: every amount is rounded to two decimals, half up. One line of 10,505 is read as 10.51 without a word; two of them do not
# add up to the balance any more, and the statement is refused.
# Why it matters: who compares statements with settlements misses fils, or a month of statements.
# Known to: amounts are Decimals of the currency's decimals: docs/amounts.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save mt940js@1.3.5 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { Parser } = require('mt940js')

const read = (amounts, balance) => {
  const lines = amounts.map((amount) => `:61:261129C${amount}NTRFREF`)
  const statement = [':20:X', ':25:ACCOUNT', ':28C:1/1', ':60F:C261101KWD0,000', ...lines, `:62F:C261129KWD${balance}`, '-']
  try {
    const [{ transactions, closingBalance }] = new Parser().parse(statement.join('\n'))
    return [...transactions.map(({ amount }) => amount), closingBalance]
  } catch (error) {
    return error.message
  }
}
const seen = [read(['10,505'], '10,505'), read(['10,505', '10,505'], '21,010'), read(['0,004', '0,004'], '0,008')]
console.log(seen)
const refused = (sum, turnover) => `Sum of lines (${sum}) != turnover (${turnover}) in group 1`
assert.deepStrictEqual(seen, [[10.51, 10.51], refused(21.02, 21.01), refused(0, 0.01)], 'this has changed')
JS
node run.cjs
