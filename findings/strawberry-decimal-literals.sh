#!/usr/bin/env bash
# strawberry-graphql 0.327.7 (graphql-core 3.2.14) and graphene 3.4.3, seen on 2026-11-28.
# One would guess: a Decimal argument has the digits that stand in the query.
# What happens: with strawberry a number in the query goes by a float: 10.50 is 10.5, and 12345678901234567890.12 is
# 1.2345678901234567E+19; in quotes it is exact. graphene refuses a number in the query, and takes the variable 10.1 as
# 10.0999999999999996447..., and true as 1.
# Why it matters: a client that moves an amount between query and variables, or drops its quotes, changes it, and only large or odd ones
# show.
# Known to: the SDK refuses floats and booleans as amounts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet strawberry-graphql==0.327.7 graphql-core==3.2.14 graphene==3.4.3 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import graphene
import strawberry


@strawberry.type
class Shop:
    @strawberry.field
    def pay(self, amount: Decimal) -> str:
        return str(amount)


class Till(graphene.ObjectType):
    pay = graphene.String(amount=graphene.Decimal())

    def resolve_pay(self, info, amount):
        return str(amount)


def of(result):
    return result.data["pay"] if result.data else "refused"


shop, till = strawberry.Schema(Shop), graphene.Schema(query=Till)
literals = ("10.50", "12345678901234567890.12", '"12345678901234567890.12"')
VARIABLE = "query ($amount: Decimal!) { pay(amount: $amount) }"
seen = {
    "strawberry": [of(shop.execute_sync(f"{{ pay(amount: {text}) }}")) for text in literals],
    "graphene": [of(till.execute(f"{{ pay(amount: {text}) }}")) for text in literals],
    "graphene, variable": [of(till.execute(VARIABLE, variable_values={"amount": amount})) for amount in (10.1, True)],
}
print(seen)
assert seen == {
    "strawberry": ["10.5", "1.2345678901234567E+19", "12345678901234567890.12"],
    "graphene": ["refused", "refused", "12345678901234567890.12"],
    "graphene, variable": ["10.0999999999999996447286321199499070644378662109375", "1"],
}, "this has changed"
PY
