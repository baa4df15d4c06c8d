#!/usr/bin/env bash
# openworkflow 0.10.1 of npm, on PostgreSQL (pglite 0.5.14), seen on 2026-11-30.
# One would guess: a step with `retryPolicy: { maximumAttempts: 3 }` is tried three times before the workflow's `catch` sees its error, and a
# step that runs beside a sleep runs once.
# What happens: the first error goes to the `catch`, and the step is not tried again; without a `catch` it is tried three times. A step of
# three seconds in `Promise.all` with a sleep of one begins a second time when the sleep is over, while the first one still runs.
# Why it matters: a workflow that gives money back if the payment fails does so after one lost answer; and a payment that takes longer than
# the reminder beside it is made twice.
# Known to: [Place orders from a task queue](../docs/queues.md): the key of the order is made before the job.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save openworkflow@0.10.1 postgres@3.4.9 @electric-sql/pglite-socket@0.2.17 \
  @electric-sql/pglite@0.5.14 || exit 2
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
import { OpenWorkflow } from 'openworkflow'
import { BackendPostgres } from 'openworkflow/postgres'

const backend = await BackendPostgres.connect(`postgresql://postgres:postgres@127.0.0.1:${process.argv[2]}/postgres`)
const workflows = new OpenWorkflow({ backend })
const seen = { 'tries of a step whose error is caught': 0, 'tries of a step whose error is not': 0, 'given back': 0, 'payments beside a sleep': 0 }
const retryPolicy = { maximumAttempts: 3, initialInterval: '100ms' }
const caught = workflows.defineWorkflow({ name: 'caught' }, async ({ step }) => {
  try {
    await step.run({ name: 'pay', retryPolicy }, () => { seen['tries of a step whose error is caught'] += 1; throw new Error('no answer') })
  } catch {
    await step.run({ name: 'give back' }, () => { seen['given back'] += 1 })
  }
})
const raised = workflows.defineWorkflow({ name: 'raised' }, async ({ step }) => {
  await step.run({ name: 'pay', retryPolicy }, () => { seen['tries of a step whose error is not'] += 1; throw new Error('no answer') })
})
const reminded = workflows.defineWorkflow({ name: 'reminded' }, async ({ step }) => {
  const pay = step.run({ name: 'pay' }, async () => { seen['payments beside a sleep'] += 1; await setTimeout(3000) })
  await Promise.all([pay, step.sleep('reminder', '1s')])
})
const worker = workflows.newWorker({ concurrency: 3 })
await worker.start()
for (const workflow of [caught, raised, reminded]) await (await workflow.run()).result({ timeoutMs: 30_000 }).catch(() => {})
await worker.stop()
console.log(seen)
assert.deepStrictEqual(seen, {
  'tries of a step whose error is caught': 1,
  'tries of a step whose error is not': 3,
  'given back': 1,
  'payments beside a sleep': 2,
}, 'this has changed')
process.exit()
JS
node run.mjs "$(cat port)"
