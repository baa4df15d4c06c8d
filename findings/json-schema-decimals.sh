#!/usr/bin/env bash
# jsonschema 4.26.0, fastjsonschema 2.22.3 and jsonschema-rs 0.61.2, seen on 2026-11-28.
# One would guess: a document whose numbers were read as Decimal, as amounts should be, is judged as the same document with floats,
# apart from `multipleOf`; and what cannot be judged is an error of the validator.
# What happens: jsonschema-rs judges the decimal's value. The other two say that Decimal("100") is no integer; fastjsonschema finds
# 10.50 not in `enum: [10.5]`, and in `multipleOf: 0.01` it raises decimal.InvalidOperation, which is not its own exception,
# jsonschema TypeError.
# Why it matters: who validates webhooks with exact amounts refuses good ones, or fails outside of the `except` for bad documents.
# Known to: tests/generated/test_schema_agreement.py compares our validators with the schemas on plain numbers; docs/compatibility.md
# names no validator.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps jsonschema==4.26.0 attrs==26.1.0 jsonschema-specifications==2025.9.1 referencing==0.37.0 rpds-py==2026.9.1 \
  typing_extensions==4.16.0 fastjsonschema==2.22.3 jsonschema-rs==0.61.2 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import fastjsonschema
import jsonschema
import jsonschema_rs


def fast(schema: dict, value: object) -> bool:
    try:
        fastjsonschema.validate(schema, value)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


JUDGES = {
    "jsonschema": lambda schema, value: jsonschema.Draft202012Validator(schema).is_valid(value),
    "fastjsonschema": fast,
    "jsonschema-rs": lambda schema, value: jsonschema_rs.Draft202012Validator(schema).is_valid(value),
}


def judged(judge, schema: dict, value: object) -> str:
    try:
        return str(judge(schema, value))
    except Exception as error:
        return type(error).__name__


CASES = [({"type": "integer"}, "100"), ({"enum": [10.5]}, "10.50"), ({"multipleOf": 0.01}, "19.99"), ({"maximum": 0.3}, "0.3")]
seen = {f"{schema} and {text}": [judged(judge, schema, Decimal(text)) for judge in JUDGES.values()] for schema, text in CASES}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    "{'type': 'integer'} and 100": ['False', 'False', 'True'],
    "{'enum': [10.5]} and 10.50": ['True', 'False', 'True'],
    "{'multipleOf': 0.01} and 19.99": ['TypeError', 'InvalidOperation', 'True'],
    "{'maximum': 0.3} and 0.3": ['False', 'False', 'True'],
}, "this has changed"
PY
