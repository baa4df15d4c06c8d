#!/usr/bin/env bash
# fhir.resources 8.3.0 with pydantic 2.14.4 of PyPI, seen on 2026-11-30.
# One would guess: as FHIR demands of its decimals, 10.50 stays 10.50 from JSON to JSON, and digits are kept: the class is a Decimal.
# What happens: 10.50 is written as 10.5, and 12345678901234567.89 is already 12345678901234568 when it is read. A Decimal of it that a program
# puts in is right in memory, and written as 1.2345678901234568e+16.
# Why it matters: invoices, claims and payment notices of hospitals and insurers pass through it; a document that was signed, or is compared
# by its text, is another one after it, and a large sum is a wrong one.
# Known to: [When a signature fails](../docs/signatures.md#the-gateway-refuses-your-request) names bodies that were written anew.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet fhir-resources==8.3.0 pydantic==2.14.4 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

from fhir.resources.money import Money

seen = []
for digits in ("10.50", "12345678901234567.89"):
    read = Money.model_validate_json(f'{{"value": {digits}, "currency": "USD"}}')
    made = Money(value=Decimal(digits), currency="USD")
    seen.append([str(read.value), read.model_dump_json(), str(made.value), made.model_dump_json()])
    print(digits, *seen[-1])
assert seen == [
    ["10.5", '{"value":10.5,"currency":"USD"}', "10.50", '{"value":10.5,"currency":"USD"}'],
    [
        "12345678901234568",
        '{"value":12345678901234568,"currency":"USD"}',
        "12345678901234567.89",
        '{"value":1.2345678901234568e+16,"currency":"USD"}',
    ],
], "this has changed"
PY
