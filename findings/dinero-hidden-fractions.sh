#!/usr/bin/env bash
# dinero 0.4.0 (Python), seen on 2026-12-01.
# One would guess: money of a currency with two decimals is rounded or refused at 10.505, and to read it changes nothing.
# What happens: it is shown as 10.50, is equal to 10.50, and three of it are 31.52. 0.005 is shown as 0.00, two of them as 0.01. `to_dict`
# and `to_json` take the object apart: the second of either is a KeyError.
# Why it matters: the lines of an invoice do not add up to its total, and what was logged once as JSON cannot be sent as JSON.
# Known to: [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet dinero==0.4.0 || exit 2
venv/bin/python - <<'PY'
from dinero import Dinero
from dinero.currencies import USD

fee, cents, half = Dinero("10.505", USD), Dinero("10.50", USD), Dinero("0.005", USD)


def second(name):
    made = Dinero("10.50", USD)
    getattr(made, name)()
    try:
        return getattr(made, name)()
    except KeyError as error:
        return f"KeyError {error}"


seen = {
    "shown": [fee.format(), str(fee == cents), (fee * 3).format(), (cents * 3).format()],
    "half a cent": [half.format(), (half + half).format()],
    "again": [second("to_dict"), second("to_json")],
}
print(seen)
assert seen == {
    "shown": ["10.50", "True", "31.52", "31.50"],
    "half a cent": ["0.00", "0.01"],
    "again": ["KeyError 'dinero'", "KeyError 'dinero'"],
}, "this has changed"
PY
