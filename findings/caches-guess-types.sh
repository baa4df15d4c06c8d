#!/usr/bin/env bash
# unstorage 1.17.6 and @upstash/redis 1.39.0 on Node.js 20, seen on 2026-12-01.
# One would guess: a text that was stored comes back as that text.
# What happens: what looks like a number comes back as one. unstorage: 10.50 is 10.5, the id 9007199254740993 another, the reference 1E45678
# is Infinity, but seventeen digits are text. @upstash/redis: 10.50 is text and 10.51 a number, for a number must be written as JavaScript
# would.
# Why it matters: amounts of two decimals that end with a zero are texts and the others numbers, so sums and comparisons go wrong for nine in ten; two
# orders have one id.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save unstorage@1.17.6 destr@2.0.5 @upstash/redis@1.39.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import http from 'http'
import { Redis } from '@upstash/redis'
import { createStorage } from 'unstorage'
import fs from 'unstorage/drivers/fs'

// The REST interface of the database, as far as GET and SET of one key go: texts come back in Base64.
let stored
const answer = ([command, , value]) => ({ result: command === 'get' ? Buffer.from(stored).toString('base64') : ((stored = String(value)), 'OK') })
const server = http.createServer(async (request, response) => {
  const commands = JSON.parse((await request.toArray()).join(''))
  response.end(JSON.stringify(Array.isArray(commands[0]) ? commands.map(answer) : answer(commands)))
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const redis = new Redis({ url: `http://127.0.0.1:${server.address().port}`, token: 'shop', enableTelemetry: false })
const storage = createStorage({ driver: fs({ base: './data' }) })
const seen = {}
for (const text of ['10.50', '10.51', '00123', '9007199254740993', '20261129000000001', '1E45678']) {
  await storage.setItem('order', text)
  await redis.set('order', text)
  assert.strictEqual(stored, text)
  seen[`text ${text}`] = [await storage.getItem('order'), await redis.get('order')]
}
console.log(seen)
assert.deepStrictEqual(seen, {
  'text 10.50': [10.5, '10.50'],
  'text 10.51': [10.51, 10.51],
  'text 00123': ['00123', '00123'],
  'text 9007199254740993': [9007199254740992, '9007199254740993'],
  'text 20261129000000001': ['20261129000000001', '20261129000000001'],
  'text 1E45678': [Infinity, '1E45678'],
}, 'this has changed')
server.close()
JS
node run.mjs
