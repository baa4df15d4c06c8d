#!/usr/bin/env bash
# lancedb 0.40.0 (pyarrow 26.0.1), seen on 2026-12-01.
# One would guess: 10.505 in a column of two decimals is refused or rounded by each way to write, and a whole number that is none is refused.
# What happens: `add` stores 10.51 and `merge_insert` refuses it; `update` takes no Decimal at all, but the float. An id of 7.9 is 7 by `add`,
# 10.7 is 10 by `update`. A filter `amount = 10.50` is an error, as the number is a double; it needs a CAST.
# Why it matters: the ledger beside an agent's memory differs by cents with the way it was written, and a second payment gets the first's id.
# Known to: docs/amounts.md: round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet lancedb==0.40.0 pyarrow==26.0.1 || exit 2
venv/bin/python -W ignore - 2>/dev/null <<'PY'
from decimal import Decimal

import lancedb
import pyarrow

SCHEMA = pyarrow.schema({"id": pyarrow.int64(), "amount": pyarrow.decimal128(30, 2)})


def written(way, *rows):
    table = lancedb.connect("db").create_table("payments", schema=SCHEMA, mode="overwrite")
    table.add([{"id": 1, "amount": Decimal("10.50")}])
    try:
        way(table)
        row = table.to_arrow().sort_by("id").to_pylist()[-1]
        return row["id"], str(row["amount"])
    except Exception as error:
        return type(error).__name__


def merge(table):
    table.merge_insert("id").when_matched_update_all().execute([{"id": 1, "amount": Decimal("10.505")}])


seen = {
    "add": written(lambda table: table.add([{"id": 2, "amount": Decimal("10.505")}])),
    "merge": written(merge),
    "update": written(lambda table: table.update(where="id = 1", values={"amount": Decimal("10.51")})),
    "update, float": written(lambda table: table.update(where="id = 1", values={"amount": 10.505})),
    "add 7.9": written(lambda table: table.add([{"id": 7.9, "amount": Decimal("1.00")}])),
    "update 10.7": written(lambda table: table.update(where="id = 1", values={"id": 10.7})),
    "filter": written(lambda table: table.search().where("amount = 10.50").to_list()),
    "filter, cast": written(lambda table: table.search().where("amount = CAST('10.50' AS DECIMAL(30, 2))").to_list()),
}
print(seen)
assert seen == {
    "add": (2, "10.51"),
    "merge": "RuntimeError",
    "update": "NotImplementedError",
    "update, float": (1, "10.51"),
    "add 7.9": (7, "1.00"),
    "update 10.7": (10, "10.50"),
    "filter": "ValueError",
    "filter, cast": (1, "10.50"),
}, "this has changed"
PY
