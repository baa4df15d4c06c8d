#!/usr/bin/env bash
# price-parser 0.5.1, seen on 2026-11-28.
# One would guess: a zero before the point makes it a decimal point, and the currency, which is recognised, says how many decimals
# there are: 0.500 BHD is half a dinar.
# What happens: three digits behind a point are thousands, whatever stands before it and whichever currency it is: 500 dinars.
# 0.50 BHD is half a dinar.
# Why it matters: currencies with three decimals (BHD, IQD, JOD, KWD, LYD, OMR, TND) are read a thousand times too high.
# Known to: no page of ours.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps price-parser==0.5.1 attrs==26.1.0 || exit 2
venv/bin/python -W ignore - <<'PY'
from price_parser import Price

seen = {text: str(Price.fromstring(text).amount) for text in ("0.500 BHD", "12.345 KWD", "0.50 BHD", "12.3456 USD")}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    '0.500 BHD': '500',
    '12.345 KWD': '12345',
    '0.50 BHD': '0.50',
    '12.3456 USD': '12.3456',
}, "this has changed"
PY
