#!/usr/bin/env bash
# msgspec 0.23.0 with PyYAML 6.0.3, seen on 2026-12-01.
# One would guess: a field of type Decimal has the digits of the text in each of its formats, as it has in JSON.
# What happens: in JSON 12345678901234567.89 is exact, and 10.10 keeps its zero. In YAML and TOML the same number is read as a double first:
# 12345678901234568, and 10.1. `convert` of a float does the same. Written, the amount is text in both, and so comes back exact.
# Why it matters: a price list or a fixture that a person wrote has other amounts than one that the program wrote, in a typed field.
# Known to: no page of ours.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet msgspec==0.23.0 pyyaml==6.0.3 tomli-w==1.2.0 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import msgspec


class Price(msgspec.Struct):
    amount: Decimal


json, yaml, toml = msgspec.json, msgspec.yaml, msgspec.toml
seen = {
    "json": [str(json.decode(b'{"amount":%s}' % text, type=Price).amount) for text in (b"12345678901234567.89", b"10.10")],
    "yaml": [str(yaml.decode(b"amount: " + text, type=Price).amount) for text in (b"12345678901234567.89", b"10.10")],
    "toml": [str(toml.decode(b"amount = " + text, type=Price).amount) for text in (b"12345678901234567.89", b"10.10")],
    "written": [yaml.encode(Price(Decimal("10.10"))), toml.encode(Price(Decimal("10.10")))],
    "back": str(yaml.decode(yaml.encode(Price(Decimal("10.10"))), type=Price).amount),
}
print(seen)
assert seen == {
    "json": ["12345678901234567.89", "10.10"],
    "yaml": ["12345678901234568", "10.1"],
    "toml": ["12345678901234568", "10.1"],
    "written": [b"amount: '10.10'\n", b'amount = "10.10"\n'],
    "back": "10.10",
}, "this has changed"
PY
