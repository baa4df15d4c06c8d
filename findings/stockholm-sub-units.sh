#!/usr/bin/env bash
# stockholm 0.5.7, seen on 2026-11-28.
# One would guess: `from_sub_units(100, "JPY")` is 100 yen, as ISO 4217 has no smaller unit of it.
# What happens: the currency's own decimals count only if the currency is given as an object. Given as text, every currency has
# hundredths: 100 of the smallest unit of yen are 1 yen, and 1,000 fils are 10 dinars.
# Why it matters: who reads another gateway's minor units with it books a hundredth of the yen, and ten times the dinars.
# Known to: no page of ours. This gateway's amounts are decimal, and the SDK takes and gives Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps stockholm==0.5.7 || exit 2
venv/bin/python -W ignore - <<'PY'
from stockholm import Money, currency

seen = {
    "100 of JPY, as text": str(Money.from_sub_units(100, "JPY")),
    "100 of JPY, as an object": str(Money.from_sub_units(100, currency.JPY)),
    "1000 of KWD, as text": str(Money.from_sub_units(1000, "KWD")),
    "1000 of KWD, as an object": str(Money.from_sub_units(1000, currency.KWD)),
    "sub units of '100 JPY'": str(Money("100 JPY").sub_units),
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    '100 of JPY, as text': '1.00 JPY',
    '100 of JPY, as an object': '100 JPY',
    '1000 of KWD, as text': '10.00 KWD',
    '1000 of KWD, as an object': '1.000 KWD',
    "sub units of '100 JPY'": '10000',
}, "this has changed"
PY
