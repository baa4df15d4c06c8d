#!/usr/bin/env bash
# quicktype-core 26.0.0, seen on 2026-11-30.
# One would guess: from a sample, a text becomes a text and 10.00, which has a point, a number with decimals.
# What happens: a text of a short number is a number in Python and C#, so "00123" comes back as "123"; one of eleven digits, or with a zero
# in front, stays a text. 10.00 is int64 in Go, long in Java and C#, i64 in Rust, and 10.50 is refused by the Python made of it.
# Why it matters: another shop's order is asked for, or a body is written that the signature does not fit; the first amount with cents fails.
# Known to: [Other languages](../docs/other-languages.md#generators): give a generator the OpenAPI document, not a sample.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save quicktype-core@26.0.0 || exit 2
cat >run.mjs <<'JS'
import { writeFileSync } from 'fs'
import { InputData, jsonInputForTargetLanguage, quicktype } from 'quicktype-core'

const sample = '{"shop":"123","orderNo":"20261129001","branch":"007","amount":10.00}'
for (const lang of ['python', 'csharp', 'go', 'java', 'rust']) {
  const input = jsonInputForTargetLanguage(lang)
  await input.addSource({ name: 'Order', samples: [sample] })
  const inputData = new InputData()
  inputData.addInput(input)
  writeFileSync(`order_${lang}.py`, (await quicktype({ inputData, lang })).lines.join('\n'))
}
JS
node run.mjs
cat >run.py <<'PY'
import json
import re
from pathlib import Path

from order_python import order_from_dict, order_to_dict

WORDS = {"python": r"amount: (\w+)", "csharp": r"public (\w+) Amount", "go": r"Amount +(\w+)", "java": r"(\w+) amount;", "rust": r"amount: (\w+)"}
types = {lang: re.search(words, Path(f"order_{lang}.py").read_text()).group(1) for lang, words in WORDS.items()}
order = {"shop": "00123", "orderNo": "20261129002", "branch": "008", "amount": 10}
again = order_to_dict(order_from_dict(json.loads(json.dumps(order))))
try:
    order_from_dict({**order, "amount": 10.5})
    cents = "taken"
except AssertionError:
    cents = "refused"
for part in (types, again, cents):
    print(part)
assert types == {"python": "int", "csharp": "long", "go": "int64", "java": "long", "rust": "i64"}, "this has changed"
assert again == {**order, "shop": "123"}, "this has changed"
assert cents == "refused", "this has changed"
PY
"${PYTHON:-python3}" run.py
