#!/usr/bin/env bash
# undici 7.30.2 on Node.js 20, seen on 2026-12-01.
# One would guess: an answer that broke off is asked for anew, or its rest only if a strong ETag says that it is the same one.
# What happens: RetryAgent asks for the rest, also without an ETag or with a weak one, and puts it behind what it has. If the list has
# changed and kept its length, as from "pending" to "settled", the caller gets one that never was, with status 200 and no error.
# Why it matters: a reconciliation reads half of the orders as they were, half as they are.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save undici@7.30.2 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import http from 'node:http'
import { Agent, RetryAgent, request } from 'undici'

const list = (status) => JSON.stringify(Array.from({ length: 40 }, (_, order) => ({ order, status })))
const seen = {}
for (const [kind, tags] of Object.entries({ none: [], weak: ['W/"1"', 'W/"2"'], strong: ['"1"', '"2"'] })) {
  let asked = 0
  const server = http.createServer((question, answer) => {
    const text = list(asked === 0 ? 'pending' : 'settled')
    if (tags[asked]) answer.setHeader('etag', tags[asked])
    asked += 1
    const range = /^bytes=(\d+)-/.exec(question.headers.range)
    const start = range ? Number(range[1]) : 0
    answer.setHeader('content-length', text.length - start)
    if (range) answer.setHeader('content-range', `bytes ${start}-${text.length - 1}/${text.length}`)
    answer.writeHead(range ? 206 : 200)
    if (asked > 1) return answer.end(text.slice(start))
    answer.write(text.slice(0, 700))
    setTimeout(() => question.socket.destroy(), 100)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const dispatcher = new RetryAgent(new Agent(), { minTimeout: 10 })
  try {
    const answer = await request(`http://127.0.0.1:${server.address().port}/orders`, { dispatcher })
    const orders = await answer.body.json()
    seen[kind] = `${answer.statusCode}: ${[...new Set(orders.map(({ status }) => status))].join(' and ')}`
  } catch (error) {
    seen[kind] = error.message
  }
  server.close()
}
console.log(seen)
assert.deepStrictEqual(seen, { none: '200: pending and settled', weak: '200: pending and settled', strong: 'ETag mismatch' }, 'this has changed')
process.exit(0)
JS
node run.mjs
