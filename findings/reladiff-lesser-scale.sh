#!/usr/bin/env bash
# reladiff 0.6.0 (duckdb 2.0.1), seen on 2026-12-01.
# One would guess: a comparison of two tables tells an amount of 10.505 from one of 10.51.
# What happens: both columns are rounded to the smaller scale first: between decimal(12,3) and decimal(12,2) they are equal, and so are the
# copies in doubles. A line of the log says "Using reduced precision", the result says nothing. Text beside a number is a TypeError.
# Why it matters: a reconciliation of the ledger with its copy in the warehouse reports no difference where each third decimal was lost.
# Known to: the audit compares amounts exactly.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet reladiff==0.6.0 duckdb==2.0.1 || exit 2
venv/bin/python - 2>/dev/null <<'PY'
import os

import duckdb
from reladiff import connect_to_table, diff_tables


def table(name, kind, amounts):
    with duckdb.connect(name) as database:
        database.execute(f"CREATE TABLE payments (id INTEGER, amount {kind})")
        database.executemany("INSERT INTO payments VALUES (?, ?)", list(enumerate(amounts)))
    return connect_to_table(f"duckdb://main:@{os.getcwd()}/{name}", "payments", "id")


ledger = table("ledger.db", "DECIMAL(12,3)", ["10.505", "0.294", "7"])
copies = {
    "two decimals": table("copy.db", "DECIMAL(12,2)", ["10.51", "0.29", "7"]),
    "another cent": table("cent.db", "DECIMAL(12,2)", ["10.50", "0.29", "7"]),
    "three decimals": table("other.db", "DECIMAL(12,3)", ["10.510", "0.290", "7"]),
}
seen = {name: [str(row) for row in diff_tables(ledger, copy, extra_columns=("amount",))] for name, copy in copies.items()}
print(seen)
assert seen["two decimals"] == [], "this has changed"
assert len(seen["another cent"]) == 2, "this has changed"
assert len(seen["three decimals"]) == 4, "this has changed"
PY
