#!/usr/bin/env bash
# yapic-json 1.9.5, seen on 2026-12-01.
# One would guess: a text of JSON is a str, and an integer of twenty digits an int, as with the parser of Python.
# What happens: a text that looks like a day or a time with its zone is a date or a datetime, in any member: the reference "2025-12-01" is
# one, while "20251201" and "2025-12" stay text. 12345678901234567890 is the float 1.2345678901234567e+19, and an int so long
# cannot be written.
# Why it matters: a merchant's number is a str for one order and a date for the next; long ids meet one another.
# Known to: the SDK's reader keeps texts and all digits.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet yapic-json==1.9.5 || exit 2
venv/bin/python - <<'PY'
from datetime import date, datetime

from yapic import json

texts = '{"reference": "2025-12-01", "paid": "2025-12-01T10:00:00Z", "order": "20251201", "month": "2025-12"}'
kinds = {name: type(value) for name, value in json.loads(texts).items()}
number = json.loads('{"id": 12345678901234567890}')["id"]
same = json.loads("12345678901234567890") == json.loads("12345678901234567891")
try:
    written = json.dumps(12345678901234567890)
except json.JsonEncodeError:
    written = "an error"
print(kinds, repr(number), same, written)
assert kinds == {"reference": date, "paid": datetime, "order": str, "month": str}, "this has changed"
assert (repr(number), same, written) == ("1.2345678901234567e+19", True, "an error"), "this has changed"
PY
