#!/usr/bin/env bash
# loanjs 1.1.2, amortizejs 1.0.3 and loan-calc 0.2.1, seen on 2026-12-01.
# One would guess: the principal of all instalments is the loan, the last one takes what is over; a loan without interest is its twelfth
# part each month; one that begins on the 31st is due in February too.
# What happens: loanjs has 1000.02 of principal for a loan of 1000, though `remain` ends with 0 and its own sums say 1000 and 1027.30 for
# instalments of 1027.32; so 838 of the loans from 100 to 999, by up to 7 cents. It refuses 0%, and the others answer NaN. amortizejs goes
# from 31 January to 3 March, and stays on the 3rd.
# Why it matters: a plan of instalments charges more than it says; most plans of shops have no interest.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save loanjs@1.1.2 amortizejs@1.0.3 loan-calc@0.2.1 || exit 2
cat >run.cjs <<'JS'
const assert = require('node:assert')
const { Calculator } = require('amortizejs')
const loanCalc = require('loan-calc')
const { Loan } = require('loanjs')

const cents = (number) => Math.round(number * 100)
const sum = (loan, member) => loan.installments.reduce((total, part) => total + cents(part[member]), 0) / 100
const loan = new Loan(1000, 12, 5, 'annuity')
const over = Array.from({ length: 900 }, (_, number) => number + 100).map((amount) => {
  return Math.abs(cents(sum(new Loan(amount, 12, 5, 'annuity'), 'capital')) - amount * 100)
})
const plan = (apr) => Calculator.calculate({ method: 'mortgage', apr, balance: 1000, loanTerm: 12, startDate: new Date('2026-01-31T00:00:00Z') })
process.env.TZ = 'UTC'
const seen = {
  principal: sum(loan, 'capital'),
  remains: loan.installments.at(-1).remain,
  instalments: sum(loan, 'installment'),
  'its sums': [loan.capitalSum, loan.sum],
  'not the loan': over.filter((difference) => difference > 0).length,
  'by cents': Math.max(...over),
  days: plan(5).schedule.slice(0, 4).map(({ date }) => date.toISOString().slice(5, 10)).join(' '),
  'at 0%': [plan(0).periodicPayment, loanCalc.paymentCalc({ amount: 1200, rate: 0, termMonths: 12 })]
}
console.log(seen)
assert.throws(() => new Loan(1200, 12, 0, 'annuity'), /wrong parameters/)
assert.deepStrictEqual(seen, {
  principal: 1000.02, remains: 0, instalments: 1027.32, 'its sums': [1000, 1027.3], 'not the loan': 838, 'by cents': 7,
  days: '01-31 03-03 04-03 05-03', 'at 0%': [NaN, NaN]
}, 'this has changed')
JS
node run.cjs
