#!/usr/bin/env bash
# json-repair 0.64.4 of Python beside jsonrepair 3.15.0 of npm, seen on 2026-11-29.
# One would guess: what is not quite a number is put in quotes or refused, since nobody can know which number was meant.
# What happens: jsonrepair does so. json-repair takes the digits that it finds: an accountant's 10.50- is plus 10.5, 1 000 is 1, 10.50 USD
# loses its currency, 00123 is 123, 2026_11 is 202611; and - 10.50 is an empty text.
# Why it matters: it stands between models and programs, and books a refund as a payment, or a thousandth of an amount.
# Known to: the receiver takes JSON as it is signed, and repairs nothing.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps json-repair==0.64.4 || exit 2
npm install --silent --no-fund --no-audit --no-save jsonrepair@3.15.0 || exit 2
export TEXTS="10.50-|- 10.50|1 000|10.50 USD|00123|2026_11"
{
  venv/bin/python - <<'PY'
import os

from json_repair import loads

print("json-repair", *[repr(loads('{"amount": %s}' % text)["amount"]) for text in os.environ["TEXTS"].split("|")], sep=", ")
PY
  node - <<'JS'
const { jsonrepair } = require('jsonrepair')
const read = (text) => {
  try {
    return JSON.stringify(JSON.parse(jsonrepair(`{"amount": ${text}}`)).amount)
  } catch {
    return 'refused'
  }
}
console.log(['jsonrepair', ...process.env.TEXTS.split('|').map(read)].join(', '))
JS
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
json-repair, 10.5, '', 1, 10.5, 123, 202611
jsonrepair, "10.50-", refused, refused, refused, "00123", "2026_11"
SEEN
