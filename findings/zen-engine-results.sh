#!/usr/bin/env bash
# zen-engine 2.1.3 of PyPI, seen on 2026-11-30.
# One would guess: a rules engine that computes with decimals gives back what it computed, and an id that a rule only passes on as it was.
# What happens: within a rule 19.99 * 100 is 1999 and two ids of sixteen digits differ, but whatever leaves it is a float: the id
# 9007199254740993 is 9007199254740992.0, order 7 is 7.0, and 12345678901234567.89 is 1.2345678901234568e+16. `string(id)` has the digits. A
# Decimal is refused as input.
# Why it matters: a rule that picks an order or a fee gives another order, or one whose number ends in .0, which no lookup by text finds.
# Known to: the SDK refuses floats.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet zen-engine==2.1.3 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import zen

facts = {"id": 9007199254740993, "order": 7, "amount": 19.99}
rules = ("amount * 100 == 1999", "id == 9007199254740992", "id", "order", "12345678901234567.89 + 0", "string(id)")
seen = {rule: repr(zen.evaluate_expression(rule, facts)) for rule in rules}
try:
    zen.evaluate_expression("amount", {"amount": Decimal("19.99")})
except TypeError as error:
    seen["a Decimal"] = type(error).__name__
for rule, said in seen.items():
    print(rule, "is", said)
assert seen == {
    "amount * 100 == 1999": "True",
    "id == 9007199254740992": "False",
    "id": "9007199254740992.0",
    "order": "7.0",
    "12345678901234567.89 + 0": "1.2345678901234568e+16",
    "string(id)": "'9007199254740993'",
    "a Decimal": "TypeError",
}, "this has changed"
PY
