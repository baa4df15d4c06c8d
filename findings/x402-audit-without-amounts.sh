#!/usr/bin/env bash
# @x402sentinel/x402 0.2.0, @x402/fetch 2.27.0 and @x402/core 2.27.0, seen on 2026-12-01.
# One would guess: put around a fetch that pays, as its README has it, its audit sums up what was paid, and its budget counts it.
# What happens: @x402/fetch answers the 402 itself, and the outer one never sees a price: five payments of 10.00 are made, the audit's
# `total_spend` is 0.00, and of a budget of 25.00 nothing is spent. Put inside, between the payer and the network, it stops after two,
# and the total is 70.00: offers and refusals are added to it.
# Why it matters: neither sum is what the wallet has paid, and an agent that is to stop at 25.00 goes on.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @x402sentinel/x402@0.2.0 @x402/fetch@2.27.0 @x402/core@2.27.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createServer } from 'node:http'
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { AuditLogger, MemoryStorage, wrapWithSentinel } from '@x402sentinel/x402'

const network = 'eip155:84532'
const price = {
  scheme: 'exact', network, amount: '10000000', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0x000000000000000000000000000000000000dEaD', maxTimeoutSeconds: 60, extra: { name: 'USDC', version: '2' }
}
let paid = 0
const server = createServer((request, response) => {
  const url = `http://127.0.0.1:${server.address().port}/report`
  if (!request.headers['payment-signature']) {
    const required = { x402Version: 2, error: 'payment required', resource: { url, description: '', mimeType: '' }, accepts: [price] }
    return response.writeHead(402, { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required) }).end()
  }
  paid += 1
  const settled = { success: true, transaction: `0x${paid}`, network, payer: '0x01' }
  response.writeHead(200, { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(settled) }).end('report')
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const url = `http://127.0.0.1:${server.address().port}/report`

const client = new x402Client().setSpendControls({ maxAmountPerPayment: '$50', allowedAssets: true })
client.register(network, {
  scheme: 'exact', createPaymentPayload: async (version) => ({ x402Version: version, payload: { signature: '0x00' } })
})
const guarded = (fetch, storage) => wrapWithSentinel(fetch, {
  agentId: 'buyer', budget: { maxTotal: '25.00' }, audit: { enabled: true, storage }
})

const wirings = {
  outside: (storage) => guarded(wrapFetchWithPayment(fetch, client), storage),
  inside: (storage) => wrapFetchWithPayment(guarded(fetch, storage), client)
}
const seen = {}
for (const [name, wiring] of Object.entries(wirings)) {
  paid = 0
  const storage = new MemoryStorage()
  const buy = wiring(storage)
  const answers = []
  for (let call = 0; call < 5; call += 1) {
    await buy(url).then((response) => answers.push(response.status), (error) => answers.push(error.constructor.name))
  }
  const { total_spend: total } = await new AuditLogger({ storage }).summarize()
  seen[name] = { paid, answers: answers.join(' '), total }
}
server.close()
console.log(seen)
assert.deepStrictEqual(seen, {
  outside: { paid: 5, answers: '200 200 200 200 200', total: '0.00' },
  inside: { paid: 2, answers: '200 200 SentinelBudgetError SentinelBudgetError SentinelBudgetError', total: '70.00' }
}, 'this has changed')
JS
node run.mjs
