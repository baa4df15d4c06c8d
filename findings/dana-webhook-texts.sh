#!/usr/bin/env bash
# dana-node 1.5.11 and midtrans-client 1.4.3, seen on 2026-11-29.
# One would guess: a gateway's own SDK verifies each notification whose body is written without blanks and signed as it stands, or none
# that holds a number such as 10.50.
# What happens: dana-node takes a body for minified unless it holds ", ", ": ", "{ " or "[ ", wherever they stand. A comma in a text, as in
# "late, paid", makes it parse the body and verify what it writes anew: 10.5 for 10.50, a/b for a\/b. The valid signature is refused.
# midtrans-client is given the parsed body, and refuses 10.50 with and without a comma.
# Why it matters: the notification of a payment is refused for a word that a customer wrote.
# Known to: the receiver verifies the bytes that came: docs/signatures.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save dana-node@1.5.11 midtrans-client@1.4.3 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const crypto = require('crypto')
const { WebhookParser } = require('dana-node/webhook/v1')
const { SnapBi, SnapBiConfig } = require('midtrans-client')

const pem = (type) => ({ type, format: 'pem' })
const keys = crypto.generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: pem('spki'), privateKeyEncoding: pem('pkcs8') })
const [at, path] = ['2026-11-29T12:00:00+07:00', '/v1/notify']
SnapBiConfig.snapBiPublicKey = keys.publicKey

const verified = (body) => {
  const hash = crypto.createHash('sha256').update(body).digest('hex')
  const sign = crypto.sign('RSA-SHA256', Buffer.from(`POST:${path}:${hash}:${at}`), keys.privateKey).toString('base64')
  const both = []
  try {
    new WebhookParser(keys.publicKey).parseWebhook('POST', path, { 'X-SIGNATURE': sign, 'X-TIMESTAMP': at }, body)
    both.push(true)
  } catch (error) {
    both.push(error.message)
  }
  const notification = SnapBi.notification().withNotificationPayload(JSON.parse(body)).withNotificationUrlPath(path)
  return [...both, notification.withSignature(sign).withTimeStamp(at).isWebhookNotificationVerified()]
}
const bodies = ['{"fee":"10.50","reason":"late, paid"}', '{"fee":10.50,"reason":"late"}', '{"fee":10.50,"reason":"late, paid"}', '{"url":"a\\/b","reason":"late"}', '{"url":"a\\/b","reason":"late: paid"}']
const seen = Object.fromEntries(bodies.map((body) => [body, verified(body)]))
console.log(seen)
const refused = 'Signature verification failed.'
const expected = [[true, true], [true, false], [refused, false], [true, false], [refused, false]]
assert.deepStrictEqual(Object.values(seen), expected, 'this has changed')
JS
node run.cjs
