#!/usr/bin/env bash
# qified 0.13.2 with its memory providers, seen on 2026-12-01.
# One would guess: of two handlers that take tasks from one queue one gets each task; a message goes to each of its subscribers, whatever
# happens in the others.
# What happens: each task runs in both handlers, for their number is that of the copies; so with @qified/redis within one process. A task
# over its timeout is begun again while it runs: three of it at once. A message whose first subscriber throws does not come to the second,
# and `publish` is well.
# Why it matters: who adds a handler to pay faster pays twice; the books miss a payment because the e-mail about it failed.
# Known to: [Place orders from a task queue](../docs/queues.md).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save qified@0.13.2 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryMessageProvider, MemoryTaskProvider, Qified } from 'qified'

const tasks = async (handlers, task, time) => {
  const queue = new Qified({ taskProviders: [new MemoryTaskProvider()] })
  const done = []
  let running = 0
  let most = 0
  for (const id of handlers) {
    await queue.dequeue('payments', {
      id,
      handler: async () => {
        done.push(id)
        running += 1
        most = Math.max(most, running)
        await sleep(time)
        running -= 1
      }
    })
  }
  await queue.enqueue('payments', task)
  await sleep(4000)
  await queue.disconnect()
  return { done: done.sort().join(' '), 'at once': most }
}
const seen = {
  'two handlers': await tasks(['A', 'B'], { data: {} }, 50),
  'over its timeout': await tasks(['A'], { data: {}, timeout: 200 }, 1500)
}
const got = []
const bus = new Qified({ messageProviders: new MemoryMessageProvider() })
bus.on('error', ({ message }) => got.push(`error: ${message}`))
await bus.subscribe('paid', { id: 'mail', handler: async () => { throw new Error('no mail') } })
await bus.subscribe('paid', { id: 'books', handler: async ({ id }) => { got.push(`books ${id}`) } })
await bus.publish('paid', { id: 'ORD-1', data: {} })
got.push('published')
await sleep(500)
seen.message = got
console.log(seen)
assert.deepStrictEqual(seen, {
  'two handlers': { done: 'A B', 'at once': 2 },
  'over its timeout': { done: 'A A A', 'at once': 3 },
  message: ['error: no mail', 'published']
}, 'this has changed')
process.exit(0)
JS
node run.mjs
