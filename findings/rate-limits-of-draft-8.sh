#!/usr/bin/env bash
# express-rate-limit 8.7.4 and ratelimit-header-parser 0.1.0, seen on 2026-12-01.
# One would guess: the parser of the same makers reads the headers of each draft that the limiter writes, or gives nothing for one that it
# does not know.
# What happens: of draft 8 the limit, what is left and the time are NaN and "Invalid Date", and no error is raised; headers of the older
# form that stand beside them are not looked at. Who waits until that time does not wait, and nothing left is not less than one.
# Why it matters: when the server takes up draft 8, a client that waited a minute asks again at once, each time, and is refused each time.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save express@5.3.0 express-rate-limit@8.7.4 ratelimit-header-parser@0.1.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { parseRateLimit } from 'ratelimit-header-parser'

process.removeAllListeners('warning')
const app = express()
const shop = { windowMs: 2000, limit: 1 }
app.get('/draft-6', rateLimit({ ...shop, standardHeaders: 'draft-6', legacyHeaders: false }), (request, response) => response.send('ok'))
app.get('/draft-7', rateLimit({ ...shop, standardHeaders: 'draft-7', legacyHeaders: false }), (request, response) => response.send('ok'))
app.get('/draft-8', rateLimit({ ...shop, standardHeaders: 'draft-8', legacyHeaders: false }), (request, response) => response.send('ok'))
app.get('/legacy', rateLimit({ ...shop, standardHeaders: false }), (request, response) => response.send('ok'))
app.get('/both', rateLimit({ ...shop, standardHeaders: 'draft-8' }), (request, response) => response.send('ok'))
const server = app.listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))

const seen = {}
for (const path of ['draft-6', 'draft-7', 'draft-8', 'legacy', 'both']) {
  const url = `http://127.0.0.1:${server.address().port}/${path}`
  await fetch(url)
  let refused = 0
  let limit
  while (refused < 20) {
    const response = await fetch(url)
    if (response.ok) break
    refused += 1
    limit = parseRateLimit(response)
    await sleep(limit.reset - Date.now() + 50)
  }
  seen[path] = { limit: limit.limit, left: limit.remaining, 'refused often': refused > 5 }
}
server.close()
console.log(seen)
const read = { limit: 1, left: 0, 'refused often': false }
const unread = { limit: NaN, left: NaN, 'refused often': true }
assert.deepStrictEqual(seen, { 'draft-6': read, 'draft-7': read, 'draft-8': unread, legacy: read, both: unread }, 'this has changed')
JS
node run.mjs
