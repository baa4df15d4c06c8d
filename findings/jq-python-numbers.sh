#!/usr/bin/env bash
# jq 1.13.0, the Python binding, seen on 2026-11-28.
# One would guess: numbers that a filter passes on are written with their digits, as jq has done since 1.7, or else rounded everywhere.
# What happens: jq holds all digits: it finds the ids 12345678901234567890 and ...891 different, and `tojson` has them. But what a program
# gets is rounded: both are 12345678901234567168, 10.50 is 10.5, and 1e400 is 1.7976931348623157e+308.
# Why it matters: a list of different ids comes out with one id twice, and each refund goes to the wrong order or to none.
# Known to: [When a signature fails](../docs/signatures.md): what was parsed and written again has other bytes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet jq==1.13.0 || exit 2
venv/bin/python - <<'PY'
import jq

TEXT = "[12345678901234567890, 12345678901234567891, 10.50, 1e400]"
seen = {filter: jq.compile(filter).input_text(TEXT).text() for filter in (".", ".[0] == .[1]", ".[:2] | unique", ".[:3] | tojson")}
print(seen)
assert seen == {
    ".": "[12345678901234567168, 12345678901234567168, 10.5, 1.7976931348623157e+308]",
    ".[0] == .[1]": "false",
    ".[:2] | unique": "[12345678901234567168, 12345678901234567168]",
    ".[:3] | tojson": '"[12345678901234567890,12345678901234567891,10.50]"',
}, "this has changed"
PY
