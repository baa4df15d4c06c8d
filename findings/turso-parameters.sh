#!/usr/bin/env bash
# pyturso 0.8.3, libsql 0.1.11 and @tursodatabase/database 0.7.2, seen on 2026-11-29.
# One would guess: what SQLite has no type for is refused, as sqlite3 refuses a Decimal and a number of more than 63 bits.
# What happens: in Python both become doubles: 123456789012345678.91 is 1.2345678901234568e+17. In JavaScript a Date is its long text
# with the zone of the machine, and undefined is not NULL but the text `undefined`.
# Why it matters: amounts and long ids lose their end in columns of text too, and a member that was missing is found by no `IS NULL`.
# Known to: our ledgers store amounts and ids as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyturso==0.8.3 libsql==0.1.11 || exit 2
npm install --silent --no-fund --no-audit --no-save @tursodatabase/database@0.7.2 || exit 2
cat >run.mjs <<'JS'
import { connect } from '@tursodatabase/database'

const shop = await connect(':memory:')
const asked = await shop.prepare('SELECT typeof(?) AS kind, ? AS value')
for (const value of [undefined, new Date(0), null]) {
  const { kind, value: kept } = await asked.get(value, value)
  console.log(`${kind} ${String(kept).slice(0, 15)}`)
}
process.exit(0)
JS
{
  venv/bin/python - <<'PY'
import sqlite3
from decimal import Decimal

import libsql
import turso

for package in (sqlite3, turso, libsql):
    for value in (Decimal("123456789012345678.91"), 2**63):
        try:
            (row,) = package.connect(":memory:").execute("SELECT typeof(?), ?", (value, value)).fetchall()
            print(package.__name__, *row)
        except Exception as error:
            print(package.__name__, type(error).__name__)
PY
  TZ=UTC node run.mjs
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
sqlite3 ProgrammingError
sqlite3 OverflowError
turso real 1.2345678901234568e+17
turso real 9.223372036854776e+18
libsql real 1.2345678901234568e+17
libsql real 9.223372036854776e+18
text undefined
text Thu Jan 01 1970
null null
SEEN
