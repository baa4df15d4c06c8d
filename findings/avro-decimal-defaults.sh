#!/usr/bin/env bash
# fastavro 1.13.1 and avro 1.12.2, seen on 2026-11-29.
# One would guess: a decimal that an old file has not is the default of the reader's schema as a Decimal; another scale is refused.
# What happens: the default is no Decimal: text of two characters in fastavro, bytes in avro, for 2.56. A reader's decimal of two places
# takes the three of the writer, 10.505, though the specification says that these do not match.
# Why it matters: a column that was added with a default breaks sums of old and new orders together, or is compared as text.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet fastavro==1.13.1 avro==1.12.2 || exit 2
cat >run.py <<'PY'
from decimal import Decimal
from io import BytesIO

import avro.io
import avro.schema
import fastavro


def schema(scale, **fee):
    kind = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": scale}
    return {"type": "record", "name": "Order", "fields": [{"name": "amount", "type": kind}, {"name": "fee", "type": kind, **fee}][: 1 + bool(fee)]}


writer, reader, order = schema(3), schema(2, default="\u0001\u0000"), {"amount": Decimal("10.505")}
file = BytesIO()
fastavro.writer(file, writer, [order])
file.seek(0)
body = BytesIO()
avro.io.DatumWriter(avro.schema.make_avsc_object(writer)).write(order, avro.io.BinaryEncoder(body))
body.seek(0)
seen = [
    next(fastavro.reader(file, reader_schema=reader)),
    avro.io.DatumReader(*map(avro.schema.make_avsc_object, (writer, reader))).read(avro.io.BinaryDecoder(body)),
]
print(seen)
assert seen == [{**order, "fee": "\x01\x00"}, {**order, "fee": b"\x01\x00"}], "this has changed"
PY
venv/bin/python run.py
