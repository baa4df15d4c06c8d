#!/usr/bin/env bash
# @git-stunts/alfred 0.10.3, seen on 2026-12-01.
# One would guess: a timeout around retries, as its README has it, ends them; a breaker that is half open lets one call through.
# What happens: the caller gets TimeoutError after 450 ms, and the retries go on behind: of six tries four are sent after that. A half
# open breaker lets all calls through that come at once.
# Why it matters: who asks again after the timeout has two rows of retries for one order, and answers somebody "failed" while it is paid.
# Known to: [Unknown outcomes](../docs/outcomes.md#cancelled-and-interrupted-calls).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @git-stunts/alfred@0.10.3 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { Policy, circuitBreaker } from '@git-stunts/alfred'

let sent = 0
const lost = async () => {
  sent += 1
  await sleep(300)
  throw new Error('lost')
}
const seen = {}
const policy = Policy.timeout(450).wrap(Policy.retry({ retries: 5, delay: 30 }))
await policy.execute(lost).catch((error) => { seen.told = error.constructor.name })
seen['sent by then'] = sent
await sleep(4000)
seen['sent at the end'] = sent

const breaker = circuitBreaker({ threshold: 1, duration: 100 })
await breaker.execute(lost).catch(() => {})
await breaker.execute(lost).catch((error) => { seen.open = error.constructor.name })
await sleep(200)
let through = 0
await Promise.all([1, 2, 3].map(() => breaker.execute(async () => { through += 1; await sleep(50) })))
seen['half open'] = through
console.log(seen)
assert.deepStrictEqual(seen, {
  told: 'TimeoutError', 'sent by then': 2, 'sent at the end': 6, open: 'CircuitOpenError', 'half open': 3
}, 'this has changed')
JS
node run.mjs
