#!/usr/bin/env bash
# surrealdb 2.0.0 of Python, its engine in the process, seen on 2026-11-29.
# One would guess: an int beyond 64 bits is refused, a literal in a decimal field has its digits, and rounding is of one kind.
# What happens: 12345678901234567890 comes back as -6101065172474983726. `amount = 12345678901234567.89` in a field of type decimal is
# 12345678901234568, as the literal is a double. `math::fixed(10.505, 2)` is 10.51, of the decimal 10.50; `math::round(10.5dec)` is 10.
# A bound Decimal is exact.
# Why it matters: an order's number of twenty digits is another number, with no word; cents depend on who wrote the literal.
# Known to: our ledgers store text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet surrealdb==2.0.0 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

from surrealdb import Surreal

with Surreal("mem://") as database:
    database.use("shop", "shop")
    database.query("DEFINE TABLE orders SCHEMAFULL")
    database.query("DEFINE FIELD amount ON orders TYPE decimal")
    database.query("CREATE orders:1 SET amount = 12345678901234567.89")
    seen = {
        "number": database.query("RETURN $number", {"number": 12345678901234567890}),
        "bound": database.query("RETURN $amount", {"amount": Decimal("12345678901234567.89")}),
        "stored": [order["amount"] for order in database.query("SELECT amount FROM orders")],
        "rounded": database.query("RETURN [math::fixed(10.505, 2), math::fixed(10.505dec, 2), math::round(10.5), math::round(10.5dec)]"),
    }
print(seen)
assert seen == {
    "number": -6101065172474983726,
    "bound": Decimal("12345678901234567.89"),
    "stored": [Decimal("12345678901234568")],
    "rounded": [10.51, Decimal("10.50"), 11.0, Decimal("10")],
}, "this has changed"
PY
venv/bin/python run.py
