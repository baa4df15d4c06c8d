#!/usr/bin/env bash
# agentic-payments 0.1.13, http-message-sig 0.3.0 and http-message-signatures 3.0.0 (Python), seen on 2026-12-01.
# One would guess: a request signed by RFC 9421, as its README has it, is verified by other libraries of it; a payment's mandate goes from
# pending to captured and no other way, and stays verified.
# What happens: the lines that are signed are not those that Signature-Input names, and http-message-signatures refuses the request, with
# or without a digest, where it verifies http-message-sig's. A mandate that is captured may be failed, pending and refunded twice after
# that; `verify` is false once it is captured.
# Why it matters: each payment of an agent is refused by a merchant who verifies, and who looks at a mandate later finds it forged.
# Known to: the SDK signs by what the contract says, and its sandbox verifies.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet http-message-signatures==3.0.0 http-sf==1.5.0 cryptography==50.0.2 || exit 2
npm install --silent --no-fund --no-audit --no-save agentic-payments@0.1.13 http-message-sig@0.3.0 || exit 2
cat >sign.mjs <<'JS'
import { createPrivateKey, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { AgentIdentity, computeContentDigest, PaymentMandate, signHttpMessage } from 'agentic-payments'
import { createSignature } from 'http-message-sig'

const key = Buffer.alloc(32, 'k')
const body = '{"amount": "10.50"}'
const digest = computeContentDigest(Buffer.from(body))
const url = 'https://shop.example/pay'
const parts = { method: 'POST', authority: 'shop.example', path: '/pay' }
const requests = {}
for (const [name, more] of [['agentic-payments', {}], ['agentic-payments, digest', { contentDigest: digest }]]) {
  const signed = await signHttpMessage({ ...parts, ...more }, key.toString('hex'), 'agent-1')
  requests[name] = { 'Content-Digest': digest, 'Signature-Input': signed.signatureInput, Signature: signed.signature }
}
const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), key])
const pem = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
const fields = await createSignature(new Request(url, { method: 'POST', headers: { 'Content-Digest': digest }, body }), {
  label: 'sig1', components: ['@method', '@authority', '@path', 'content-digest'],
  parameters: { created: Math.floor(Date.now() / 1000), keyid: 'agent-1', alg: 'ed25519' },
  signer: { algorithm: 'ed25519', sign: async (bytes) => sign(null, bytes, pem) }
})
requests['http-message-sig'] = { 'Content-Digest': digest, 'Signature-Input': fields.signatureInput, Signature: fields.signature }
writeFileSync('requests.json', JSON.stringify(requests))

const agent = await AgentIdentity.generate()
const mandate = new PaymentMandate({ sourceId: 'A-1', type: 'cart', amount: 10.5, currency: 'USD', paymentMethod: 'card' })
await mandate.sign(agent)
const seen = [`signed ${await mandate.verify(agent)}`]
for (const status of ['captured', 'failed', 'pending', 'refunded', 'captured', 'refunded']) {
  mandate.updateStatus(status)
  seen.push(`${mandate.getStatus()} ${await mandate.verify(agent)}`)
}
console.log('mandate:', seen.join(', '))
JS
cat >verify.py <<'PY'
import json
from types import SimpleNamespace

import http_message_signatures as library
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

resolver = library.HTTPSignatureKeyResolver()
resolver.resolve_public_key = lambda name: Ed25519PrivateKey.from_private_bytes(b"k" * 32).public_key()
verifier = library.HTTPMessageVerifier(signature_algorithm=library.algorithms.ED25519, key_resolver=resolver)
for name, headers in json.load(open("requests.json")).items():
    try:
        verifier.verify(SimpleNamespace(method="POST", url="https://shop.example/pay", headers=headers))
        print(f"{name}: verified")
    except library.InvalidSignature:
        print(f"{name}: refused")
PY
{
  node sign.mjs
  venv/bin/python verify.py
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
mandate: signed true, captured false, failed false, pending true, refunded false, captured false, refunded false
agentic-payments: refused
agentic-payments, digest: refused
http-message-sig: verified
SEEN
