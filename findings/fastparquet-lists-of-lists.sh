#!/usr/bin/env bash
# fastparquet 2026.9.0 and pyarrow 26.0.1, seen on 2026-11-28.
# One would guess: a column of lists of lists, as headers of captured traffic are stored, is read or refused.
# What happens: each value is read as None, without an error or a warning; so is a list of structs. A list of texts is read rightly.
# Decimals are read as doubles, and a column of Decimal objects is written as doubles.
# Why it matters: a table of captures that was copied with it has no headers any more, and so no signatures.
# Known to: docs/audit.md, "Signatures": a message without headers accuses nobody of a missing one; tests/audit/test_sessions.py.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps fastparquet==2026.9.0 cramjam==2.14.0 fsspec==2026.9.0 numpy==2.4.6 packaging==26.4 pandas==3.1.1 \
  python-dateutil==4.0.0 pyarrow==26.0.1 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

import fastparquet
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({
    "pairs": [[["sign", "abc"]]],
    "structs": [[{"name": "sign", "value": "abc"}]],
    "texts": [["sign", "abc"]],
    "amount": [Decimal("123456789012345678.91")],
})
pq.write_table(table, "capture.parquet")
read = fastparquet.ParquetFile("capture.parquet").to_pandas()
fastparquet.write("amounts.parquet", pd.DataFrame({"amount": [Decimal("123456789012345678.91")]}))
seen = {name: str(read[name][0]) for name in table.column_names}
seen["written amount"] = str(pq.read_table("amounts.parquet").to_pylist()[0]["amount"])
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'pairs': 'None',
    'structs': 'None',
    'texts': "['sign', 'abc']",
    'amount': '1.2345678901234568e+17',
    'written amount': '1.2345678901234568e+17',
}, "this has changed"
PY
