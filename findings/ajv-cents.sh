#!/usr/bin/env bash
# ajv 8.20.0 and zod 4.6.7 on Node.js 20, seen on 2026-11-29.
# One would guess: `multipleOf: 0.01` takes each amount with two decimals.
# What happens: ajv divides doubles, and refuses 1,363 of the 9,999 amounts from 0.01 to 99.99, such as 19.99 and 0.29; and 1e21. With
# `multipleOfPrecision: 6` it takes all, and still refuses 10.505. zod takes all.
# Why it matters: a schema with cents in it refuses one payment in seven, and no test with 10.50 shows it.
# Known to: our documents have no `multipleOf`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save ajv@8.20.0 zod@4.6.7 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const Ajv = require('ajv')
const { z } = require('zod')

const schema = { type: 'number', multipleOf: 0.01 }
const judges = {
  ajv: new Ajv().compile(schema),
  'ajv with a precision': new Ajv({ multipleOfPrecision: 6 }).compile(schema),
  zod: (amount) => z.number().multipleOf(0.01).safeParse(amount).success,
}
const cents = Array.from({ length: 9999 }, (_, index) => (index + 1) / 100)
const seen = {}
for (const [name, takes] of Object.entries(judges)) {
  seen[name] = [cents.filter((amount) => !takes(amount)).length, ...[19.99, 10.5, 10.505].map((amount) => takes(amount))]
}
console.log(seen)
assert.deepStrictEqual(seen, {
  ajv: [1363, false, true, false],
  'ajv with a precision': [0, true, true, false],
  zod: [0, true, true, false],
}, 'this has changed')
JS
node run.cjs
