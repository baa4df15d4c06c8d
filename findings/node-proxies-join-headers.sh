#!/usr/bin/env bash
# http-proxy-3 1.23.3 on Node.js 20, seen on 2026-11-29.
# One would guess: a proxy hands on two headers of one name as two, as nginx, HAProxy and Caddy do.
# What happens: it sends one, `sign: a, b`, in the request as in the answer.
# Why it matters: two signatures are a fault that a receiver names. Behind this proxy it sees one that is no Base64.
# Known to: the receiver and the client name it `several_signatures`: `tests/runtime/client/test_outcomes.py`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save http-proxy-3@1.23.3 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const http = require('http')
const { createProxyServer } = require('http-proxy-3')

const signs = (raw) => raw.filter((_, index) => index % 2 && raw[index - 1].toLowerCase() === 'sign')
const listening = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)))
;(async () => {
  let asked
  const shop = http.createServer((request, response) => {
    asked = signs(request.rawHeaders)
    response.writeHead(200, ['sign', 'c', 'sign', 'd'])
    response.end('success')
  })
  const target = `http://127.0.0.1:${await listening(shop)}`
  const proxy = createProxyServer({ target })
  const ports = [new URL(target).port, await listening(http.createServer((request, response) => proxy.web(request, response)))]
  const seen = []
  for (const port of ports) {
    const answered = await new Promise((done) => {
      const headers = ['host', 'shop', 'sign', 'a', 'sign', 'b']
      const request = http.request({ port, host: '127.0.0.1', method: 'POST', headers })
      request.on('response', (response) => response.resume().on('end', () => done(signs(response.rawHeaders)))).end('{}')
    })
    seen.push([asked, answered])
  }
  console.log(JSON.stringify(seen))
  assert.deepStrictEqual(seen, [[['a', 'b'], ['c', 'd']], [['a, b'], ['c, d']]], 'this has changed')
  process.exit(0)
})()
JS
node run.cjs
