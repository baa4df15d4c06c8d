#!/usr/bin/env bash
# papaparse 5.7.1 beside Python's csv.Sniffer, seen on 2026-11-29.
# One would guess: of a file with semicolons, whose header has nothing else, the delimiter that is found is the semicolon.
# What happens: if the last line ends, as it does in most files, and amounts are such as 10,50, it is the comma: the header is one name,
# `id;amount`, and the cents are a second column, `__parsed_extra`; `errors` says that no delimiter was found. Without the last line's end,
# or with `skipEmptyLines`, it is the semicolon.
# Why it matters: statements of banks in half of Europe are just such files.
# Known to: the audit reads no CSV.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save papaparse@5.7.1 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { parse } = require('papaparse')

const file = 'id;amount\r\nORD_1;10,50\r\nORD_2;3,00\r\n'
const found = parse(file, { header: true })
const others = [parse(file.trimEnd(), { header: true }), parse(file, { header: true, skipEmptyLines: true })]
const seen = {
  delimiter: found.meta.delimiter,
  rows: found.data,
  types: [...new Set(found.errors.map((error) => error.type))],
  others: others.map((one) => one.meta.delimiter),
}
console.log(seen)
assert.deepStrictEqual(seen, {
  delimiter: ',',
  rows: [{ 'id;amount': 'ORD_1;10', __parsed_extra: ['50'] }, { 'id;amount': 'ORD_2;3', __parsed_extra: ['00'] }, { 'id;amount': '' }],
  types: ['Delimiter', 'FieldMismatch'],
  others: [';', ';'],
}, 'this has changed')
JS
node run.cjs
"${PYTHON:-python3}" -c '
import csv
assert csv.Sniffer().sniff("id;amount\r\nORD_1;10,50\r\nORD_2;3,00\r\n").delimiter == ";", "this has changed"'
