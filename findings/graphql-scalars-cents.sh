#!/usr/bin/env bash
# graphql-scalars 2.0.0 (graphql 16.15.0), seen on 2026-12-01.
# One would guess: the scalar USCurrency, whose value is whole cents, takes $0.29 as 29, and what it writes it reads back.
# What happens: 28.999999999999996, which it then writes as $0.28; so for 1,146 of the 10,000 amounts below $100. Only the first comma is
# read: $70,368,744,177.66 is 7036800 cents. PositiveInt takes the variable 2.9 as 2, and 1e1 as 1.
# Why it matters: a price that goes through an API and back is a cent less, and a large one is nearly nothing, without an error.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save graphql-scalars@2.0.0 graphql@16.15.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { GraphQLPositiveInt, GraphQLUSCurrency as Cents } from 'graphql-scalars'
const twice = (text) => Cents.serialize(Cents.parseValue(text))
let lost = 0
for (let cents = 0; cents < 10000; cents++) if (Cents.parseValue(Cents.serialize(cents)) !== cents) lost++
const seen = {
  read: ['$10.50', '$0.29', '$70,368,744,177.66'].map((text) => Cents.parseValue(text)),
  twice: ['$10.50', '$0.29', '$19.99'].map(twice), lost, counts: ['2.9', '1e1'].map((text) => GraphQLPositiveInt.parseValue(text)),
}
console.log(seen)
assert.deepStrictEqual(seen, {
  read: [1050, 28.999999999999996, 7036800], twice: ['$10.50', '$0.28', '$19.98'], lost: 1146, counts: [2, 1],
}, 'this has changed')
JS
node run.mjs
