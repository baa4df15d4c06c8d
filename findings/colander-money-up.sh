#!/usr/bin/env bash
# colander 2.0, seen on 2026-12-01.
# One would guess: its type `Money` rounds to cents as Decimal does, half to even, or refuses a third decimal.
# What happens: it rounds away from zero: 10.001 is 10.01, -10.001 is -10.01, on the way in and on the way out. It always has two
# decimals: 1 dinar of 1.234 is 1.24.
# Why it matters: each computed fee or share that goes through a form costs up to a cent more, refunds too, and sums never add up.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet colander==2.0 setuptools==80.9.0 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import colander


class Payment(colander.MappingSchema):
    amount = colander.SchemaNode(colander.Money())


form = Payment()
texts = ("10.001", "-10.001", "10.004", "1.234", "10.50")
seen = {text: (str(form.deserialize({"amount": text})["amount"]), form.serialize({"amount": Decimal(text)})["amount"]) for text in texts}
print(seen)
assert seen == {
    "10.001": ("10.01", "10.01"),
    "-10.001": ("-10.01", "-10.01"),
    "10.004": ("10.01", "10.01"),
    "1.234": ("1.24", "1.24"),
    "10.50": ("10.50", "10.50"),
}, "this has changed"
PY
