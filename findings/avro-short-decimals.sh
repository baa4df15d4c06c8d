#!/usr/bin/env bash
# avro 1.12.2 and fastavro 1.13.1, seen on 2026-11-29.
# One would guess: Decimal('10.5') in a field decimal(12,2) is 10.50; what has more digits than the field is refused.
# What happens: avro stores the digits and forgets where the point is: 10.5 is read back as 1.05, -0.5 as -0.05, 1E+3 as 0.01. Thirteen
# digits pass a precision of twelve. Only more decimals than the field has are refused. fastavro gives 10.50, and refuses what is too long.
# Why it matters: an amount that was computed or parsed without its last zero is a tenth of itself in the topic, for any reader.
# Known to: nothing of ours writes Avro.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet avro==1.12.2 fastavro==1.13.1 || exit 2
cat >run.py <<'PY'
import io
import json
from decimal import Decimal

import avro.io
import avro.schema
import fastavro

AMOUNT = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
SCHEMA = {"type": "record", "name": "order", "fields": [{"name": "amount", "type": AMOUNT}]}


def apache(amount):
    schema, file = avro.schema.parse(json.dumps(SCHEMA)), io.BytesIO()
    avro.io.DatumWriter(schema).write({"amount": amount}, avro.io.BinaryEncoder(file))
    return avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(io.BytesIO(file.getvalue())))["amount"]


def fast(amount):
    schema, file = fastavro.parse_schema(dict(SCHEMA)), io.BytesIO()
    fastavro.schemaless_writer(file, schema, {"amount": amount})
    return fastavro.schemaless_reader(io.BytesIO(file.getvalue()), schema)["amount"]


def seen(write, amount):
    try:
        return str(write(Decimal(amount)))
    except Exception as refused:
        return type(refused).__name__


found = {amount: (seen(apache, amount), seen(fast, amount)) for amount in ("10.50", "10.5", "-0.5", "1E+3", "12345678901.00", "10.505")}
print(found)
assert found == {
    "10.50": ("10.50", "10.50"),
    "10.5": ("1.05", "10.50"),
    "-0.5": ("-0.05", "-0.50"),
    "1E+3": ("0.01", "1000.00"),
    "12345678901.00": ("12345678901.0", "ValueError"),
    "10.505": ("AvroOutOfScaleException", "ValueError"),
}, "this has changed"
PY
venv/bin/python run.py
