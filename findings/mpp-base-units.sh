#!/usr/bin/env bash
# pympp 0.16.0 (Python) and viem 2.57.20, seen on 2026-12-01.
# One would guess: both SDKs of the Machine Payments Protocol make the same base units of an amount; the one in Python says that it matches.
# What happens: Python rounds to 28 digits without a word: 10000000000.000000000000000001 of a token of 18 decimals is 10^28, while viem
# gives the last unit. What has too many decimals is an error in Python; viem rounds: 10.505 is 1051, 0.0000005 of six decimals is 1.
# Python takes 1e3 and 1_000.5, viem refuses them.
# Why it matters: an offer made by one side and checked by the other differs, by a unit or in whether it is one.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pympp==0.16.0 || exit 2
npm install --silent --no-fund --no-audit --no-save viem@2.57.20 || exit 2
cat >asked.json <<'JSON'
[["10000000000.000000000000000001", 18], ["10.50", 2], ["10.505", 2], ["0.0000005", 6], ["1e3", 6], ["1_000.5", 6]]
JSON
venv/bin/python - <<'PY'
import json
from pathlib import Path

from mpp._units import parse_units


def of(text, decimals):
    try:
        return str(parse_units(text, decimals))
    except ValueError:
        return "refused"


seen = {text: of(text, decimals) for text, decimals in json.loads(Path("asked.json").read_text())}
print(seen)
assert seen == {
    "10000000000.000000000000000001": "10000000000000000000000000000",
    "10.50": "1050",
    "10.505": "refused",
    "0.0000005": "refused",
    "1e3": "1000000000",
    "1_000.5": "1000500000",
}, "this has changed"
PY
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { readFileSync } from 'node:fs'
import { parseUnits } from 'viem'
const of = (text, decimals) => { try { return String(parseUnits(text, decimals)) } catch { return 'refused' } }
const seen = Object.fromEntries(JSON.parse(readFileSync('asked.json', 'utf8')).map(([text, decimals]) => [text, of(text, decimals)]))
console.log(seen)
assert.deepStrictEqual(seen, {
  '10000000000.000000000000000001': '10000000000000000000000000001', '10.50': '1050', '10.505': '1051', '0.0000005': '1',
  '1e3': 'refused', '1_000.5': 'refused',
}, 'this has changed')
JS
node run.mjs
