#!/usr/bin/env bash
# @tanstack/pacer 0.22.0, seen on 2026-12-01.
# One would guess: each call of a rate limiter or a retryer gets its own result, or its error; what it will not do is said.
# What happens: of two orders that an AsyncRateLimiter lets through, and that are answered at once, as by a batch, both get the second one's
# answer; a third, over the limit, gets undefined. Of two orders that an AsyncRetryer is asked for at once the first one is sent, is not
# tried again when it is lost, and resolves with undefined; so does a call longer than `maxExecutionTime`, which goes on. Nothing is thrown.
# Why it matters: the payment of one order is written down for another, and a lost one is taken for done.
# Known to: [Unknown outcomes](../docs/outcomes.md#cancelled-and-interrupted-calls).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @tanstack/pacer@0.22.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { AsyncRateLimiter, AsyncRetryer } from '@tanstack/pacer'

const seen = {}
const told = (results) => results.map(({ status, value, reason }) => `${status}: ${reason?.message ?? value}`)

const batch = sleep(50)
const pay = async (order) => {
  await batch
  return `payment of ${order}`
}
const limiter = new AsyncRateLimiter(pay, { limit: 2, window: 60000 })
seen['rate limiter'] = told(await Promise.allSettled(['A', 'B', 'C'].map((order) => limiter.maybeExecute(order))))

const sent = []
const lost = async (order) => {
  sent.push(order)
  await sleep(50)
  throw new Error(`${order} lost`)
}
const retryer = new AsyncRetryer(lost, { maxAttempts: 3, baseWait: 10, backoff: 'fixed' })
seen.retryer = told(await Promise.allSettled([retryer.execute('A'), retryer.execute('B')]))
seen.sent = sent.join(' ')

let ended = 0
const slow = async () => {
  await sleep(200)
  ended += 1
  return 'paid'
}
seen['too long'] = told(await Promise.allSettled([new AsyncRetryer(slow, { maxExecutionTime: 50 }).execute()]))
await sleep(500)
seen.ended = ended
console.log(seen)
assert.deepStrictEqual(seen, {
  'rate limiter': ['fulfilled: payment of B', 'fulfilled: payment of B', 'fulfilled: undefined'],
  retryer: ['fulfilled: undefined', 'rejected: B lost'],
  sent: 'A B B B',
  'too long': ['fulfilled: undefined'],
  ended: 1
}, 'this has changed')
process.exit(0)
JS
node run.mjs
