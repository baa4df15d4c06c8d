#!/usr/bin/env bash
# express 5.3.0 and @koa/bodyparser 6.1.0 with koa 3.2.1 on Node.js 20, seen on 2026-11-29.
# One would guess: `express.raw()`, the `verify` of `express.json()` and koa's `rawBody` give the bytes of the body as they came.
# What happens: a compressed body is unpacked first, while the headers still say `content-encoding: gzip`; koa gives text.
# Why it matters: a signature over what was sent does not verify, one over what was packed does; and who unpacks by the header fails.
# `inflate: false` answers 415 instead.
# Known to: the receiver takes bytes as they came: docs/servers.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save express@5.3.0 koa@3.2.1 @koa/bodyparser@6.1.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const http = require('http')
const zlib = require('zlib')
const express = require('express')
const Koa = require('koa')
const { bodyParser } = require('@koa/bodyparser')

const body = Buffer.from('{"amount": 10.50}')
const sent = zlib.gzipSync(body)
const name = (given) => (typeof given === 'string' ? 'text' : given.equals(sent) ? 'sent' : given.equals(body) ? 'unpacked' : 'other')
let seen
const keep = (given, headers) => (seen = [name(given), headers['content-encoding']])
const app = express()
app.post('/raw', express.raw({ type: '*/*' }), (request, response) => response.end(String(keep(request.body, request.headers))))
app.post('/json', express.json({ verify: (request, _, given) => keep(given, request.headers) }), (_, response) => response.end())
app.post('/strict', express.raw({ type: '*/*', inflate: false }), (_, response) => response.end())
app.use((error, _request, response, _next) => response.status(error.status).end())
const koa = new Koa().use(bodyParser()).use((context) => (context.body = String(keep(context.request.rawBody, context.headers))))
const ask = (listener, path) =>
  new Promise((done) => {
    const server = http.createServer(listener).listen(0, '127.0.0.1', () => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      const request = http.request({ port: server.address().port, host: '127.0.0.1', method: 'POST', path, headers })
      request.on('response', (response) => response.resume().on('end', () => done(response.statusCode))).end(sent)
    })
  })
;(async () => {
  const all = {}
  for (const [what, listener, path] of [['raw', app, '/raw'], ['json', app, '/json'], ['koa', koa.callback(), '/']]) {
    await ask(listener, path)
    all[what] = seen
  }
  all.strict = await ask(app, '/strict')
  console.log(all)
  const unpacked = ['unpacked', 'gzip']
  assert.deepStrictEqual(all, { raw: unpacked, json: unpacked, koa: ['text', 'gzip'], strict: 415 }, 'this has changed')
  process.exit(0)
})()
JS
node run.cjs
