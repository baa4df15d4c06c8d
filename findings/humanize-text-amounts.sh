#!/usr/bin/env bash
# humanize 4.17.0, seen on 2026-12-01.
# One would guess: `intcomma` puts commas into the digits that it is given, whether text, int or Decimal.
# What happens: a text with a point goes by a float: 12345678901234567.89 is 1.2345678901234568e+16, and 10.50 is 10.5; 0012 is 12. With two
# digits asked for, the int 12345678901234567 is 12,345,678,901,234,568.00. Decimals are exact, but `intword` of 10.50 is 10.
# Why it matters: amounts arrive from gateways as text in order not to be floats; what the customer is shown is not what he paid.
# Known to: [Amounts](../docs/amounts.md): the SDK gives Decimals.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet humanize==4.17.0 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

from humanize import intcomma, intword

long = "12345678901234567.89"
seen = {
    "texts": [intcomma(long), intcomma("10.50"), intcomma("0012")],
    "two digits": [intcomma(long, 2), intcomma(12345678901234567, 2)],
    "decimals": [intcomma(Decimal(long)), intcomma(Decimal("10.50")), intcomma(Decimal("1E+3")), intword(Decimal("10.50"))],
}
print(seen)
assert seen == {
    "texts": ["1.2345678901234568e+16", "10.5", "12"],
    "two digits": ["12,345,678,901,234,568.00", "12,345,678,901,234,568.00"],
    "decimals": ["12,345,678,901,234,567.89", "10.50", "1E+3", "10"],
}, "this has changed"
PY
