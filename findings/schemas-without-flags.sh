#!/usr/bin/env bash
# zod 4.6.7, arktype 2.2.10 and valibot 1.5.0 with @valibot/to-json-schema 1.8.0, and ajv 8.20.0, seen on 2026-11-30.
# One would guess: the JSON Schema that a library writes of a schema takes what the schema takes, or the library refuses to write it.
# What happens: `/^usd$/i` loses its `i` in zod and arktype, and the document refuses USD; valibot refuses to write it. By default zod writes
# what comes out of its schema, so a member with a default is required, and one that is not named forbidden.
# Why it matters: a published document refuses what the endpoint takes; tests made of the document send it no other.
# Known to: our documents are made of the contract, not of code.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save zod@4.6.7 arktype@2.2.10 valibot@1.5.0 @valibot/to-json-schema@1.8.0 ajv@8.20.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { toJsonSchema } from '@valibot/to-json-schema'
import Ajv from 'ajv/dist/2020.js'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

const ajv = new Ajv()
const code = z.string().regex(/^usd$/i)
const order = z.object({ amount: z.string(), language: z.string().default('en') })
const both = (schema, value, parsed) => [parsed, ajv.validate(schema, value)]
const seen = {
  zod: both(z.toJSONSchema(code), 'USD', code.safeParse('USD').success),
  arktype: both(type(/^usd$/i).toJsonSchema(), 'USD', !(type(/^usd$/i)('USD') instanceof type.errors)),
  valibot: (() => {
    try {
      return both(toJsonSchema(v.pipe(v.string(), v.regex(/^usd$/i))), 'USD', true)
    } catch (error) {
      return error.message
    }
  })(),
  'a default': both(z.toJSONSchema(order), { amount: '10.50' }, order.safeParse({ amount: '10.50' }).success),
  'a default, of what goes in': both(z.toJSONSchema(order, { io: 'input' }), { amount: '10.50' }, true),
  'one more': both(z.toJSONSchema(order), { amount: '10.50', language: 'en', note: '' },
    order.safeParse({ amount: '10.50', language: 'en', note: '' }).success),
}
console.log(seen)
assert.deepStrictEqual(seen, {
  zod: [true, false],
  arktype: [true, false],
  valibot: 'RegExp flags are not supported by JSON Schema.',
  'a default': [true, false],
  'a default, of what goes in': [true, true],
  'one more': [true, false],
}, 'this has changed')
JS
node run.mjs
