#!/usr/bin/env bash
# texttable 1.7.2, beautifultable 1.1.0 and prettytable 3.18.0, seen on 2026-12-01.
# One would guess: a table printed on a terminal shows the texts and Decimals that it is given.
# What happens: texttable reads each text as a number: the order number 0012 is 12, 20261130001 is 2.026e+10, 1_000 is 1000; amounts get three
# decimals. beautifultable does the same with doubles: 10.50 is 10.5. prettytable leaves all as it is.
# Why it matters: the order number that support copies from a report does not exist, and an amount of seventeen digits shows four.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet texttable==1.7.2 beautifultable==1.1.0 prettytable==3.18.0 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

from beautifultable import BeautifulTable
from prettytable import PrettyTable
from texttable import Texttable

ROWS = [["0012", "10.50"], ["20261130001", "10.5055"], ["1_000", Decimal("12345678901234567.89")]]
text, beautiful, pretty = Texttable(), BeautifulTable(), PrettyTable(["id", "amount"], header=False)
text.set_deco(0)
text.add_rows(ROWS, header=False)
pretty.add_rows(ROWS)
for row in ROWS:
    beautiful.rows.append(row)


def cells(table):
    return [words for line in str(table).splitlines() if (words := line.replace("|", " ").split()) and "-" not in words[0]]


seen = {"texttable": cells(text.draw()), "beautifultable": cells(beautiful), "prettytable": cells(pretty)}
print(seen)
assert seen == {
    "texttable": [["12", "10.500"], ["2.026e+10", "10.505"], ["1000", "1.235e+16"]],
    "beautifultable": [["12", "10.5"], ["20261130001", "10.505"], ["1000", "1.2345678901234568e+16"]],
    "prettytable": [["0012", "10.50"], ["20261130001", "10.5055"], ["1_000", "12345678901234567.89"]],
}, "this has changed"
PY
