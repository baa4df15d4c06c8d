#!/usr/bin/env bash
# pyspark 4.3.0, with Java, seen on 2026-11-28.
# One would guess: a number of JSON that is read as STRING is the same text whichever function reads it.
# What happens: a file that is read with a schema keeps 10.50 and all digits; from_json with the same schema, get_json_object and
# json_tuple give 10.5, 100.0 for 1e2, and 1.2345678901234567E19 for 12345678901234567890.10.
# Why it matters: a capture has the body as text in a column, which these functions open: amounts and ids are changed before anything
# compares them, and what is written again does not verify.
# Known to: [The audit at scale](../docs/audit-at-scale.md): open no body with them. The audit reads bodies as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
java -version >/dev/null 2>&1 || { echo "there is no Java here"; exit 2; }
venv/bin/pip install --quiet pyspark==4.3.0 || exit 2
cat >run.py <<'PY'
from pyspark.sql import SparkSession

local = {"ui.enabled": "false", "driver.bindAddress": "127.0.0.1", "driver.host": "127.0.0.1"}
builder = SparkSession.builder.master("local[1]")
for name, value in local.items():
    builder = builder.config(f"spark.{name}", value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
TEXT = '{"a": 10.50, "b": 1e2, "c": 12345678901234567890.10}'
SCHEMA = "a STRING, b STRING, c STRING"
with open("body.json", "w") as file:
    file.write(TEXT)
spark.createDataFrame([(TEXT,)], "body STRING").createOrReplaceTempView("captured")
seen = {
    "file": spark.read.schema(SCHEMA).json("body.json"),
    "from_json": spark.sql(f"SELECT r.* FROM (SELECT from_json(body, '{SCHEMA}') r FROM captured)"),
    "get_json_object": spark.sql("SELECT get_json_object(body, '$.a'), get_json_object(body, '$.b'), get_json_object(body, '$.c') FROM captured"),
    "json_tuple": spark.sql("SELECT json_tuple(body, 'a', 'b', 'c') FROM captured"),
}
seen = {name: list(frame.first()) for name, frame in seen.items()}
print(seen)
changed = ["10.5", "100.0", "1.2345678901234567E19"]
assert seen == {
    "file": ["10.50", "1e2", "12345678901234567890.10"],
    "from_json": changed,
    "get_json_object": changed,
    "json_tuple": changed,
}, "this has changed"
PY
venv/bin/python run.py 2>/dev/null
