#!/usr/bin/env bash
# bottle 0.13.4 with and without ujson 6.1.0, seen on 2026-11-28.
# One would guess: a Decimal in an answer is a TypeError, and a package that another package brought changes nothing about it.
# What happens: where ujson is installed, bottle takes it unasked, and the Decimal is written as a float: 10.5, 1.2345678901234568e+17.
# Why it matters: amounts of eighteen digits lose their end, on the host where somebody's dependency brought ujson, and the same code
# raises on the next.
# Known to: no page of ours. The receiver reads and writes its JSON itself, from and to bytes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet bottle==0.13.4 || exit 2
cat >seen.py <<'PY'
from decimal import Decimal

from bottle import json_dumps

for amount in ("10.50", "123456789012345678.91"):
    try:
        print(json_dumps({"amount": Decimal(amount)}))
    except TypeError as error:
        print(type(error).__name__)
PY
venv/bin/python seen.py | tee seen
venv/bin/pip install --quiet ujson==6.1.0 || exit 2
venv/bin/python seen.py | tee -a seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
TypeError
TypeError
{"amount":10.5}
{"amount":1.2345678901234568e+17}
SEEN
