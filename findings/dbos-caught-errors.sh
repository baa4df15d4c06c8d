#!/usr/bin/env bash
# @dbos-inc/dbos-sdk 5.3.0, on PostgreSQL (pglite 0.5.14), seen on 2026-12-01.
# One would guess: after a crash a workflow sees what it saw before it: a step's error is of its class again, as its Date, Map and bigint
# are.
# What happens: the error is of the class Error, with the name, the message and the members of the one that was thrown. `instanceof
# Declined` held before the crash and does not after it: the workflow that asked for another card now ends with an error.
# Why it matters: an order that was declined, and that the customer pays otherwise, fails when its process is started anew.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @dbos-inc/dbos-sdk@5.3.0 @electric-sql/pglite-socket@0.2.17 @electric-sql/pglite@0.5.14 \
  || exit 2
cat >server.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
const server = new PGLiteSocketServer({ db: await PGlite.create(), port: 0, host: "127.0.0.1", maxConnections: 30 })
server.addEventListener("listening", (event) => console.log(event.detail.port))
await server.start()
JS
node server.mjs >port &
server=$!
trap 'kill "$server"; rm -rf "$folder"' EXIT
until [ -s port ]; do kill -0 "$server"; sleep 0.1; done
cat >run.mjs <<'JS'
import { DBOS } from '@dbos-inc/dbos-sdk'

const [port, first] = process.argv.slice(2)
class Declined extends Error {
  name = 'Declined'
  code = 51
}
const step = (name, act) => DBOS.runStep(act, { name })
const pay = DBOS.registerWorkflow(async () => {
  const found = await step('find', async () => ({ at: new Date(0), fees: new Map(), number: 1n }))
  console.log(found.at.constructor.name, found.fees.constructor.name, typeof found.number)
  try {
    await step('charge', async () => { throw new Declined('no funds') })
  } catch (error) {
    console.log(error.constructor.name, error instanceof Declined, error.name, error.message, error.code)
    if (!(error instanceof Declined)) throw error
  }
  return await step('ask for another card', async () => {
    if (first) process.exit(0)
    return 'asked'
  })
}, { name: 'pay' })
DBOS.setConfig({
  name: 'shop', systemDatabaseUrl: `postgresql://postgres:postgres@127.0.0.1:${port}/postgres`, logLevel: 'error', runAdminServer: false
})
await DBOS.launch()
if (first) await DBOS.startWorkflow(pay, { workflowID: 'ORD-1' })()
const ended = await DBOS.retrieveWorkflow('ORD-1').getResult().catch((error) => `failed: ${error.message}`)
console.log(ended)
process.exit(0)
JS
export NODE_NO_WARNINGS=1
node run.mjs "$(cat port)" first | tee seen
echo 'started anew' | tee -a seen
node run.mjs "$(cat port)" 2>errors | tee -a seen
cat >expected <<'EOF'
Date Map bigint
Declined true Declined no funds 51
started anew
Date Map bigint
Error false Declined no funds 51
failed: no funds
EOF
diff expected seen || { echo 'this has changed'; exit 1; }
