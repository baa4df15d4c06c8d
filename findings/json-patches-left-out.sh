#!/usr/bin/env bash
# json-patch-gen 1.0.2, just-diff 6.0.2 and immutable-json-patch 6.0.3, with rfc6902 5.4.0 and fast-json-patch 3.1.1, seen on 2026-12-01.
# One would guess: a JSON Patch that one library makes of two documents brings the first to the second with any other.
# What happens: json-patch-gen has no change from an empty object to null. just-diff does not escape: the patch
# for the member "2026/11" changes member 11 of "2026" instead. immutable-json-patch does not remove the member "-", and adds "undefined".
# Why it matters: a change of an order is not seen, or made to another; nothing is said.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save json-patch-gen@1.0.2 just-diff@6.0.2 immutable-json-patch@6.0.3 rfc6902@5.4.0 \
  fast-json-patch@3.1.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'
import { immutableJSONPatch } from 'immutable-json-patch'
import { diff, jsonPatchPathConverter } from 'just-diff'
import { createPatch } from 'rfc6902'

const require = createRequire(import.meta.url)
const { applyPatch, compare } = require('fast-json-patch')
const makers = {
  rfc6902: createPatch,
  'fast-json-patch': compare,
  'json-patch-gen': require('json-patch-gen'),
  'just-diff': (before, after) => diff(before, after, jsonPatchPathConverter)
}
const documents = {
  'empty to null': [{ lines: [], note: {} }, { lines: null, note: null }],
  'text to null': [{ note: 'x' }, { note: null }],
  'a slash': [{ 2026: { 11: 'open' }, '2026/11': 'open' }, { 2026: { 11: 'open' }, '2026/11': 'paid' }],
  'a dash': [{ fees: { '-': 1 } }, { fees: {} }],
  'a dash added': [{ fees: {} }, { fees: { '-': 1 } }]
}
const seen = {}
for (const [maker, make] of Object.entries(makers)) {
  for (const [name, [before, after]] of Object.entries(documents)) {
    const patch = make(structuredClone(before), structuredClone(after))
    const one = applyPatch(structuredClone(before), structuredClone(patch)).newDocument
    const other = immutableJSONPatch(before, patch)
    const wrong = [one, other].map((made) => JSON.stringify(made)).map((made) => (made === JSON.stringify(after) ? 'right' : made))
    if (wrong.some((made) => made !== 'right')) seen[`${maker}, ${name}`] = wrong
  }
}
console.log(seen)
const dash = ['right', '{"fees":{"-":1}}']
const added = ['right', '{"fees":{"undefined":1}}']
assert.deepStrictEqual(seen, {
  'rfc6902, a dash': dash,
  'rfc6902, a dash added': added,
  'fast-json-patch, a dash': dash,
  'fast-json-patch, a dash added': added,
  'json-patch-gen, empty to null': Array(2).fill('{"lines":null,"note":{}}'),
  'json-patch-gen, a dash': dash,
  'json-patch-gen, a dash added': added,
  'just-diff, a slash': Array(2).fill('{"2026":{"11":"paid"},"2026/11":"open"}'),
  'just-diff, a dash': dash,
  'just-diff, a dash added': added
}, 'this has changed')
JS
node run.mjs
