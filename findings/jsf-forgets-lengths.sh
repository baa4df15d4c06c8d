#!/usr/bin/env bash
# jsf 0.11.2 (jsonschema 4.26.0), seen on 2026-12-01.
# One would guess: what makes sample documents of a JSON Schema makes valid ones.
# What happens: with a `pattern` the lengths are forgotten: of 300 order numbers `^ORD-[0-9]+$` of at most 8 characters more than 250 are longer,
# some of a hundred. `oneOf` of two required members is forgotten: about half of the documents have both or none.
# Why it matters: tests of a payment's limits that are fed this way fail for reasons of their own, or are loosened until they prove nothing.
# Known to: the SDK's own examples are of the contract.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet jsf==0.11.2 jsonschema==4.26.0 || exit 2
venv/bin/python - 2>/dev/null <<'PY'
import random

from jsf import JSF
from jsonschema import Draft202012Validator

random.seed(7)
text = {"type": "string"}
asked = {
    "pattern": {"type": "string", "pattern": "^[A-Z]{3}$"},
    "length": {"type": "string", "maxLength": 8},
    "both": {"type": "string", "pattern": "^ORD-[0-9]+$", "maxLength": 8},
    "one of two": {
        "type": "object",
        "properties": {"orderNo": text, "tradeToken": text},
        "oneOf": [{"required": ["orderNo"]}, {"required": ["tradeToken"]}],
    },
}
wrong = {}
for name, schema in asked.items():
    made = [JSF(schema).generate() for _ in range(300)]
    wrong[name] = sum(not Draft202012Validator(schema).is_valid(document) for document in made)
print(wrong)
assert wrong["pattern"] == wrong["length"] == 0, "this has changed"
assert wrong["both"] > 250 and 75 < wrong["one of two"] < 225, "this has changed"
PY
