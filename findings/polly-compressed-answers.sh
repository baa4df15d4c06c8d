#!/usr/bin/env bash
# @pollyjs/core 6.0.6 with adapter-node-http 6.0.6 and persister-fs 6.0.6, seen on 2026-11-29.
# One would guess: its recordings are HAR 1.2, as it says: a compressed answer stands in them unpacked, as text or in Base64.
# What happens: `encoding` is base64, but the text is a list in JSON, of the Base64 of each chunk that arrived, still compressed.
# Why it matters: who reads the file as HAR gets no body or garbage. In fact it is more than HAR has: the exact bytes that were signed.
# Known to: the audit reads them so: `tests/audit/input/test_inputs.py`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @pollyjs/core@6.0.6 @pollyjs/adapter-node-http@6.0.6 @pollyjs/persister-fs@6.0.6 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const fs = require('fs')
const http = require('http')
const path = require('path')
const zlib = require('zlib')
const { Polly } = require('@pollyjs/core')

const body = '{"amount": 10.50}'
const gateway = http.createServer((request, response) => {
  const squeezed = request.url === '/gzip'
  response.writeHead(200, { 'content-type': 'application/json', ...(squeezed && { 'content-encoding': 'gzip' }) })
  response.end(squeezed ? zlib.gzipSync(body) : body)
})
const named = (given) => given.default || given
gateway.listen(0, '127.0.0.1', async () => {
  const polly = new Polly('shop', {
    adapters: [named(require('@pollyjs/adapter-node-http'))],
    persister: named(require('@pollyjs/persister-fs')),
    persisterOptions: { fs: { recordingsDir: 'recordings' } },
    logLevel: 'silent',
  })
  for (const to of ['/plain', '/gzip']) {
    await new Promise((done) => http.get({ port: gateway.address().port, host: '127.0.0.1', path: to }, (answer) => answer.resume().on('end', done)))
  }
  await polly.stop()
  const [file] = fs.readdirSync('recordings', { recursive: true }).filter((name) => name.endsWith('.har'))
  const { entries } = JSON.parse(fs.readFileSync(path.join('recordings', file), 'utf8')).log
  const [plain, squeezed] = ['/plain', '/gzip'].map((to) => entries.find((entry) => entry.request.url.endsWith(to)).response.content)
  const chunks = JSON.parse(squeezed.text).map((chunk) => Buffer.from(chunk, 'base64'))
  const seen = [plain.text, squeezed.encoding, squeezed.text.slice(0, 7), zlib.gunzipSync(Buffer.concat(chunks)).toString()]
  console.log(seen)
  assert.deepStrictEqual(seen, [body, 'base64', '["H4sIA', body], 'this has changed')
  process.exit(0)
})
JS
node run.cjs
