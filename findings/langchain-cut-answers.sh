#!/usr/bin/env bash
# langchain-core 1.8.3 (pydantic 2.14.4), seen on 2026-12-01.
# One would guess: an answer of a model that was cut off in the middle of its JSON is no JSON, and the parser of a finished answer refuses it.
# What happens: JsonOutputParser and PydanticOutputParser close it: cut in 1234567.89 at 1234 the amount is 1234, and cut at 1e it is 1; an
# order number cut after ORD-2026-11 is one. Only a missing member is noticed.
# Why it matters: a reply that ends at the limit of tokens pays another amount, or for another order, and no error is raised.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet langchain-core==1.8.3 pydantic==2.14.4 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser
from pydantic import BaseModel


class Payment(BaseModel):
    order: str
    amount: Decimal


def of(text):
    try:
        payment = PydanticOutputParser(pydantic_object=Payment).parse(text)
        return f"{payment.order} {payment.amount}"
    except OutputParserException:
        return "refused"


whole = '{"order": "ORD-2026-1130", "amount": 1234567.89}'
seen = {
    "whole": of(whole),
    "in the amount": of(whole[: whole.index("567.89")]),
    "in an exponent": of('{"order": "A", "amount": 1e'),
    "in the number": of('{"amount": 10.50, "order": "ORD-2026-11'),
    "before the amount": of(whole[: whole.index(', "amount"')]),
    "as JSON": JsonOutputParser().parse('{"amount": 1234'),
}
print(seen)
assert seen == {
    "whole": "ORD-2026-1130 1234567.89",
    "in the amount": "ORD-2026-1130 1234",
    "in an exponent": "A 1",
    "in the number": "ORD-2026-11 10.5",
    "before the amount": "refused",
    "as JSON": {"amount": 1234},
}, "this has changed"
PY
