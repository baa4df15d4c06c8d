#!/usr/bin/env bash
# zod 4.6.7, json-schema-to-zod 2.8.1 and zod-from-json-schema 0.5.6, with ajv 8.20.0, seen on 2026-12-01.
# One would guess: a zod schema that is made of a JSON Schema refuses what that refuses, or cannot be made: `z.fromJSONSchema` says so of
# `if`, `not` and `dependentRequired`.
# What happens: `z.fromJSONSchema` forgets, and says nothing, what stands beside `$ref` or `enum`, a limit without `type`, and a `required`
# without `properties`: `anyOf` of two such passes {}, `oneOf` of two refuses what has one. json-schema-to-zod forgets a `$ref` itself,
# `if`, `contains`, `uniqueItems`, `minProperties` and more; zod-from-json-schema the formats.
# Why it matters: a refund without the order or the payment that it is for passes, in a client that is made of the gateway's document.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save zod@4.6.7 json-schema-to-zod@2.8.1 zod-from-json-schema@0.5.6 ajv@8.20.0 \
  ajv-formats@3.0.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'
import { jsonSchemaToZod } from 'json-schema-to-zod'
import * as z from 'zod'
import { convertJsonSchemaToZod } from 'zod-from-json-schema'

const require = createRequire(import.meta.url)
const ajv = new (require('ajv/dist/2020').default)({ strict: false })
require('ajv-formats')(ajv)
const text = { type: 'string' }
const digits = { type: 'string', pattern: '^[0-9]+$' }
const schemas = {
  'anyOf required': [{ type: 'object', properties: { order: text, payment: text }, anyOf: [{ required: ['order'] }, { required: ['payment'] }] }, {}],
  'oneOf required': [{ type: 'object', oneOf: [{ required: ['order'] }, { required: ['payment'] }] }, { order: 'A' }],
  'required alone': [{ type: 'object', required: ['order'] }, {}],
  '$ref': [{ $defs: { digits }, type: 'object', properties: { order: { $ref: '#/$defs/digits' } } }, { order: 'A' }],
  'beside $ref': [{ $defs: { text }, type: 'object', properties: { order: { $ref: '#/$defs/text', maxLength: 1 } } }, { order: 'AB' }],
  'beside enum': [{ type: 'string', enum: ['IDR', 'RUPIAH'], maxLength: 3 }, 'RUPIAH'],
  'no type': [{ minLength: 3 }, 'ID'],
  if: [{ type: 'object', properties: { kind: text }, if: { properties: { kind: { const: 'refund' } } }, then: { required: ['reason'] } }, { kind: 'refund' }],
  dependentRequired: [{ type: 'object', dependentRequired: { amount: ['currency'] } }, { amount: 1 }],
  contains: [{ type: 'array', contains: { const: 'paid' } }, ['open']],
  uniqueItems: [{ type: 'array', items: { type: 'object' }, uniqueItems: true }, [{ order: 'A' }, { order: 'A' }]],
  minProperties: [{ type: 'object', minProperties: 1 }, {}],
  'date-time': [{ type: 'string', format: 'date-time' }, '2026-12-01']
}
const makers = {
  zod: (schema) => z.fromJSONSchema(schema),
  'json-schema-to-zod': (schema) => new Function('z', `return ${jsonSchemaToZod(schema, { module: 'none' })}`)(z),
  'zod-from-json-schema': convertJsonSchemaToZod
}
const seen = {}
for (const [maker, make] of Object.entries(makers)) {
  const wrong = []
  const refused = []
  for (const [name, [schema, value]] of Object.entries(schemas)) {
    try {
      const made = make(structuredClone(schema))
      if (made.safeParse(value).success !== ajv.validate(schema, value)) wrong.push(name)
    } catch {
      refused.push(name)
    }
  }
  seen[maker] = { wrong: wrong.join(', '), 'cannot be made': refused.join(', ') }
}
console.log(seen)
assert.deepStrictEqual(seen, {
  zod: {
    wrong: 'anyOf required, oneOf required, required alone, beside $ref, beside enum, no type',
    'cannot be made': 'if, dependentRequired'
  },
  'json-schema-to-zod': {
    wrong: 'anyOf required, required alone, $ref, beside $ref, beside enum, no type, if, dependentRequired, contains, uniqueItems, minProperties',
    'cannot be made': 'oneOf required'
  },
  'zod-from-json-schema': { wrong: 'beside enum, date-time', 'cannot be made': '' }
}, 'this has changed')
JS
node run.mjs
