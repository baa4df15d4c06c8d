#!/usr/bin/env bash
# pg-boss 12.38.0, on PostgreSQL (pglite 0.5.14), seen on 2026-11-30.
# One would guess: of two jobs with one `singletonKey` there is one at a time. Of a batch of three of which one fails, two are done.
# What happens: both are stored, and no word is said: in a queue of the default policy the key does not count. With `policy: 'exclusive'` the
# second is left out. A handler that throws in a batch fails each job of it: all three run again.
# Why it matters: an order is placed by two jobs that were meant to be one, or three times by one.
# Known to: [Place orders from a task queue](../docs/queues.md): the key of the order is made before the job.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save pg-boss@12.38.0 @electric-sql/pglite-socket@0.2.17 @electric-sql/pglite@0.5.14 || exit 2
cat >server.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
const server = new PGLiteSocketServer({ db: await PGlite.create(), port: 0, host: "127.0.0.1", maxConnections: 10 })
server.addEventListener("listening", (event) => console.log(event.detail.port))
await server.start()
JS
node server.mjs >port &
server=$!
trap 'kill "$server"; rm -rf "$folder"' EXIT
until [ -s port ]; do kill -0 "$server"; sleep 0.1; done
cat >run.mjs <<'JS'
import assert from 'assert'
import { setTimeout } from 'timers/promises'
import { PgBoss } from 'pg-boss'

const boss = new PgBoss({ connectionString: `postgresql://postgres:postgres@127.0.0.1:${process.argv[2]}/postgres`, max: 2 })
boss.on('error', (error) => { throw error })
await boss.start()
const seen = {}
for (const policy of ['standard', 'exclusive']) {
  await boss.createQueue(policy, { policy })
  const ids = [1, 2].map(() => boss.send(policy, {}, { singletonKey: 'ORD_1' }))
  seen[policy] = (await Promise.all(ids)).filter((id) => id !== null).length
}
await boss.createQueue('batch', { retryLimit: 1 })
for (const order of [1, 2, 3]) await boss.send('batch', { order })
const runs = {}
await boss.work('batch', { batchSize: 3, pollingIntervalSeconds: 0.5 }, async (jobs) => {
  for (const { data: { order } } of jobs) runs[order] = (runs[order] ?? 0) + 1
  if (runs[3] === 1) throw new Error('the third order was refused')
})
for (let waited = 0; waited < 600 && !(runs[3] === 2); waited++) await setTimeout(100)
console.log(seen, runs)
assert.deepStrictEqual(seen, { standard: 2, exclusive: 1 }, 'this has changed')
assert.deepStrictEqual(runs, { 1: 2, 2: 2, 3: 2 }, 'this has changed')
process.exit(0)
JS
node run.mjs "$(cat port)"
