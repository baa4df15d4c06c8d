#!/usr/bin/env bash
# doku-nodejs-library 1.0.52, seen on 2026-11-29.
# One would guess: a time stamp has the offset of the machine's zone as +05:30, and minifying takes the blanks between members.
# What happens: where the offset is no whole hour, it is +5.5:30, in the header and in the signed text; minifying takes the blanks out of
# texts too, so that what is signed with a key is not what is sent.
# Why it matters: on a server in India or in South Australia each call is refused, and a call with a note of two words, anywhere.
# Known to: the SDK writes the time itself; the diagnosis of a signature says "over the body without white space in its texts":
# docs/signatures.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save doku-nodejs-library@1.0.52 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const crypto = require('crypto')
const token = require('doku-nodejs-library/_services/tokenService')

const offset = (zone) => {
  process.env.TZ = zone
  return token.generateTimestamp().slice('2026-11-29T12:00:00'.length)
}
const offsets = ['Asia/Jakarta', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Darwin'].map(offset)
const sha256 = (text) => crypto.createHash('sha256').update(text).digest('hex')
const hash = token.processRequestBody({ reason: 'late, paid' })
console.log(offsets, hash === sha256('{"reason":"late, paid"}'), hash === sha256('{"reason":"late,paid"}'))
assert.deepStrictEqual(offsets, ['+07:00', '+5.5:30', '+5.75:45', '+9.5:30'], 'this has changed')
assert.strictEqual(hash, sha256('{"reason":"late,paid"}'), 'this has changed')
JS
node run.cjs
