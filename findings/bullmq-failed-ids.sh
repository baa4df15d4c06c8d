#!/usr/bin/env bash
# BullMQ 6.7.0 with Redis 7.0.15 of Debian 12 on Node.js 20, seen on 2026-12-01.
# One would guess: a job's own id keeps a second one away while the first waits or runs; after it has failed for good, a new one with its id
# runs, or `add` refuses it.
# What happens: nothing runs, then or later, and `add` gives back a job with the new data and no word of it. What is stored has the old data.
# And `attempts: 1` runs a job twice if its process was busy beyond the lock's time.
# Why it matters: an order that is put in again with another card is never charged, though `add` gave a job; another order is charged twice.
# Known to: [Unknown outcomes](../docs/outcomes.md).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 redis-server=5:7.0.15-1~deb12u10 redis-tools=5:7.0.15-1~deb12u10 liblua5.1-0=5.1.5-9 \
  lua-cjson=2.1.0+dfsg-2.2 lua-bitop=1.0.2-7 libjemalloc2=5.3.0-1 liblzf1=3.6-3 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
npm install --silent --no-fund --no-audit --no-save bullmq@6.7.0 ioredis@5.11.1 || exit 2
LD_LIBRARY_PATH="$folder/usr/lib/x86_64-linux-gnu" usr/bin/redis-server --port 0 --unixsocket "$folder/socket" --save '' >log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.mjs <<'JS'
import assert from 'assert'
import { once } from 'events'
import { setTimeout as sleep } from 'timers/promises'
import { Queue, Worker } from 'bullmq'

const connection = { path: 'socket', maxRetriesPerRequest: null }
const charged = []
const orders = new Queue('orders', { connection })
const worker = new Worker('orders', async (job) => {
  charged.push(job.data.card)
  if (job.data.card === 'expired') throw new Error('declined')
}, { connection })
await orders.add('charge', { card: 'expired' }, { jobId: 'order-1' })
await once(worker, 'failed')
const again = await orders.add('charge', { card: 'new' }, { jobId: 'order-1' })
await sleep(2000)
const stored = await orders.getJob('order-1')

const runs = []
const slow = new Queue('slow', { connection })
const busy = new Worker('slow', async (job) => {
  runs.push(job.attemptsMade)
  for (const end = Date.now() + 3000; runs.length === 1 && Date.now() < end; );
}, { connection, lockDuration: 1000, stalledInterval: 1000 })
busy.on('error', () => {})
await slow.add('charge', {}, { attempts: 1 })
await sleep(8000)
const seen = { charged, again: again.data.card, stored: stored.data.card, state: await stored.getState(), runs }
console.log(seen)
assert.deepStrictEqual(seen, { charged: ['expired'], again: 'new', stored: 'expired', state: 'failed', runs: [0, 0] }, 'this has changed')
process.exit(0)
JS
node run.mjs
