#!/usr/bin/env bash
# p-queue 10.0.0 and cockatiel 4.0.0, seen on 2026-11-29.
# One would guess: in a queue with `concurrency: 1`, and behind `bulkhead(1)`, no two tasks ever run at once.
# What happens: with a timeout they do. A task that has timed out runs on, and its place is given away: of three, all three run at once.
# Why it matters: payments of one account were queued so that none passes another, and on the day on which the gateway is slow all go at once.
# Known to: [Unknown outcomes](../docs/outcomes.md): a call that was given up may still be under way.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save p-queue@10.0.0 cockatiel@4.0.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { TimeoutStrategy, bulkhead, timeout, wrap } from 'cockatiel'
import PQueue from 'p-queue'

async function atOnce(add) {
  let [running, most] = [0, 0]
  let end
  const ended = new Promise((resolve) => { end = resolve })
  const pay = async () => {
    most = Math.max(most, ++running)
    await ended
    running--
  }
  await Promise.allSettled([1, 2, 3].map(() => add(pay)))
  end()
  return most
}

const queue = new PQueue({ concurrency: 1, timeout: 50 })
const policy = wrap(bulkhead(1, 2), timeout(50, TimeoutStrategy.Aggressive))
const seen = { 'p-queue': await atOnce((task) => queue.add(task)), cockatiel: await atOnce((task) => policy.execute(task)) }
console.log(seen)
assert.deepStrictEqual(seen, { 'p-queue': 3, cockatiel: 3 }, 'this has changed')
JS
node run.mjs
