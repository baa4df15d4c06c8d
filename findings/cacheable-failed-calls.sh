#!/usr/bin/env bash
# cacheable 2.5.0, seen on 2026-12-01.
# One would guess: a function that is wrapped to keep its results throws what it throws; its README says that it "will return the error".
# What happens: the caller gets undefined, and no error, from `wrap`, though `throwErrors` is asked for, from `wrapSync` and from
# `getOrSet`, unless `throwErrors` is asked for. The error is an event of the cache. What returned undefined is called again each time, null
# is kept.
# Why it matters: a rate, a limit or a refund that could not be asked for is undefined, and `total * undefined` goes on as NaN; a try around
# the call sees nothing.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save cacheable@2.5.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { Cacheable, CacheableMemory } from 'cacheable'

const cache = new Cacheable()
const memory = new CacheableMemory()
const lost = async () => { throw new Error('gateway lost') }
const seen = {}
const ask = async (name, call) => {
  try {
    seen[name] = await call()
  } catch (error) {
    seen[name] = error.message
  }
}
await ask('wrap', () => cache.wrap(lost, { ttl: '1h', keyPrefix: 'a' })('USD'))
await ask('wrap, throwErrors', () => cache.wrap(lost, { ttl: '1h', keyPrefix: 'c', throwErrors: true })('USD'))
await ask('wrapSync', () => memory.wrap(() => { throw new Error('gateway lost') }, { ttl: '1h', keyPrefix: 'b' })('USD'))
await ask('getOrSet', () => cache.getOrSet('USD', lost))
await ask('getOrSet, throwErrors', () => cache.getOrSet('USD', lost, { throwErrors: true }))
const count = async (result) => {
  let calls = 0
  const call = cache.wrap(async () => { calls += 1; return result }, { ttl: '1h', keyPrefix: `of ${result}` })
  await call('USD')
  await call('USD')
  return calls
}
seen['calls of undefined'] = await count(undefined)
seen['calls of null'] = await count(null)
console.log(seen)
assert.deepStrictEqual(seen, {
  wrap: undefined, 'wrap, throwErrors': undefined, wrapSync: undefined, getOrSet: undefined, 'getOrSet, throwErrors': 'gateway lost',
  'calls of undefined': 2, 'calls of null': 1
}, 'this has changed')
JS
node run.mjs
