#!/usr/bin/env bash
# @readme/httpsnippet 11.1.0, seen on 2026-11-28.
# One would guess: the command for curl that is made of a recorded request sends the body that was recorded.
# What happens: for curl, as for JavaScript, Python and PHP, the body is parsed and written anew: 10.50 is 10.5, twenty digits are
# rounded, \/ is /, while the header `sign` stays. The snippets for wget, Go, Java and C# send the text as it was.
# Why it matters: a request that is sent again in order to look for a fault fails for a fault that it did not have, in the tool that
# people trust to send bytes.
# Known to: [When a signature fails](../docs/signatures.md): sign the bytes that you send.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @readme/httpsnippet@11.1.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { HTTPSnippet } from '@readme/httpsnippet'

const text = '{"amount": 10.50, "id": 12345678901234567890}'
const snippet = new HTTPSnippet({
  method: 'POST', url: 'http://gateway.example/', httpVersion: 'HTTP/1.1', cookies: [], queryString: [], headersSize: -1, bodySize: -1,
  headers: [{ name: 'content-type', value: 'application/json' }, { name: 'sign', value: 'abc' }],
  postData: { mimeType: 'application/json', text },
})
const seen = {}
for (const [target, client] of [['shell', 'curl'], ['shell', 'wget'], ['python', 'requests'], ['go', 'native'], ['java', 'okhttp']]) {
  const code = String(snippet.convert(target, client))
  seen[client] = code.replaceAll('\\"', '"').includes(text) ? 'as recorded' : code.match(/12345678901234567\d+/)[0]
}
console.log(seen)
console.log(String(snippet.convert('shell', 'curl')))
assert.deepStrictEqual(seen, {
  curl: '12345678901234567000', wget: 'as recorded', requests: '12345678901234567000', native: 'as recorded', okhttp: 'as recorded',
}, 'this has changed')
JS
node run.mjs
