#!/usr/bin/env bash
# @aws-lambda-powertools/idempotency 2.35.0, seen on 2026-11-29.
# One would guess: a payload without the members that make the key is run each time, with a warning, however the key is written.
# What happens: so it is for `order`. For `[order, shop]`, where both are missing, it warns, and yet takes the two nulls for a key: the
# second stranger's request is not run, and gets the first one's answer.
# Why it matters: after a client renames a member, one payment is made an hour, and everybody is told that it was his.
# `throwOnNoIdempotencyKey: true` refuses such payloads.
# Known to: [Unknown outcomes](../docs/outcomes.md): keys are made by whoever orders, not of what arrives.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @aws-lambda-powertools/idempotency@2.35.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { IdempotencyConfig, IdempotencyItemAlreadyExistsError, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { BasePersistenceLayer } from '@aws-lambda-powertools/idempotency/persistence'

class Memory extends BasePersistenceLayer {
  records = new Map()
  async _putRecord(record) {
    const earlier = this.records.get(record.idempotencyKey)
    if (earlier) throw new IdempotencyItemAlreadyExistsError('there already', earlier)
    this.records.set(record.idempotencyKey, record)
  }
  async _getRecord(key) { return this.records.get(key) }
  async _updateRecord(record) { this.records.set(record.idempotencyKey, record) }
  async _deleteRecord(record) { this.records.delete(record.idempotencyKey) }
}
console.warn = () => {}
const seen = {}
for (const key of ['order', '[order, shop]']) {
  let runs = 0
  const config = new IdempotencyConfig({ eventKeyJmesPath: key })
  const pay = makeIdempotent(async (event) => `payment ${++runs} of ${event.buyer}`, { persistenceStore: new Memory(), config })
  seen[key] = [await pay({ orderNo: 1, buyer: 'first' }), await pay({ orderNo: 2, buyer: 'second' })]
}
console.log(seen)
assert.deepStrictEqual(seen, {
  order: ['payment 1 of first', 'payment 2 of second'],
  '[order, shop]': ['payment 1 of first', 'payment 1 of first'],
}, 'this has changed')
JS
AWS_LAMBDA_FUNCTION_NAME=pay node run.mjs
