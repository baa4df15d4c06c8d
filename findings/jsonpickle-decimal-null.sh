#!/usr/bin/env bash
# jsonpickle 4.1.4, seen on 2026-11-28.
# One would guess: `encode(value, unpicklable=False)`, which is used for logs and for other programs, writes a Decimal as text or as
# a number, or refuses it.
# What happens: it writes null. With `unpicklable=True`, the default, the amount is there and comes back.
# Why it matters: an order that is logged or queued so has no amount, and nothing says that it is missing.
# Known to: `resolver.to_json()` and the items of a ledger have a form of their own, in which amounts are text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps jsonpickle==4.1.4 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import jsonpickle

order = {"no": "ORD_1", "amount": Decimal("10.50"), "parts": [Decimal("10.00"), Decimal("0.50")]}
seen = {
    "plain": jsonpickle.encode(order, unpicklable=False),
    "there and back": jsonpickle.decode(jsonpickle.encode(order)) == order,
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'plain': '{"no": "ORD_1", "amount": null, "parts": [null, null]}',
    'there and back': True,
}, "this has changed"
PY
