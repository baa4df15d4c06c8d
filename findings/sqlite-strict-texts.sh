#!/usr/bin/env bash
# SQLite 3.54.1 (apsw 3.54.1.0), seen on 2026-11-29.
# One would guess: a STRICT table refuses a float in a column of TEXT, as it refuses a text in one of INTEGER.
# What happens: it writes the float as text, 10.5 for 10.50 and 1.0e+22, and CHECK sees the text. The text `1050.0` goes into INTEGER as
# 1050; only `10.5` is refused there, and bytes here.
# Why it matters: amounts are kept as text, so that they keep their digits, and neither STRICT nor CHECK notices a program
# that hands on a float.
# Known to: the SDK refuses floats.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet apsw==3.54.1.0 || exit 2
cat >run.py <<'PY'
import apsw

connection = apsw.Connection(":memory:")
connection.execute("CREATE TABLE orders (amount TEXT CHECK (typeof(amount) = 'text'), cents INTEGER) STRICT")
for amount, cents in ((10.50, 1050), (0.1 + 0.2, "1050.0"), (12345678901234567.89, 1), (1e22, 1)):
    connection.execute("INSERT INTO orders VALUES (?, ?)", (amount, cents))
seen = connection.execute("SELECT amount, cents FROM orders").fetchall()
for amount, cents in (("10.50", "10.5"), (b"10.50", 1)):
    try:
        connection.execute("INSERT INTO orders VALUES (?, ?)", (amount, cents))
        seen.append("taken")
    except apsw.ConstraintError:
        seen.append("refused")
print(seen)
assert seen == [
    ("10.5", 1050),
    ("0.30000000000000004", 1050),
    ("12345678901234568.0", 1),
    ("1.0e+22", 1),
    "refused",
    "refused",
], "this has changed"
PY
venv/bin/python run.py
