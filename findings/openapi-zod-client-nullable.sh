#!/usr/bin/env bash
# openapi-zod-client 1.18.3 and zod 3.25.76, beside @hey-api/openapi-ts 0.99.0, seen on 2026-11-29.
# One would guess: a text that may be null keeps its length and its pattern in the generated check, as one that may not.
# What happens: of `type: [string, null]` the first keeps neither, without a warning: `germany` is a country. The second keeps both.
# Why it matters: half of a payment's optional members are of this kind, and what the check lets through the gateway refuses.
# Known to: docs/other-languages.md, "Generators".
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save openapi-zod-client@1.18.3 @hey-api/openapi-ts@0.99.0 typescript@5.9.3 || exit 2
cat >shop.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": {"title": "shop", "version": "1"},
  "paths": {"/orders": {"post": {
    "operationId": "checkout",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
    "responses": {"200": {"description": "placed"}}
  }}},
  "components": {"schemas": {"Order": {"type": "object", "required": ["currency"], "properties": {
    "currency": {"type": "string", "maxLength": 3, "pattern": "^[A-Z]{3}$"},
    "country": {"type": ["string", "null"], "maxLength": 2, "pattern": "^[A-Z]{2}$"}
  }}}}
}
JSON
node_modules/.bin/openapi-zod-client shop.json --output first.ts >/dev/null 2>&1
node_modules/.bin/openapi-ts --input shop.json --output second --plugins zod --silent >/dev/null 2>&1
cat >run.cjs <<'JS'
const assert = require('assert')
const fs = require('fs')

const seen = ['first.ts', 'second/zod.gen.ts'].map((file) => {
  const text = fs.readFileSync(file, 'utf8').replace(/\s/g, '')
  return ['currency', 'country'].map((member) => text.match(`${member}:(z\\.[^,]*)`)[1])
})
console.log(seen)
const has = (made) => made.map((check) => [check.includes('.max('), check.includes('.regex(')])
assert.deepStrictEqual(seen.map(has), [[[true, true], [false, false]], [[true, true], [true, true]]], 'this has changed')
JS
node run.cjs
