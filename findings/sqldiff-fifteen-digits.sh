#!/usr/bin/env bash
# sqldiff of sqlite3-tools 3.40.1 of Debian 12, seen on 2026-12-01.
# One would guess: what it prints changes the first database into the second, and rows with one primary key are compared.
# What happens: it writes doubles with fifteen digits: 0.1 + 0.2 becomes 0.3 and 12345678901234.566 loses a cent's tenth, so that it prints the
# same changes again for ever. A table with a text as its key is compared by `rowid`: the same three orders, loaded in reverse, are
# two changes, unless `--primarykey` is given.
# Why it matters: a copy of a ledger that was patched is called different each night; two equal exports look wrong in each row.
# Known to: our ledgers store text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 sqlite3-tools=3.40.1-2+deb12u2 2>/dev/null || exit 2
dpkg --extract ./*.deb .
python3 - <<'PY'
import sqlite3
from subprocess import run


def made(file, rows):
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE orders (id TEXT PRIMARY KEY, amount REAL)")
        database.executemany("INSERT INTO orders VALUES (?, ?)", rows)
    database.close()


def changes(*arguments):
    return run(["usr/bin/sqldiff", *arguments], capture_output=True, text=True, check=True).stdout.splitlines()


made("old.db", [("A", 0.5), ("B", 1.0)])
made("new.db", [("A", 0.1 + 0.2), ("B", 12345678901234.567)])
first = changes("old.db", "new.db")
with sqlite3.connect("old.db") as patched:
    patched.executescript("".join(first))
patched.close()
rows = [("A", 1.0), ("B", 2.0), ("C", 3.0)]
made("one.db", rows)
made("other.db", reversed(rows))
seen = first, changes("old.db", "new.db") == first, len(changes("one.db", "other.db")), len(changes("--primarykey", "one.db", "other.db"))
print(seen)
patch = ["UPDATE orders SET amount=0.3 WHERE rowid=1;", "UPDATE orders SET amount=12345678901234.6 WHERE rowid=2;"]
assert seen == (patch, True, 2, 0), "this has changed"
PY
