#!/usr/bin/env bash
# mountebank 2.9.1, seen on 2026-11-28.
# One would guess: a proxy that records passes each answer on byte for byte, and replays what it recorded.
# What happens: an answer in JSON is parsed and written anew on its way, with line breaks: 10.50 is 10.5, a number of twenty digits is
# rounded, \/ is /, and the header `sign` of the old bytes stays. An answer that is compressed passes as it was.
# Why it matters: no signature verifies through it, and one does as soon as the server compresses. The recording proves nothing.
# Known to: [When a signature fails](../docs/signatures.md), and the diagnosis of a refused signature, which tries numbers with two decimals.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save --ignore-scripts mountebank@2.9.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import http from 'http'
import zlib from 'zlib'
import { createRequire } from 'module'

const answer = '{"amount": 10.50, "id": 12345678901234567890, "url": "a\\/b"}'
const gateway = http.createServer((request, response) => {
  const squeezed = request.url === '/gzip'
  response.writeHead(200, { 'content-type': 'application/json', sign: 'abc', ...(squeezed && { 'content-encoding': 'gzip' }) })
  response.end(squeezed ? zlib.gzipSync(answer) : answer)
})
const listening = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)))
const to = `http://127.0.0.1:${await listening(gateway)}`
const free = http.createServer()
const port = await listening(free)
await new Promise((done) => free.close(done))
const mountebank = await createRequire(import.meta.url)('mountebank').create({ port, host: '127.0.0.1', loglevel: 'error', nologfile: true, ipWhitelist: ['*'] })
const made = await fetch(`http://127.0.0.1:${port}/imposters`, {
  method: 'POST',
  body: JSON.stringify({ protocol: 'http', stubs: [{ responses: [{ proxy: { to, mode: 'proxyTransparent' } }] }] }),
})
const proxy = `http://127.0.0.1:${(await made.json()).port}`
const seen = []
for (const path of ['/plain', '/gzip']) {
  const response = await fetch(proxy + path)
  seen.push([path, response.headers.get('sign'), (await response.text()).replace(/\n */g, '~')])
}
console.log(seen)
assert.deepStrictEqual(seen, [
  ['/plain', 'abc', '{~"amount": 10.5,~"id": 12345678901234567000,~"url": "a/b"~}'],
  ['/gzip', 'abc', answer],
], 'this has changed')
process.exit(0)
JS
node run.mjs
