#!/usr/bin/env bash
# csv-parse 7.0.3, seen on 2026-11-28.
# One would guess: with `cast: true`, 0x1F is the text that it was, or 31.
# What happens: each text that begins with 0x and goes on in hexadecimal digits is 0. 0b101 and 0o17 are 0 too.
# Why it matters: order numbers and ids that are written in hexadecimal all become 0, so that a reconciliation finds one order, paid many
# times.
# Known to: no page of ours. The audit reads captures as JSON lines or tables, and casts nothing.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save csv-parse@7.0.3 || exit 2
node - <<'JS'
const assert = require('assert')
const { parse } = require('csv-parse/sync')
const seen = parse('order,paid\n0x1F,10.50\n0x2A,0.10\n0b101,1e2\n0o17,x\n', { cast: true, from: 2 })
console.log(seen)
assert.deepStrictEqual(seen, [[0, 10.5], [0, 0.1], [0, 100], [0, 'x']], 'this has changed')
JS
