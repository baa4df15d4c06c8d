#!/usr/bin/env bash
# fast-formula-parser 1.0.19 and @formulajs/formulajs 4.6.1 of npm, seen on 2026-11-30.
# One would guess: the functions of a spreadsheet do what they do in one: an amount of two decimals, cut or rounded to two, stays as it is.
# What happens: TRUNC(19.99, 2) is 19 in the first, which leaves out the decimals, and 19.98 in the second. ROUNDDOWN of the first takes a cent
# from 1,230 of the 9,999 amounts below 100, such as 0.29, and ROUNDUP adds one to 8,403. FLOOR of the second to 0.01 changes 1,932.
# Why it matters: price lists and fee tables are kept as spreadsheets and computed by these on a server; what is charged is a cent, or all
# cents, off what the sheet shows.
# Known to: the SDK computes with Decimal; [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save fast-formula-parser@1.0.19 @formulajs/formulajs@4.6.1 || exit 2
node - <<'JS'
const assert = require('assert')
const Parser = require('fast-formula-parser')
const formulajs = require('@formulajs/formulajs')

const parser = new Parser()
const computed = (text) => parser.parse(text, { sheet: 'prices', row: 1, col: 1 })
const amounts = Array.from({ length: 9999 }, (_, index) => Number(((index + 1) / 100).toFixed(2)))
const changed = (round) => amounts.filter((amount) => round(amount) !== amount).length
const seen = {
  'fast-formula-parser': {
    TRUNC: computed('TRUNC(19.99, 2)'),
    ROUNDDOWN: [computed('ROUNDDOWN(0.29, 2)'), changed((amount) => computed(`ROUNDDOWN(${amount}, 2)`))],
    ROUNDUP: [computed('ROUNDUP(0.29, 2)'), changed((amount) => computed(`ROUNDUP(${amount}, 2)`))],
  },
  formulajs: {
    TRUNC: formulajs.TRUNC(19.99, 2),
    FLOOR: [formulajs.FLOOR(0.29, 0.01), changed((amount) => formulajs.FLOOR(amount, 0.01))],
    ROUNDDOWN: changed((amount) => formulajs.ROUNDDOWN(amount, 2)),
  },
}
console.log(seen)
assert.deepStrictEqual(seen, {
  'fast-formula-parser': { TRUNC: 19, ROUNDDOWN: [0.28, 1230], ROUNDUP: [0.3, 8403] },
  formulajs: { TRUNC: 19.98, FLOOR: [0.28, 1932], ROUNDDOWN: 0 },
}, 'this has changed')
JS
