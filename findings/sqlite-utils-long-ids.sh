#!/usr/bin/env bash
# sqlite-utils 4.2.1, seen on 2026-11-28.
# One would guess: `insert --csv` keeps what it reads, as it did, or at least an id of twenty digits as it is.
# What happens: columns have types by default, and a column of digits is INTEGER, to which SQLite gives what does not fit as REAL: two ids
# of twenty digits become one, 1.2345678901234567e+19, and 00123 becomes 123.
# Why it matters: two payments join to one order, and ids with zeros in front to none.
# Known to: no page of ours. `--no-detect-types` keeps text; our ledger stores ids as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet sqlite-utils==4.2.1 || exit 2
printf 'id,order\n12345678901234567890,00123\n12345678901234567891,0123\n' >paid.csv
venv/bin/sqlite-utils insert paid.db typed paid.csv --csv
venv/bin/sqlite-utils insert paid.db kept paid.csv --csv --no-detect-types
venv/bin/python - <<'PY'
import sqlite3

database = sqlite3.connect("paid.db")
seen = {name: database.execute(f'SELECT id, "order" FROM {name}').fetchall() for name in ("typed", "kept")}
print(seen)
assert seen == {
    "typed": [(1.2345678901234567e19, 123), (1.2345678901234567e19, 123)],
    "kept": [("12345678901234567890", "00123"), ("12345678901234567891", "0123")],
}, "this has changed"
PY
