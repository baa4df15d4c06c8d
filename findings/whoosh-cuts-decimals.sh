#!/usr/bin/env bash
# Whoosh-Reloaded 2.7.5, seen on 2026-12-01.
# One would guess: a field NUMERIC(Decimal, decimal_places=2) refuses or rounds a third decimal, and holds what Decimal holds.
# What happens: it cuts: 10.509 is found by 10.50, and a question for 10.505 finds 10.50. It ends at 21474836.47 unless `bits=64` is asked
# for: a larger amount cannot be indexed, and a question for one finds nothing, without an error.
# Why it matters: a search of payments by amount finds those of another amount, and says of large ones that there are none.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet whoosh-reloaded==2.7.5 || exit 2
venv/bin/python - 2>/dev/null <<'PY'
from decimal import Decimal

from whoosh.fields import ID, NUMERIC, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.qparser import QueryParser

schema = Schema(id=ID(stored=True), amount=NUMERIC(Decimal, decimal_places=2, stored=True))
index = RamStorage().create_index(schema)
writer = index.writer()
for text in ("10.50", "10.509", "0.29", "-0.29"):
    writer.add_document(id=text, amount=Decimal(text))
try:
    writer.add_document(id="large", amount=Decimal("21474836.48"))
except ValueError as error:
    print(error)
else:
    raise SystemExit("this has changed")
writer.commit()
with index.searcher() as searcher:
    asked = ("10.50", "10.505", "10.51", "0.29", "99999999.99")
    seen = {
        text: [hit["id"] for hit in searcher.search(QueryParser("id", schema).parse(f"amount:{text}"))] for text in asked
    }
print(seen)
assert seen == {
    "10.50": ["10.50", "10.509"],
    "10.505": ["10.50", "10.509"],
    "10.51": [],
    "0.29": ["0.29"],
    "99999999.99": [],
}, "this has changed"
PY
