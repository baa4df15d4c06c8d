#!/usr/bin/env bash
# pointblank 1.1.1 (polars 2.1.0), seen on 2026-12-01.
# One would guess: a library of checks for tables checks a column of Decimals, as it does one of floats.
# What happens: `col_vals_gt`, `_eq` and `_le` with a Decimal end with "object of type 'decimal.Decimal' has no len()", with a float with an
# error of polars about `is_nan`; `col_vals_in_set` refuses Decimals. Only `col_vals_between`, with floats, gives a verdict.
# Why it matters: the checks of money run only if the column is cast to doubles first, and then seventeen digits pass as others.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pointblank==1.1.1 polars==2.1.0 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import pointblank
import polars

TEXTS = ["10.50", "0.29", "12345678901234567.89"]
exact = polars.DataFrame({"amount": [Decimal(text) for text in TEXTS]}, schema={"amount": polars.Decimal(30, 2)})
doubles = exact.cast(polars.Float64)


def of(table, check, *values):
    try:
        checked = getattr(pointblank.Validate(table), check)("amount", *values).interrogate()
        return checked.n_passed(i=1, scalar=True)
    except Exception as error:
        return type(error).__name__


seen = {
    "above a Decimal": of(exact, "col_vals_gt", Decimal("0.01")),
    "above a float": of(exact, "col_vals_gt", 0.01),
    "one of": of(exact, "col_vals_in_set", [Decimal("10.50")]),
    "between floats": of(exact, "col_vals_between", 0.29, 10.5),
    "doubles": of(doubles, "col_vals_gt", 0.01),
    "doubles, another amount": of(doubles, "col_vals_eq", 12345678901234567.12),
}
print(seen)
assert seen == {
    "above a Decimal": "TypeError",
    "above a float": "InvalidOperationError",
    "one of": "ValueError",
    "between floats": 2,
    "doubles": 3,
    "doubles, another amount": 1,
}, "this has changed"
PY
