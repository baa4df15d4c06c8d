#!/usr/bin/env bash
# polars 2.1.0 and pyarrow 26.0.1, seen on 2026-11-28.
# One would guess: a product of two decimals has the decimals of both, as in SQL and in pyarrow: 0.99 times 0.15 is 0.1485.
# What happens: the product has the scale of the finer factor, rounded half to even, row by row: 0.99 times 0.15 is 0.15. A quotient
# is rounded so, too.
# Why it matters: a fee of fifteen percent on a hundred payments of 0.99 is 15.00 instead of 14.85. Cast the amounts to a finer
# scale before you multiply.
# Known to: no page of ours.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps polars==2.1.0 polars-runtime-32==2.1.0 pyarrow==26.0.1 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

amounts = pl.DataFrame({"amount": [Decimal("0.99")] * 100}, schema={"amount": pl.Decimal(38, 2)})
rate = pl.lit(Decimal("0.15"))
seen = {
    "polars, one fee": str(amounts.select(pl.col("amount") * rate).item(0, 0)),
    "polars, sum of fees": str(amounts.select((pl.col("amount") * rate).sum()).item()),
    "polars, sum of fees at scale 6": str(amounts.select((pl.col("amount").cast(pl.Decimal(38, 6)) * rate).sum()).item()),
    "pyarrow, one fee": str(pc.multiply(pa.scalar(Decimal("0.99")), pa.scalar(Decimal("0.15")))),
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'polars, one fee': '0.15',
    'polars, sum of fees': '15.00',
    'polars, sum of fees at scale 6': '14.850000',
    'pyarrow, one fee': '0.1485',
}, "this has changed"
PY
