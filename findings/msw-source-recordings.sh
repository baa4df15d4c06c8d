#!/usr/bin/env bash
# @mswjs/source 0.5.0 and msw 2.15.0, seen on 2026-12-01.
# One would guess: handlers made of a HAR answer each request as it was answered, or not at all; a body in Base64 is unpacked.
# What happens: a request is known by method and URL, and each takes the next answer of these, whatever its body: A-2 is told that A-1 was
# paid with 10.50, and A-9, which nobody has recorded, that it was paid with 99.00. A body in Base64 is answered as that text, as JSON.
# Why it matters: tests against a recording pass with the answer of another order, and bytes that a signature covers are other bytes.
# Known to: the audit unpacks Base64 of a HAR, and knows the body of each request.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @mswjs/source@0.5.0 msw@2.15.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { getResponse } from 'msw'
import { fromTraffic } from '@mswjs/source/traffic'

const url = 'https://shop.example/pay'
const common = { httpVersion: 'HTTP/1.1', cookies: [], headers: [], headersSize: -1, bodySize: -1 }
const entry = (method, url, status, content, text) => ({
  startedDateTime: '2026-12-01T09:00:00.000Z',
  time: 5,
  request: { ...common, method, url, queryString: [], ...(text && { postData: { mimeType: 'application/json', text } }) },
  response: {
    ...common, status, statusText: '', redirectURL: '', headers: [{ name: 'Content-Type', value: 'application/json' }],
    content: { size: 20, mimeType: 'application/json', ...content }
  },
  cache: {},
  timings: { send: 0, wait: 5, receive: 0 }
})
const bytes = Buffer.from('{"status":"settled"}')
const handlers = fromTraffic({
  log: {
    version: '1.2',
    creator: { name: 'recorder', version: '1' },
    entries: [
      entry('POST', url, 201, { text: '{"order":"A-1","paid":"10.50"}' }, '{"order":"A-1"}'),
      entry('POST', url, 201, { text: '{"order":"A-2","paid":"99.00"}' }, '{"order":"A-2"}'),
      entry('GET', `${url}/A-1`, 200, { text: bytes.toString('base64'), encoding: 'base64' })
    ]
  }
})
const ask = async (method, url, body) => {
  const answer = await getResponse(handlers, new Request(url, { method, body }))
  return `${answer.status} ${await answer.text()}`
}
const seen = {}
for (const order of ['A-2', 'A-1', 'A-9']) seen[order] = await ask('POST', url, JSON.stringify({ order }))
seen.base64 = await ask('GET', `${url}/A-1`)
console.log(seen)
assert.deepStrictEqual(seen, {
  'A-2': '201 {"order":"A-1","paid":"10.50"}',
  'A-1': '201 {"order":"A-2","paid":"99.00"}',
  'A-9': '201 {"order":"A-2","paid":"99.00"}',
  base64: `200 ${bytes.toString('base64')}`
}, 'this has changed')
JS
node run.mjs
