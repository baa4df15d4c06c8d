#!/usr/bin/env bash
# @automerge/automerge 3.5.0, seen on 2026-12-01.
# One would guess: a Counter takes what is added, or refuses a part of one; a number that is too large is refused or a double.
# What happens: the part after the point is left out, without a word: ten times 0.99 is 0, 10.5 is 10 and -10.5 is -10. A whole number
# beyond 2^53 comes back as BigInt, which cannot be added to a number, and each from 2^63 on is 9223372036854775807n.
# Why it matters: a balance that two tills add to is short by the cents of each payment; in smallest units it is right.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @automerge/automerge@3.5.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('node:assert')
const Automerge = require('@automerge/automerge')

const counted = (...amounts) => {
  let document = Automerge.from({ balance: new Automerge.Counter() })
  for (const amount of amounts) document = Automerge.change(document, (draft) => { draft.balance.increment(amount) })
  return document.balance.value
}
const kept = (number) => Automerge.load(Automerge.save(Automerge.from({ number }))).number
const seen = {
  'ten times 0.99': counted(...Array(10).fill(0.99)),
  10.5: counted(10.5),
  '-10.5': counted(-10.5),
  '2^53 + 2': kept(2 ** 53 + 2),
  '1e19': kept(1e19),
  '1e20': kept(1e20)
}
console.log(seen)
assert.deepStrictEqual(seen, {
  'ten times 0.99': 0, 10.5: 10, '-10.5': -10, '2^53 + 2': 9007199254740994n, '1e19': 9223372036854775807n, '1e20': 9223372036854775807n
}, 'this has changed')
JS
node run.cjs
