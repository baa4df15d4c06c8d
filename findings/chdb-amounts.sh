#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9), seen on 2026-11-29.
# One would guess: what does not fit the decimals of a type is rounded or refused, a quotient gets more digits, a null amount is NULL or
# refused, and all functions read a number in JSON alike.
# What happens: it is cut: 2.00 / 3 is 0.66, the text 10.509 is 10.50 with two decimals, the number 0.29 is 0.28. Null and nothing are 0.
# JSONEachRow keeps all digits; JSONExtract takes them through a double: 12345678901234567.89 is 12345678901234568.
# Why it matters: shares and amounts lose a cent, always in one direction; an order without an amount is one of 0.
# Known to: docs/amounts.md says to round before the call; the audit reads the exact bytes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet chdb==4.4.0 || exit 2
cat >run.py <<'PY'
import chdb

BODY = '{"amount": 12345678901234567.89}'
QUERIES = {
    "quotient": "SELECT toString(toDecimal64('2.00', 2) / 3)",
    "text": "SELECT toString(toDecimal64('10.509', 2)), toString(CAST('-10.509' AS Decimal(10, 2)))",
    "number": "SELECT toString(toDecimal64(0.29, 2)), countIf(toDecimal64(number / 100, 2) * 100 != number) FROM numbers(10000)",
    "null": """SELECT amount FROM format(JSONEachRow, 'amount Decimal(20, 2)', '{"amount": null}{}')""",
    "row": f"SELECT amount FROM format(JSONEachRow, 'amount Decimal(20, 2)', '{BODY}')",
    "extracted": f"SELECT JSONExtract('{BODY}', 'amount', 'Decimal(20, 2)'), JSONExtractString('{BODY}', 'amount')",
}
seen = {what: str(chdb.query(query, "TSV")).split() for what, query in QUERIES.items()}
print(seen)
assert seen == {
    "quotient": ["0.66"],
    "text": ["10.5", "-10.5"],
    "number": ["0.28", "573"],
    "null": ["0", "0"],
    "row": ["12345678901234567.89"],
    "extracted": ["12345678901234568", "12345678901234568"],
}, "this has changed"
PY
venv/bin/python run.py
