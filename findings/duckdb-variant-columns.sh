#!/usr/bin/env bash
# duckdb 2.0.1, pyarrow 26.0.1 and polars 2.1.0, seen on 2026-12-01.
# One would guess: bodies that DuckDB writes to Parquet as VARIANT, its new type for JSON, are values or an error where they are read.
# What happens: pyarrow gives a plain struct of metadata, value and typed_value, without a mark that it is one thing: the text 10.50 is binary
# with a byte before it, the number 10.50 is the double 10.5. polars refuses the whole file.
# Why it matters: whoever archives webhooks so reads them back only with DuckDB; another reader sees members that are null.
# Known to: the audit calls such a column by its type.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet duckdb==2.0.1 pyarrow==26.0.1 polars==2.1.0 || exit 2
venv/bin/python - <<'PY'
import duckdb
import polars
import pyarrow.parquet

bodies = ['{"amount":10.50,"order":"A-1"}', '{"amount":"10.50","order":"A-2"}']
rows = ", ".join(f"({number}, '{body}')" for number, body in enumerate(bodies))
duckdb.sql(f"COPY (SELECT id, body::JSON::VARIANT AS body FROM (VALUES {rows}) t(id, body)) TO 'b.parquet' (FORMAT parquet)")
again = [body for (body,) in duckdb.sql("SELECT body FROM 'b.parquet' ORDER BY id").fetchall()]
table = pyarrow.parquet.read_table("b.parquet")
field, second = table.schema.field("body"), table.column("body")[1].as_py()
try:
    polars.read_parquet("b.parquet")
    refused = False
except polars.exceptions.ComputeError:
    refused = True
seen = {
    "duckdb": again,
    "pyarrow": [part.name for part in field.type],
    "marked": b"VARIANT" in str(field.metadata).upper().encode(),
    "amount as text": second["typed_value"]["amount"],
    "polars refuses": refused,
}
print(seen)
assert seen == {
    "duckdb": [{"amount": 10.5, "order": "A-1"}, {"amount": "10.50", "order": "A-2"}],
    "pyarrow": ["metadata", "value", "typed_value"],
    "marked": False,
    "amount as text": {"value": b"\x1510.50", "typed_value": None},
    "polars refuses": True,
}, "this has changed"
PY
