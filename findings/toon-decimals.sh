#!/usr/bin/env bash
# toon-format 1.2.0 and python-toon 0.2.0 (Python), @toon-format/toon 4.4.0, seen on 2026-12-01.
# One would guess: what TOON writes of a Decimal is its digits, or a refusal, and the format's own packages read them back.
# What happens: 10.50 is 10.5, NaN is null. python-toon writes 12345678901234567.89 as 12345678901234568; toon-format writes the digits,
# and reads a float. In JavaScript a BigInt of seventeen digits is written as text, one of three as a number.
# Why it matters: tables of payments are given to language models this way; amounts change before the model sees them, and ids change kind.
# Known to: [Amounts](../docs/amounts.md): write amounts as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet toon-format==1.2.0 python-toon==0.2.0 || exit 2
npm install --silent --no-fund --no-audit --no-save @toon-format/toon@4.4.0 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import toon
import toon_format

texts = ("10.50", "12345678901234567.89", "NaN")
seen = {
    module.__name__: [
        *(module.encode({"a": Decimal(text)}) for text in texts),
        module.decode("a: 12345678901234567.89")["a"],
    ]
    for module in (toon, toon_format)
}
print(seen)
assert seen == {
    "toon": ["a: 10.5", "a: 12345678901234568", "a: null", 1.2345678901234568e16],
    "toon_format": ["a: 10.5", "a: 12345678901234567.89", "a: null", 1.2345678901234568e16],
}, "this has changed"
PY
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { encode } from '@toon-format/toon'
const seen = [123n, 12345678901234567n].map((id) => encode({ id }))
console.log(seen)
assert.deepStrictEqual(seen, ['id: 123', 'id: "12345678901234567"'], 'this has changed')
JS
node run.mjs
