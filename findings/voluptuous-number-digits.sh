#!/usr/bin/env bash
# voluptuous 0.16.0, seen on 2026-12-01.
# One would guess: `Number(precision=6, scale=2)` takes what fits into DECIMAL(6,2), as the words mean in databases.
# What happens: both are taken exactly: 1234.56 passes; 100, 10.5, 10.50, 0.50 and 999.99 are refused, with "Precision must be equal to 6".
# Why it matters: a check of amounts that was tried with one large amount refuses nearly all that customers pay.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet voluptuous==0.16.0 || exit 2
venv/bin/python - <<'PY'
from voluptuous import Invalid, Number

amount = Number(precision=6, scale=2)


def of(text):
    try:
        return f"takes {amount(text)}"
    except Invalid as error:
        return str(error)


seen = {text: of(text) for text in ("1234.56", "100", "10.5", "10.50", "0.50", "999.99")}
print(seen)
both = "Precision must be equal to 6, and Scale must be equal to 2"
assert seen == {
    "1234.56": "takes 1234.56",
    "100": both,
    "10.5": both,
    "10.50": "Precision must be equal to 6",
    "0.50": "Precision must be equal to 6",
    "999.99": "Precision must be equal to 6",
}, "this has changed"
PY
