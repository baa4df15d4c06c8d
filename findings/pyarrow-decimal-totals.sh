#!/usr/bin/env bash
# pyarrow 26.0.1 and pandas 3.1.1, seen on 2026-12-01.
# One would guess: `product` and `mean` of a column of decimals are exact, or doubles, and do not depend on the order of the rows.
# What happens: both keep the column's scale. `product` rounds at each row: 10.50, 0.29 and 7.00 give 21.35, the same the other way round
# 21.32, and 21.315 is right. `mean` of 0.01 and 0.02 is 0.02. pandas does the same in columns of Arrow decimals, its `median` is 0.015.
# Why it matters: a chain of rates and a mean price differ with the sorting of a table; a fee computed from them is another one.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyarrow==26.0.1 pandas==3.1.1 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import pandas
import pyarrow
import pyarrow.compute

KIND = pyarrow.decimal128(12, 2)


def column(*texts):
    return pyarrow.array([Decimal(text) for text in texts], KIND)


rates, prices = column("10.50", "0.29", "7.00"), column("0.01", "0.02")
table = pyarrow.table({"group": ["a"] * 3, "rate": rates}).group_by("group").aggregate([("rate", "product")])
frame = pandas.Series(rates, dtype=pandas.ArrowDtype(KIND))
shown = pandas.Series(prices, dtype=pandas.ArrowDtype(KIND))
seen = {
    "product": str(pyarrow.compute.product(rates)),
    "backwards": str(pyarrow.compute.product(rates[::-1])),
    "grouped": str(table["rate_product"][0]),
    "pandas": (str(frame.prod()), str(frame[::-1].prod())),
    "mean": str(pyarrow.compute.mean(prices)),
    "mean in pandas": (str(shown.mean()), str(shown.median())),
}
print(seen)
assert seen == {
    "product": "21.35",
    "backwards": "21.32",
    "grouped": "21.35",
    "pandas": ("21.35", "21.32"),
    "mean": "0.02",
    "mean in pandas": ("0.02", "0.015"),
}, "this has changed"
PY
