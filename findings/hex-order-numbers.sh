#!/usr/bin/env bash
# csv-parse 7.0.3 and xml2js 0.6.2, seen on 2026-11-28.
# One would guess: where texts are cast to numbers, 0x1F is the text that it was, or 31.
# What happens: with `cast: true` and with `processors.parseNumbers`, each text in hexadecimal is 0; csv-parse makes 0 of 0b101 and 0o17 too.
# Why it matters: order numbers and ids that are written in hexadecimal all become 0: a reconciliation finds one order, paid many times.
# Known to: no page of ours. The audit reads captures as JSON lines or tables, and casts nothing.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save csv-parse@7.0.3 xml2js@0.6.2 || exit 2
node - <<'JS'
const assert = require('assert')
const { parse } = require('csv-parse/sync')
const { parseStringPromise, processors } = require('xml2js')
const texts = ['0x1F', '0x2A', '0b101', '0o17', '31']
const rows = parse(texts.map((text) => text + ',x').join('\n'), { cast: true })
parseStringPromise('<r>' + texts.map((text) => `<id>${text}</id>`).join('') + '</r>', { valueProcessors: [processors.parseNumbers] }).then(({ r }) => {
  const seen = { csv: rows.map(([id]) => id), xml: r.id }
  console.log(seen)
  assert.deepStrictEqual(seen, { csv: [0, 0, 0, 0, 31], xml: [0, 0, 0, 0, 31] }, 'this has changed')
})
JS
