#!/usr/bin/env bash
# datacompy 1.1.0 with pandas 3.0.6 and polars 1.33.1, and deepdiff 9.1.0, seen on 2026-11-29.
# One would guess: with both tolerances 0, which is the default, two ledgers match if each value equals the other's.
# What happens: numbers are compared as doubles. Decimals of 12345678901234567.89 and .88 match, in both engines, and so do the whole
# numbers 12345678901234567 and ...68. deepdiff finds no difference between ids of 18 digits with `ignore_numeric_type_changes`.
# Why it matters: a reconciliation says that all rows match, while ids or amounts of seventeen digits differ.
# Known to: the audit compares texts and Decimals.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet datacompy==1.1.0 pandas==3.0.6 polars==1.33.1 pyarrow==25.0.1 deepdiff==9.1.0 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

import datacompy
import pandas
import polars
from deepdiff import DeepDiff


def by_pandas(one, other):
    frames = [pandas.DataFrame({"id": ["ORD_1"], "value": [value]}) for value in (one, other)]
    return bool(datacompy.PandasCompare(*frames, join_columns="id").matches())


def by_polars(one, other):
    frames = [polars.DataFrame({"id": ["ORD_1"], "value": [value]}) for value in (one, other)]
    return bool(datacompy.PolarsCompare(*frames, join_columns="id").matches())


near, far = (Decimal("12345678901234567.89"), Decimal("12345678901234567.88")), (Decimal("10.50"), Decimal("10.51"))
seen = {
    "pandas": [by_pandas(*near), by_pandas(12345678901234567, 12345678901234568), by_pandas(*far)],
    "polars": [by_polars(*near), by_polars(*far)],
    "deepdiff": [
        bool(DeepDiff(123456789012345678, 123456789012345679, ignore_numeric_type_changes=True)),
        bool(DeepDiff(123456789012345678, 123456789012345679)),
    ],
}
print(seen)
assert seen == {"pandas": [True, True, False], "polars": [True, False], "deepdiff": [False, True]}, "this has changed"
PY
venv/bin/python run.py
