#!/usr/bin/env bash
# firebird-driver 2.1.0 and Firebird 5.0.4 (firebird-embedded 5.0.4.4), with libtommath1 of Debian 12, seen on 2026-11-30.
# One would guess: a Decimal, a text and a literal 10.505 are one amount in a column of two decimals; no row of 10.50 is equal to 10.505.
# What happens: 10.51 as text or literal, 10.50 as Decimal, which goes half to even, and 10.509 is 10.51. `WHERE amount = ?` with
# Decimal('10.505') finds the row of 10.50, with the text '10.505' that of 10.51; the literal finds none. AVG of 10.50 and 10.51 is 10.50.
# Why it matters: a fee booked by the program differs by a cent from the one that a procedure books, and a check for its amount finds another.
# Known to: [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libtommath1=1.2.0-6+deb12u1 2>/dev/null || exit 2
dpkg --extract libtommath1_*.deb .
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet firebird-driver==2.1.0 firebird-base==2.0.4 firebird-embedded==5.0.4.4 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

from firebird.driver import create_database, driver_config
from firebird.embedded.provider import FirebirdProvider

driver_config.fb_client_library.value = str(FirebirdProvider().client_library)
with create_database("orders.fdb", user="sysdba") as connection:
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE orders (kind VARCHAR(9), amount NUMERIC(12, 2))")
    connection.commit()
    for text in ("10.505", "10.515", "10.509", "-10.505"):
        cursor.execute("INSERT INTO orders VALUES ('Decimal', ?)", (Decimal(text),))
        cursor.execute("INSERT INTO orders VALUES ('text', ?)", (text,))
        cursor.execute(f"INSERT INTO orders VALUES ('literal', {text})")
    seen = {}
    for kind, amount in cursor.execute("SELECT kind, amount FROM orders").fetchall():
        seen.setdefault(kind, []).append(str(amount))
    find = "SELECT DISTINCT amount FROM orders WHERE amount = "
    found = [
        [str(amount) for (amount,) in cursor.execute(find + value, parameters).fetchall()]
        for value, parameters in (("?", (Decimal("10.505"),)), ("?", ("10.505",)), ("10.505", None))
    ]
    mean = "SELECT AVG(amount) FROM (SELECT DISTINCT amount FROM orders WHERE amount BETWEEN 0 AND 10.51)"
    average = str(cursor.execute(mean).fetchone()[0])
print(seen, found, average, sep="\n")
assert seen == {
    "Decimal": ["10.50", "10.52", "10.51", "-10.50"],
    "text": ["10.51", "10.52", "10.51", "-10.51"], "literal": ["10.51", "10.52", "10.51", "-10.51"],
}, "this has changed"
assert (found, average) == ([["10.50"], ["10.51"], []], "10.50"), "this has changed"
PY
runtime="$folder/$(echo venv/lib/python*/site-packages/firebird/embedded/runtime)"
FIREBIRD="$runtime" FIREBIRD_LOCK="$folder" LD_LIBRARY_PATH="$folder/usr/lib/x86_64-linux-gnu:$runtime" venv/bin/python run.py
