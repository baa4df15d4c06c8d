#!/usr/bin/env bash
# SQLAlchemy 2.1.9 with the sqlite3 of Python, seen on 2026-11-28.
# One would guess: what is written in a `begin_nested()` block belongs to the session's transaction: another connection does not see
# it before the commit, and a rollback undoes it.
# What happens: a session that has only read has no transaction in SQLite, for the driver begins one before a write alone. The
# savepoint is the outermost one, and its end commits: another connection sees the row at once, and `rollback()` leaves it there.
# Why it matters: the row of an order outlives the rollback of the work that it was part of. Begin with a write, or with
# `BEGIN IMMEDIATE` by an event, as SQLAlchemy's page about SQLite shows.
# Known to: docs/notifications.md says to write through `event.transaction`; the ledger begins its transactions itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps sqlalchemy==2.1.9 typing_extensions==4.16.0 || exit 2
venv/bin/python -W ignore - <<'PY'
import sqlite3
from contextlib import closing

import sqlalchemy as sa
from sqlalchemy.orm import Session

engine = sa.create_engine("sqlite:///shop.db")
orders = sa.Table("orders", sa.MetaData(), sa.Column("number", sa.String))
orders.metadata.create_all(engine)


def others_see() -> int:
    with closing(sqlite3.connect("shop.db")) as other:
        return other.execute("SELECT count(*) FROM orders").fetchone()[0]


with Session(engine) as session:
    session.execute(sa.select(orders)).all()
    with session.begin_nested():
        session.execute(orders.insert().values(number="ORD_1"))
    seen = {"others see, before any commit": others_see()}
    session.rollback()
    seen["rows after the rollback"] = others_see()
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'others see, before any commit': 1,
    'rows after the rollback': 1,
}, "this has changed"
PY
