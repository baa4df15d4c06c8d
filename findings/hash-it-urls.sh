#!/usr/bin/env bash
# hash-it 7.0.2, hash-sum 2.0.0, object-hash 3.0.0 and ohash 2.0.12, seen on 2026-11-30.
# One would guess: a hash of any object is that of its value, as the README of hash-it says, or an object of an unknown class is refused.
# What happens: to hash-it any two URL are one, with their paths and orders, and so are any two URLSearchParams, FormData and Headers; to
# hash-sum any two Map, Set, FormData and Headers. object-hash and ohash tell them apart, or refuse: object-hash FormData and URLSearchParams.
# Why it matters: a key of idempotency, or of a cache, that is a hash of the request is the same for each order that is asked for.
# Known to: the SDK's keys are texts of the caller: docs/outcomes.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save hash-it@7.0.2 hash-sum@2.0.0 object-hash@3.0.0 ohash@2.0.12 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'
import { hash as hashIt } from 'hash-it'
import { hash as ohash } from 'ohash'

const require = createRequire(import.meta.url)
const hashes = { 'hash-it': hashIt, 'hash-sum': require('hash-sum'), 'object-hash': require('object-hash'), ohash }
const form = (order) => { const made = new FormData(); made.append('order', order); return made }
const made = {
  URL: (order) => new URL('https://shop.example/orders/' + order),
  URLSearchParams: (order) => new URLSearchParams({ order }),
  FormData: form,
  Headers: (order) => new Headers({ order }),
  Map: (order) => new Map([['order', order]]),
  Set: (order) => new Set([order])
}
const told = (hash, make) => {
  try { return hash({ body: make('ORD-1') }) === hash({ body: make('ORD-2') }) ? 'one' : 'two' } catch { return 'refused' }
}
const seen = Object.fromEntries(Object.entries(hashes).map(([name, hash]) => [name, Object.values(made).map((make) => told(hash, make)).join(' ')]))
console.log(Object.keys(made).join(' '), seen)
assert.deepStrictEqual(seen, {
  'hash-it': 'one one one one two two',
  'hash-sum': 'two two one one one one',
  'object-hash': 'two refused refused refused two two',
  ohash: 'two two two two two two'
}, 'this has changed')
JS
node run.mjs
