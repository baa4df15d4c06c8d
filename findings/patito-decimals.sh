#!/usr/bin/env bash
# patito 0.8.6 (polars 2.1.0), seen on 2026-12-01.
# One would guess: a model whose field is a Decimal checks a column of Decimals, as one of int checks integers.
# What happens: the column of such a field is text: a table with a polars Decimal is refused, one with the amount "ten euros" is valid, and
# `cast` makes texts of amounts. Rows read one by one, as models, refuse "ten euros". With `dtype` given by hand Decimals pass.
# Why it matters: a check of a table of payments passes what no amount is, and refuses what is one.
# Known to: the audit reads amounts as Decimals.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet patito==0.8.6 polars==2.1.0 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import patito
import polars


class Payment(patito.Model):
    amount: Decimal


class Typed(patito.Model):
    amount: Decimal = patito.Field(dtype=polars.Decimal(12, 2))


def valid(check, *given):
    try:
        check(*given)
        return True
    except ValueError:
        return False


exact = polars.DataFrame({"amount": [Decimal("10.50")]}, schema={"amount": polars.Decimal(12, 2)})
words = polars.DataFrame({"amount": ["ten euros"]})
seen = {
    "column of": str(Payment.dtypes["amount"]),
    "Decimals": valid(Payment.validate, exact),
    "words": valid(Payment.validate, words),
    "words, as a row": valid(Payment.from_row, words),
    "cast": Payment.DataFrame(exact).cast()["amount"].to_list(),
    "Decimals, by hand": valid(Typed.validate, exact),
}
print(seen)
assert seen == {
    "column of": "String",
    "Decimals": False,
    "words": True,
    "words, as a row": False,
    "cast": ["10.50"],
    "Decimals, by hand": True,
}, "this has changed"
PY
