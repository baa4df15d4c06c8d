#!/usr/bin/env bash
# @dsnp/parquetjs 1.8.9, read by pyarrow 26.0.1, seen on 2026-11-30.
# One would guess: 0.29 in a column DECIMAL of two decimals is 0.29, rounded if a double is a little off.
# What happens: it is cut: 0.29 is 0.28, as 573 of the 9,999 amounts below 100 are a cent short.
# Why it matters: a copy of the payments for the analysts is short of cents, row by row, and no step of it says so.
# Known to: the audit reads no amounts of columns.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyarrow==26.0.1 || exit 2
npm install --silent --no-fund --no-audit --no-save @dsnp/parquetjs@1.8.9 || exit 2
cat >run.cjs <<'JS'
const { ParquetSchema, ParquetWriter } = require('@dsnp/parquetjs')

;(async () => {
  const schema = new ParquetSchema({ cents: { type: 'INT64' }, amount: { type: 'DECIMAL', precision: 12, scale: 2 } })
  const writer = await ParquetWriter.openFile(schema, 'orders.parquet')
  for (let cents = 1; cents < 10000; cents++) await writer.appendRow({ cents, amount: cents / 100 })
  await writer.close()
})()
JS
node run.cjs
cat >run.py <<'PY'
import pyarrow.parquet

rows = pyarrow.parquet.read_table("orders.parquet").to_pylist()
short = [(row["cents"], row["cents"] - int(row["amount"] * 100)) for row in rows if row["amount"] * 100 != row["cents"]]
seen = (len(short), short[:3], {missing for _, missing in short})
print(seen)
assert seen == (573, [(29, 1), (57, 1), (58, 1)], {1}), "this has changed"
PY
venv/bin/python run.py
