#!/usr/bin/env bash
# duckdb 2.0.1 and polars 2.1.0, seen on 2026-11-28.
# One would guess: who reads the JSON number of an amount as text gets the digits that were written, and can make a decimal of them.
# What happens: both read the number as a double first, and write that as text: 12345678901234567.89 becomes
# 1.2345678901234568e+16 or 12345678901234568, and 1.10 becomes 1.1. Asked for a decimal, duckdb is exact; polars' `json_decode`
# still goes through the double, and rounds 10.505 to 10.50 as well.
# Why it matters: the careful way loses what the careless one keeps. And a body that is put together again of such text has other
# bytes than the one that was signed.
# Known to: docs/audit.md, "Signatures": a body that was parsed is unverifiable.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps duckdb==2.0.1 polars==2.1.0 polars-runtime-32==2.1.0 || exit 2
venv/bin/python -W ignore - <<'PY'
import io
from pathlib import Path

import duckdb
import polars as pl

LINES = '{"a": 12345678901234567.89}\n{"a": 1.10}\n{"a": 10.505}\n'
Path("lines.jsonl").write_text(LINES)


def duck(kind: str) -> list[str]:
    return [str(a) for (a,) in duckdb.sql(f"SELECT a FROM read_json('lines.jsonl', columns = {{a: '{kind}'}})").fetchall()]


seen = {
    "duckdb, text": duck("VARCHAR"),
    "duckdb, decimal": duck("DECIMAL(30,3)"),
    "polars, text": pl.read_ndjson(io.StringIO(LINES), schema={"a": pl.String})["a"].to_list(),
    "polars, decoded to decimals": [
        str(row["a"]) for row in pl.Series(LINES.splitlines()).str.json_decode(pl.Struct({"a": pl.Decimal(38, 2)}))
    ],
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'duckdb, text': ['1.2345678901234568e+16', '1.1', '10.505'],
    'duckdb, decimal': ['12345678901234567.890', '1.100', '10.505'],
    'polars, text': ['12345678901234568', '1.1', '10.505'],
    'polars, decoded to decimals': ['12345678901234567.68', '1.10', '10.50'],
}, "this has changed"
PY
