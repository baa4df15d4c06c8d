#!/usr/bin/env bash
# @pact-foundation/pact 17.1.4 with pact-core 19.2.0 on Node.js 20, seen on 2026-12-01.
# One would guess: a contract with `decimal(10.5)` takes each amount, and one with the number 100 takes 100.00.
# What happens: `decimal` takes 10.50, 10.00 and 1e2 and refuses 10, which is how JavaScript writes 10.00; `integer` refuses 10.00, and the
# number 100 too, though 10.5 takes 10.50.
# Why it matters: a contract test passes until an amount has no cents; a partner in another language, which writes 100.00, breaks it.
# Known to: the SDK writes an amount with the digits that it is given.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @pact-foundation/pact@17.1.4 @pact-foundation/pact-core@19.2.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { MatchersV3, PactV3 } = require('@pact-foundation/pact')

const takes = async (amount, written) => {
  const pact = new PactV3({ consumer: 'shop', provider: `gateway of ${written}`, dir: './pacts', logLevel: 'error' })
  const headers = { 'content-type': 'application/json' }
  pact.uponReceiving('an order').withRequest({ method: 'POST', path: '/orders', headers, body: { amount } }).willRespondWith({ status: 200 })
  try {
    await pact.executeTest(({ url }) => fetch(`${url}/orders`, { method: 'POST', headers, body: `{"amount":${written}}` }))
    return true
  } catch {
    return false
  }
}
;(async () => {
  const seen = {}
  for (const [name, amount] of Object.entries({ decimal: MatchersV3.decimal(10.5), integer: MatchersV3.integer(10), 'number 10.5': 10.5, 'number 100': 100 })) {
    const taken = []
    for (const written of ['10.50', '10.00', '10', '1e2', '100', '100.00']) if (await takes(amount, written)) taken.push(written)
    seen[name] = taken.join(' ')
  }
  console.log(seen)
  assert.deepStrictEqual(seen, {
    decimal: '10.50 10.00 1e2 100.00',
    integer: '10 100',
    'number 10.5': '10.50',
    'number 100': '100',
  }, 'this has changed')
})()
JS
node run.cjs 2>log || { cat log; exit 1; }
