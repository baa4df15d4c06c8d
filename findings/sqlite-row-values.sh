#!/usr/bin/env bash
# SQLite 3.54.1 (apsw 3.54.1.0), seen on 2026-11-29.
# One would guess: `(at, number) > (?, ?)` begins reading at that row of an index, wherever the two come from, and an equality that the
# comparison has already, `status = 'open' AND (status, at, number) > ('open', ?, ?)`, changes nothing.
# What happens: with values it is so. With the equality, all rows of the status are read; with `> (SELECT at, number ...)` all of that
# `at`; with `at >= ? AND (at > ? OR number > ?)` too.
# Why it matters: each page of a list reads the table up to it; the plan says SEARCH and COVERING INDEX all the same.
# Known to: our ledger, which reads its items page by page: `tests/receiver/ledgers/test_open_items.py`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet apsw==3.54.1.0 || exit 2
cat >run.py <<'PY'
import apsw

connection = apsw.Connection(":memory:")
connection.execute("CREATE TABLE orders (status TEXT, at INTEGER, number TEXT)")
rows = [("open", 5 if number < 10_000 else 6, f"{number:06}") for number in range(20_000)]
connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
connection.execute("CREATE INDEX by_time ON orders (at, number); CREATE INDEX by_status ON orders (status, at, number)")
steps = 0


def step():
    global steps
    steps += 1
    return False


def counted(condition, by="at, number"):
    """Return how many steps of its machine SQLite takes for the five rows after number 009990."""
    global steps
    steps = 0
    connection.set_progress_handler(step, 1)
    found = connection.execute(f"SELECT number FROM orders WHERE {condition} ORDER BY {by} LIMIT 5").fetchall()
    connection.set_progress_handler(None)
    assert [number for (number,) in found] == ["009991", "009992", "009993", "009994", "009995"], "this has changed"
    return steps


connection.execute("CREATE TABLE last (at INTEGER, number TEXT)")
connection.execute("INSERT INTO last VALUES (5, '009990')")
all_three = "status, at, number"
seen = {
    condition: counted(condition, by)
    for condition, by in (
        ("(at, number) > (5, '009990')", "at, number"),
        ("(status, at, number) > ('open', 5, '009990')", all_three),
        ("status = 'open' AND (at, number) > (5, '009990')", all_three),
        ("status = 'open' AND (status, at, number) > ('open', 5, '009990')", all_three),
        ("(at, number) > (SELECT at, number FROM last)", "at, number"),
        ("at >= 5 AND (at > 5 OR number > '009990')", "at, number"),
    )
}
for condition, taken in seen.items():
    print(f"{taken:7} {condition}")
assert [taken > 10_000 for taken in seen.values()] == [False, False, False, True, True, True], "this has changed"
PY
venv/bin/python run.py
