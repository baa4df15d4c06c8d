#!/usr/bin/env bash
# pysail 0.7.2 with pyspark-client 4.2.0, seen on 2026-11-30.
# One would guess: what takes Spark's place, and speaks its protocol, writes and reads DECIMALs in JSON with their digits, as Spark does, and
# refuses a sum that is too large.
# What happens: to_json goes by doubles: 10.50 is 10.5, 12345678901234567.89 is 1.2345678901234568e+16. from_json to a DECIMAL(38,2) gives
# 12345678901234568.00. A SUM of BIGINTs beyond 64 bits is a negative number. Spark 4.3.0 gives the digits in both, and refuses the sum.
# Why it matters: a job that was moved, to be faster, writes other amounts into its topic, and other bytes than those that were signed.
# Known to: docs/audit-at-scale.md: open no body with from_json.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pysail==0.7.2 pyspark-client==4.2.0 || exit 2
cat >run.py <<'PY'
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

server = SparkConnectServer()
server.start(background=True)
host, port = server.listening_address
spark = SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()
ASKED = [
    "to_json(named_struct('a', CAST(10.50 AS DECIMAL(12,2)), 'b', CAST(12345678901234567.89 AS DECIMAL(38,2))))",
    "from_json('{\"a\": 12345678901234567.89}', 'a DECIMAL(38,2)').a",
    "CAST('12345678901234567.89' AS DECIMAL(38,2))",
    "sum(cents) FROM VALUES (9223372036854775807), (1) paid(cents)",
]
seen = [str(spark.sql("SELECT " + expression).collect()[0][0]) for expression in ASKED]
spark.stop()
server.stop()
print(*seen, sep="\n")
assert seen == ['{"a":10.5,"b":1.2345678901234568e+16}', "12345678901234568.00", "12345678901234567.89", "-9223372036854775808"], "this has changed"
PY
venv/bin/python -W ignore run.py
