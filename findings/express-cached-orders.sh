#!/usr/bin/env bash
# apicache 1.6.3, route-cache 0.7.1, cache-express 1.2.0, apicache-plus 2.3.1 and express-expeditious 5.1.1 with express 5.3.0,
# seen on 2026-12-01.
# One would guess: a cache of answers keeps those to GET, or counts method and body among what it looks for.
# What happens: the first three look for the URL alone. A second order that is sent to the same path is not made, and its sender gets the
# first one's answer with 200; so does a DELETE. With the last two each order is made.
# Why it matters: who caches a router for its reads answers orders and webhooks of five minutes with one answer.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save express@5.3.0 apicache@1.6.3 route-cache@0.7.1 cache-express@1.2.0 apicache-plus@2.3.1 \
  express-expeditious@5.1.1 expeditious-engine-memory@0.2.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'
import express from 'express'

const require = createRequire(import.meta.url)
const caches = {
  apicache: require('apicache').middleware('5 minutes'),
  'route-cache': require('route-cache').cacheSeconds(300),
  'cache-express': require('cache-express')({ timeOut: 300000 }),
  'apicache-plus': require('apicache-plus')('5 minutes'),
  'express-expeditious': require('express-expeditious')({
    namespace: 'orders', defaultTtl: '5 minutes', engine: require('expeditious-engine-memory')()
  })
}
const seen = {}
for (const [name, cache] of Object.entries(caches)) {
  const made = []
  const app = express()
  app.use(express.json())
  app.use(cache)
  app.all('/orders', (request, response) => {
    made.push(`${request.method} ${request.body.order}`)
    response.json({ made: made.at(-1) })
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const ask = async (method, order) => {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/orders`, {
      method, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ order })
    })
    return `${answer.status} ${(await answer.json()).made}`
  }
  const answers = [await ask('POST', 'A'), await ask('POST', 'B'), await ask('DELETE', 'A')]
  seen[name] = { made, answers }
  server.close()
}
console.log(JSON.stringify(seen, null, 1))
const one = { made: ['POST A'], answers: ['200 POST A', '200 POST A', '200 POST A'] }
const all = { made: ['POST A', 'POST B', 'DELETE A'], answers: ['200 POST A', '200 POST B', '200 DELETE A'] }
assert.deepStrictEqual(seen, {
  apicache: one, 'route-cache': one, 'cache-express': one, 'apicache-plus': all, 'express-expeditious': all
}, 'this has changed')
process.exit(0)
JS
node run.mjs
