#!/usr/bin/env bash
# SQLAlchemy 2.1.9 with the sqlite3 of Python, seen on 2026-11-28.
# One would guess: a `Numeric(20, 2)` column on SQLite keeps a Decimal, or SQLAlchemy warns that it goes through a float, as
# earlier versions did.
# What happens: 123456789012345678.91 comes back as 123456789012345680.00, a Decimal with two decimals that looks exact, and there
# is no warning. 10.505 is stored with its three decimals, and read as 10.51.
# Why it matters: sums of amounts in small units of rupiah or dong reach sixteen digits. What is read is not what was written, though
# its type says so. Store amounts as text, as the samples of our pages do.
# Known to: docs/notifications.md and docs/paid.md store `str(amount)` in TEXT columns.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps sqlalchemy==2.1.9 typing_extensions==4.16.0 || exit 2
venv/bin/python -W ignore - <<'PY'
import warnings
from decimal import Decimal

import sqlalchemy as sa

engine = sa.create_engine("sqlite://")
payments = sa.Table("payments", sa.MetaData(), sa.Column("amount", sa.Numeric(20, 2)))
payments.metadata.create_all(engine)
with warnings.catch_warnings(record=True) as warned, engine.begin() as connection:
    warnings.simplefilter("always")
    for text in ("123456789012345678.91", "10.505"):
        connection.execute(payments.insert().values(amount=Decimal(text)))
    read = connection.execute(sa.select(payments.c.amount)).scalars().all()
seen = {"read": [str(amount) for amount in read], "warnings": len(warned)}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'read': ['123456789012345680.00', '10.51'],
    'warnings': 0,
}, "this has changed"
PY
