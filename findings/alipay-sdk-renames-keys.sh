#!/usr/bin/env bash
# alipay-sdk 4.14.0 on Node.js 20, seen on 2026-12-01.
# One would guess: the SDK writes its own parameters in the gateway's spelling, outTradeNo as out_trade_no, and leaves data of the merchant's alone.
# What happens: every key at every depth is rewritten: in passbackParams UserID is user_id, and of the merchant's own keys ORD-2026 is ord2026,
# a_B is a_b. Two that become one are one: of orderId and orderID the last stays.
# Why it matters: passback data comes back in the notification under other names, or without a member, and what looks them up finds nothing.
# Known to: the SDK keeps the names in `extra`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save alipay-sdk@4.14.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { generateKeyPairSync } from 'node:crypto'
import { AlipaySdk } from 'alipay-sdk'
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048, privateKeyEncoding: { type: 'pkcs1', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const sdk = new AlipaySdk({ appId: 'app', privateKey })
const content = { outTradeNo: 'A-1', passbackParams: { UserID: 'u', 'ORD-2026': 1, a_B: 2, orderId: 'first', orderID: 'last' } }
const query = new URLSearchParams(sdk.sdkExecute('alipay.trade.app.pay', { bizContent: content }))
const seen = JSON.parse(query.get('biz_content'))
console.log(seen)
assert.deepStrictEqual(seen, {
  out_trade_no: 'A-1', passback_params: { user_id: 'u', ord2026: 1, a_b: 2, order_id: 'last' },
}, 'this has changed')
JS
node run.mjs
