#!/usr/bin/env bash
# json-logic-qubit 0.9.1, json-logic-modernized 1.0.1 and panzi-json-logic 1.0.1, seen on 2026-11-30.
# One would guess: a rule about a Decimal is about that number, or about the float nearest to it, or it is refused.
# What happens: json-logic-qubit cuts a Decimal to whole units, but no float: 10.95 is not more than 10, 19.99 times 3 is 57, 10.50 less 1 is
# 9. json-logic-modernized, of this year, compares rightly and multiplies floats, but cuts in sums: 0.50 and 0.50 are 0. panzi-json-logic
# makes floats of them. `==` is right in all.
# Why it matters: a limit is not seen to be passed, and a fee of a few cents is nothing; the three are imported by one name.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps --target=qubit json-logic-qubit==0.9.1 || exit 2
venv/bin/pip install --quiet --no-deps --target=modernized json-logic-modernized==1.0.1 || exit 2
venv/bin/pip install --quiet --no-deps --target=panzi panzi-json-logic==1.0.1 || exit 2
venv/bin/pip install --quiet --target=qubit six==1.17.0 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

from json_logic import jsonLogic

amount = {"var": "amount"}
RULES = [
    ({">": [amount, 10]}, "10.95"),
    ({"*": [amount, 3]}, "19.99"),
    ({"-": [amount, 1]}, "10.50"),
    ({"+": [amount, amount]}, "0.50"),
    ({"==": [amount, 10.5]}, "10.50"),
]
print(*(jsonLogic(rule, {"amount": Decimal(text)}) for rule, text in RULES))
PY
for package in qubit modernized panzi; do PYTHONPATH="$package" venv/bin/python run.py; done | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
False 57 9 0 True
True 59.97 9 0 True
True 59.97 9.5 1.0 True
SEEN
