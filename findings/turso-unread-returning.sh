#!/usr/bin/env bash
# pyturso 0.8.3 (Turso, SQLite's database anew in Rust), seen on 2026-11-29.
# One would guess: `INSERT ... RETURNING id` puts the row in when it is executed, and what is read of its answer changes nothing.
# What happens: an answer that nobody reads means no row: `commit()` succeeds, and the order is not there. After `fetchone()`, which
# has read all that there is, `commit()` raises OperationalError. Only `fetchall()` is followed by a row and a commit.
# Why it matters: a program that asks for the id and does not always need it loses orders without an error.
# Known to: our ledger on SQLite opens its file with sqlite3 itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyturso==0.8.3 || exit 2
venv/bin/python - <<'PY'
import turso

seen = {}
for way in ("not read", "fetchone", "fetchall"):
    connection = turso.connect(f"{way}.db")
    connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)")
    connection.commit()
    cursor = connection.execute("INSERT INTO orders (number) VALUES ('A') RETURNING id")
    if way != "not read":
        getattr(cursor, way)()
    try:
        connection.commit()
        said = "committed"
    except turso.Error as error:
        said = type(error).__name__
    seen[way] = (said, turso.connect(f"{way}.db").execute("SELECT count(*) FROM orders").fetchall()[0][0])
print(seen)
assert seen == {"not read": ("committed", 0), "fetchone": ("OperationalError", 0), "fetchall": ("committed", 1)}, "this has changed"
PY
