#!/usr/bin/env bash
# tinybase 10.0.1, seen on 2026-12-01.
# One would guess: a value that the schema does not take is refused, and the cell keeps what it had; a sum is of the rows that are there.
# What happens: the cell goes back to its default: an order that is paid, and is then set to paid: 1 or "true", is not paid; `setRow` with
# an amount in quotes leaves a row without an amount, with its other cells set. No error. A sum is added to and taken from as rows come and
# go: after a thousand of 0.1 it is another one of the same two rows.
# Why it matters: SQLite and forms have 1 and "true", and a synchronised order that was paid becomes unpaid on each device.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save tinybase@10.0.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createMetrics, createStore } from 'tinybase'

const schema = { orders: { amount: { type: 'number' }, note: { type: 'string', default: 'none' }, paid: { type: 'boolean', default: false } } }
const row = { amount: 10.5, note: 'gift', paid: true }
const after = (change) => {
  const store = createStore().setTablesSchema(schema).setRow('orders', 'A', row)
  change(store)
  return { ...store.getRow('orders', 'A') }
}
const free = createStore().setTable('orders', { A: { amount: 0.1 }, B: { amount: 0.2 } })
const metrics = createMetrics(free).setMetricDefinition('sum', 'orders', 'sum', 'amount')
const sum = () => metrics.getMetric('sum')
const seen = {
  'paid: 1': after((store) => store.setCell('orders', 'A', 'paid', 1)),
  'part of a row': after((store) => store.setPartialRow('orders', 'A', { note: 'late', paid: 'true' })),
  'amount in quotes': after((store) => store.setRow('orders', 'A', { amount: '11', note: 'gift', paid: true })),
  sum: sum()
}
for (let number = 0; number < 1000; number += 1) free.setRow('orders', `X${number}`, { amount: 0.1 })
for (let number = 0; number < 1000; number += 1) free.delRow('orders', `X${number}`)
seen['sum of the same'] = sum()
console.log(seen)
assert.deepStrictEqual(seen, {
  'paid: 1': { amount: 10.5, note: 'gift', paid: false },
  'part of a row': { amount: 10.5, note: 'late', paid: false },
  'amount in quotes': { note: 'gift', paid: true },
  sum: 0.30000000000000004,
  'sum of the same': 0.2999999999999994
}, 'this has changed')
JS
node run.mjs
