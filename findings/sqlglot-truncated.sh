#!/usr/bin/env bash
# sqlglot 30.30.0 with duckdb 2.0.1, seen on 2026-11-29.
# One would guess: what a database cannot do as asked is written otherwise, or refused; and a NUMERIC without digits, which knows no limit
# in PostgreSQL, is given digits, as DuckDB's and Snowflake's DECIMAL is when it is read from them.
# What happens: TRUNC(fee, 2) becomes TRUNC(fee) for SQLite, and a cast to BIGINT for Spark, with one line in a log: the cents are gone.
# NUMERIC becomes a bare DECIMAL, which has three decimals in DuckDB, and none in MySQL, Snowflake, Spark and SQL Server.
# Why it matters: a report that is moved to another database has other amounts, and no error.
# Known to: the SDK computes with Decimal, and its ledgers store text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet sqlglot==30.30.0 duckdb==2.0.1 || exit 2
cat >run.py <<'PY'
import logging

import duckdb
import sqlglot

logging.disable()


def written(sql: str, to: str, of: str = "postgres") -> str:
    return sqlglot.transpile(sql, read=of, write=to)[0]


fee, rate = "SELECT TRUNC(10.999, 2)", "SELECT CAST('10.50555' AS NUMERIC)"
seen = [
    *(written(fee, to) for to in ("sqlite", "spark", "duckdb")),
    *(written(rate, to) for to in ("duckdb", "mysql", "snowflake", "spark", "tsql")),
    written("SELECT CAST('10.50555' AS DECIMAL)", "postgres", "duckdb"),
    str(duckdb.sql(written(rate, "duckdb")).fetchall()[0][0]),
]
print(*seen, sep="\n")
assert seen == [
    "SELECT TRUNC(10.999)",
    "SELECT CAST(10.999 AS BIGINT)",
    "SELECT TRUNC(10.999, 2)",
    *["SELECT CAST('10.50555' AS DECIMAL)"] * 4,
    "SELECT CAST('10.50555' AS NUMERIC)",
    "SELECT CAST('10.50555' AS DECIMAL(18, 3))",
    "10.506",
], "this has changed"
PY
venv/bin/python run.py
