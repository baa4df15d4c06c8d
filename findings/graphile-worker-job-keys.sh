#!/usr/bin/env bash
# graphile-worker 0.18.0, on PostgreSQL (pglite 0.5.14), seen on 2026-11-30.
# One would guess: a job that is added with a `jobKey` whose job is running is left out, or runs after it: one key is one job.
# What happens: before the job begins, the newer replaces it. Once it runs, the newer one begins beside it, and both end.
# Why it matters: a refund that is asked for again while the first call waits for the gateway is sent twice at once.
# Known to: [Place orders from a task queue](../docs/queues.md): the key of the order is made before the job.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save graphile-worker@0.18.0 @electric-sql/pglite-socket@0.2.17 @electric-sql/pglite@0.5.14 \
  || exit 2
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
import { Logger, makeWorkerUtils, run } from 'graphile-worker'

const connectionString = `postgresql://postgres:postgres@127.0.0.1:${process.argv[2]}/postgres`
const options = { connectionString, noPreparedStatements: true, logger: new Logger(() => () => {}) }
const utils = await makeWorkerUtils(options)
await utils.migrate()
const seen = []
let end
const ended = new Promise((resolve) => { end = resolve })
const refund = async ({ number }) => {
  seen.push(`begin ${number}`)
  await ended
  seen.push(`end ${number}`)
}
const until = async (count) => {
  for (let waited = 0; waited < 600 && seen.length < count; waited++) await setTimeout(100)
}
await utils.addJob('refund', { number: 1 }, { jobKey: 'RF_1' })
await utils.addJob('refund', { number: 2 }, { jobKey: 'RF_1' })
const runner = await run({ ...options, concurrency: 2, pollInterval: 200, noHandleSignals: true, taskList: { refund } })
await until(1)
await utils.addJob('refund', { number: 3 }, { jobKey: 'RF_1' })
await until(2)
end()
await until(4)
console.log(seen)
assert.deepStrictEqual(seen, ['begin 2', 'begin 3', 'end 2', 'end 3'], 'this has changed')
await runner.stop()
process.exit(0)
JS
node run.mjs "$(cat port)"
