#!/usr/bin/env bash
# javascript-state-machine 3.1.0 and typescript-fsm 1.6.0, seen on 2026-12-01.
# One would guess: an action that fails leaves an order as it was, and it can be tried again, whether the action is awaited or not.
# What happens: in the first so if it is awaited. If it throws at once, the order stays open, and each later transition of it is "invalid
# while previous transition is still in progress", for good; one that throws after the payment leaves it paid, and no refund is possible.
# typescript-fsm sets the state before the action: the order is paid, and the payment was declined.
# Why it matters: one error, of a log or a gateway, and an order can never be paid or refunded; or what was declined is sent.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save javascript-state-machine@3.1.0 typescript-fsm@1.6.0 || exit 2
cat >run.js <<'JS'
const assert = require('node:assert')
const StateMachine = require('javascript-state-machine')
const fsm = require('typescript-fsm')

const transitions = [{ name: 'pay', from: 'open', to: 'paid' }, { name: 'refund', from: 'paid', to: 'refunded' }]
const once = (awaited) => {
  let calls = 0
  const declined = () => {
    calls += 1
    if (calls === 1) throw new Error('declined')
  }
  return awaited ? async () => declined() : declined
}
const tried = async (order, names) => {
  const told = []
  for (const name of names) {
    try {
      await order[name]()
      told.push('done')
    } catch (error) {
      told.push(error.message)
    }
  }
  return [...told, order.state].join('; ')
}

async function main () {
  const seen = {}
  const make = (methods) => new StateMachine({ init: 'open', transitions, methods })
  seen.awaited = await tried(make({ onBeforePay: once(true) }), ['pay', 'pay'])
  seen['at once'] = await tried(make({ onBeforePay: once(false) }), ['pay', 'pay', 'pay'])
  seen['after the payment, awaited'] = await tried(make({ onPaid: once(true) }), ['pay', 'refund'])
  seen['after the payment, at once'] = await tried(make({ onPaid: once(false) }), ['pay', 'refund'])

  const order = new fsm.StateMachine('open', [fsm.t('open', 'pay', 'paid', once(true))])
  order.pay = () => order.dispatch('pay')
  Object.defineProperty(order, 'state', { get: () => order.getState() })
  seen['typescript-fsm'] = await tried(order, ['pay', 'pay'])
  console.log(seen)
  const stuck = 'transition is invalid while previous transition is still in progress'
  assert.deepStrictEqual(seen, {
    awaited: 'declined; done; paid',
    'at once': `declined; ${stuck}; ${stuck}; open`,
    'after the payment, awaited': 'declined; done; refunded',
    'after the payment, at once': `declined; ${stuck}; paid`,
    'typescript-fsm': 'declined; No transition: from paid event pay; paid'
  }, 'this has changed')
}
main()
JS
node run.js
