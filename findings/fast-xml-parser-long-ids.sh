#!/usr/bin/env bash
# fast-xml-parser 5.12.1 on Node.js 20, seen on 2026-12-01.
# One would guess: an id of digits that a double does not hold is text, or a rounded number; either way the same for twenty digits as for
# more.
# What happens: from seventeen digits on it is text; from twenty-two on it is a number again, and rounded:
# 2026112900000000000001 and ...02 are both 2.0261129e+21. 00123 is 123, and 123e4 is 1230000, while 12E45678 is text.
# Why it matters: end-to-end ids of bank files have up to thirty-five characters; those of digits alone are all equal or have an exponent, and
# tests with shorter ones pass.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save fast-xml-parser@5.12.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { XMLBuilder, XMLParser } from 'fast-xml-parser'

const ids = ['12345678901234567', '202611290000000000001', '2026112900000000000001', '2026112900000000000002', '00123', '123e4', '12E45678']
const written = new XMLBuilder().build({ ids: { id: ids } })
const seen = new XMLParser().parse(written).ids.id
console.log(seen)
assert.deepStrictEqual(
  seen,
  ['12345678901234567', '202611290000000000001', 2.0261129e21, 2.0261129e21, 123, 1230000, '12E45678'],
  'this has changed',
)
JS
node run.mjs
