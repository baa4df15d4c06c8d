#!/usr/bin/env bash
# axios-retry 4.5.0 with axios 1.21.1, and wretch 2.11.1, seen on 2026-11-28.
# One would guess: both repeat a POST alike, for an answer of 503 and for a broken connection, or repeat none, since a POST is not idempotent.
# What happens: axios-retry repeats no POST that was answered with 503, and each one whose connection broke before the answer: three
# retries are four orders. wretch does the reverse, and `maxAttempts: 3` makes four requests.
# Why it matters: where an answer was lost the write may have taken effect. That is the case in which it must not be sent again.
# Known to: [Unknown outcomes](../docs/outcomes.md): this SDK repeats a write only if no byte of its body was sent, and else asks for it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save axios-retry@4.5.0 axios@1.21.1 wretch@2.11.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import http from 'http'
import axios from 'axios'
import axiosRetry from 'axios-retry'
import wretch from 'wretch'
import { retry } from 'wretch/middlewares'

let orders = 0
const shop = http.createServer((request, response) => {
  request.resume().on('end', () => {
    orders += 1
    if (request.url === '/lost') request.socket.destroy()
    else response.writeHead(503).end()
  })
})
await new Promise((done) => shop.listen(0, '127.0.0.1', done))
const client = axios.create()
axiosRetry(client, { retries: 3 })
const other = wretch().middlewares([retry({ delayTimer: 5, maxAttempts: 3 })])
const calls = { 'axios-retry': (url) => client.post(url, {}), wretch: (url) => other.url(url).post({}).res() }
const seen = {}
for (const [name, call] of Object.entries(calls)) {
  for (const path of ['/503', '/lost']) {
    orders = 0
    await call(`http://127.0.0.1:${shop.address().port}${path}`).catch(() => {})
    seen[name + path] = orders
  }
}
console.log(seen)
assert.deepStrictEqual(seen, { 'axios-retry/503': 1, 'axios-retry/lost': 4, 'wretch/503': 4, 'wretch/lost': 1 }, 'this has changed')
process.exit(0)
JS
node run.mjs
