#!/usr/bin/env bash
# @hookflo/tern 4.1.0, with stripe 23.1.0, seen on 2026-12-01.
# One would guess: while a secret is rolled, an event of Stripe has a signature of each, and the one that matches is enough; the time at
# which a normalised payment occurred is the event's.
# What happens: of two `v1` in the header tern looks at the last one alone: who has the secret of the first is refused. Of Standard
# Webhooks, with two in a header, either is enough. `occurred_at` is the time of the verification, three days late for an event that comes
# again then.
# Why it matters: half of the receivers lose all payments for the day of a rolled secret; late payments are booked in the next month.
# Known to: [Rotate a key](../docs/go-live.md#rotate-a-key): several keys are live at once.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @hookflo/tern@4.1.0 stripe@23.1.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('node:assert')
const { createHmac } = require('node:crypto')
const { WebhookVerificationService } = require('@hookflo/tern')
const Stripe = require('stripe')

const now = Math.floor(Date.now() / 1000)
const created = now - 3 * 86400
const body = JSON.stringify({
  id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', created, data: { object: { id: 'pi_1', amount: 5000, currency: 'usd' } }
})
const sign = (secret) => createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')
const stripe = new Stripe('unused')
const main = async () => {
  const header = `t=${now},v1=${sign('whsec_new')},v1=${sign('whsec_old')}`
  const tern = async (secret) => {
    const request = new Request('http://127.0.0.1/', { method: 'POST', body, headers: { 'stripe-signature': header } })
    return await WebhookVerificationService.verify(request, { platform: 'stripe', secret, toleranceInSeconds: 300, normalize: true })
  }
  const own = (secret) => stripe.webhooks.constructEvent(body, header, secret).id === 'evt_1'
  const old = await tern('whsec_old')
  const days = Math.round((Date.parse(old.payload.occurred_at) / 1000 - created) / 86400)
  const seen = {
    'stripe, new': own('whsec_new'),
    'stripe, old': own('whsec_old'),
    'tern, new': (await tern('whsec_new')).isValid,
    'tern, old': old.isValid,
    'days late': days
  }
  console.log(seen)
  assert.deepStrictEqual(seen, {
    'stripe, new': true, 'stripe, old': true, 'tern, new': false, 'tern, old': true, 'days late': 3
  }, 'this has changed')
}
main()
JS
node run.cjs
