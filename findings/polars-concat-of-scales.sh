#!/usr/bin/env bash
# polars 2.1.0, seen on 2026-11-28.
# One would guess: a vertical `concat` of a column of two decimals and one of three is refused, as columns of other types are, or
# the result has three.
# What happens: the first frame decides, and the second one's amounts are rounded to its scale, half to even: 10.505 becomes 10.50.
# What does not fit becomes null. `vstack`, `extend` and `append` do the same; the other way round nothing is lost. `read_parquet` of
# the same two files refuses.
# Why it matters: dinars (three decimals) after dollars lose their last digit, and the sum is wrong by as much; a larger payment
# is null, which no sum shows.
# Known to: no page of ours; the audit reads bodies as they are, and no amounts from columns.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps polars==2.1.0 polars-runtime-32==2.1.0 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import polars as pl


def frame(text: str, precision: int, scale: int) -> pl.DataFrame:
    return pl.DataFrame({"amount": pl.Series([Decimal(text)], dtype=pl.Decimal(precision, scale))})


two, three = frame("10.50", 38, 2), frame("10.505", 38, 3)


def read_both() -> str:
    for name, each in (("1.parquet", two), ("2.parquet", three)):
        each.write_parquet(name)
    try:
        return str(pl.read_parquet(["1.parquet", "2.parquet"]))
    except pl.exceptions.SchemaError:
        return "refused"


seen = {
    "concat, two decimals first": [str(value) for value in pl.concat([two, three])["amount"]],
    "concat, three decimals first": [str(value) for value in pl.concat([three, two])["amount"]],
    "vstack": [str(value) for value in two.vstack(three)["amount"]],
    "concat, too large": [str(value) for value in pl.concat([frame("1.50", 4, 2), frame("123456.50", 10, 2)])["amount"]],
    "read_parquet of both": read_both(),
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'concat, two decimals first': ['10.50', '10.50'],
    'concat, three decimals first': ['10.505', '10.500'],
    'vstack': ['10.50', '10.50'],
    'concat, too large': ['1.50', 'None'],
    'read_parquet of both': 'refused',
}, "this has changed"
PY
