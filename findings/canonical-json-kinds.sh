#!/usr/bin/env bash
# canonicalize 5.1.0, json-canonicalize 3.0.1, canonical-json 0.4.0 and sort-keys 6.0.1 on Node.js 20, seen on 2026-12-01.
# One would guess: libraries for canonical JSON, two of them for RFC 8785, write one text for one object, with the members in order.
# What happens: of an amount with a `toJSON`, canonicalize sorts the members, json-canonicalize leaves them in their own order, and
# canonical-json writes {}. canonical-json and sort-keys put 9 before 10, as JavaScript keeps such members by number; the RFC has 10 first.
# Why it matters: an order that has an object of a class for its amount, or lines by number, is refused for its signature, or signed without
# the amount.
# Known to: the receiver takes bytes as they came.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save canonicalize@5.1.0 json-canonicalize@3.0.1 canonical-json@0.4.0 sort-keys@6.0.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import canonicalJson from 'canonical-json'
import canonicalize from 'canonicalize'
import * as jsonCanonicalize from 'json-canonicalize'
import sortKeys from 'sort-keys'

class Money {
  #minor = 1050n
  toJSON() {
    return { value: String(this.#minor), currency: 'USD' }
  }
}
const writers = {
  canonicalize,
  'json-canonicalize': jsonCanonicalize.canonicalize,
  'canonical-json': (order) => canonicalJson(order),
  'sort-keys': (order) => JSON.stringify(sortKeys(order, { deep: true })),
}
const seen = Object.fromEntries(
  Object.entries(writers).map(([name, write]) => [name, [write({ amount: new Money() }), write({ 10: 'b', 9: 'a' })]]),
)
console.log(seen)
const [sorted, unsorted] = ['{"amount":{"currency":"USD","value":"1050"}}', '{"amount":{"value":"1050","currency":"USD"}}']
const [asText, byNumber] = ['{"10":"b","9":"a"}', '{"9":"a","10":"b"}']
assert.deepStrictEqual(seen, {
  canonicalize: [sorted, asText],
  'json-canonicalize': [unsorted, asText],
  'canonical-json': ['{"amount":{}}', byNumber],
  'sort-keys': [unsorted, byNumber],
}, 'this has changed')
JS
node run.mjs
