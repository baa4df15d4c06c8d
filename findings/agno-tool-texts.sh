#!/usr/bin/env bash
# agno 3.1.10, seen on 2026-12-01.
# One would guess: a tool gets the texts that the model wrote, and a datetime is declared to the model as a text.
# What happens: the texts none, null, true and false, however written, are None and booleans before the types are looked at: a customer Null
# of `str | None` is nobody, a note "true" of `str` is a ValidationError, though it was a text. A Decimal is declared as a number only; a
# datetime as an object without properties, so that the model that keeps to the declaration sends {}, which is refused.
# Why it matters: payments of some customers fail or lose their name, the more so the more of them there are; none in a test.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet agno==3.1.10 || exit 2
venv/bin/python -W ignore - 2>/dev/null <<'PY'
import json
from datetime import datetime
from decimal import Decimal

from agno.tools.function import Function
from agno.utils.functions import get_function_call


def of(tool, **arguments):
    """What the tool was called with, or what hindered it."""
    function = Function.from_callable(tool)
    function.process_entrypoint()
    call = get_function_call("pay", arguments=json.dumps(arguments), functions={"pay": function})
    done = call.execute()
    return done.result if done.status == "success" else "refused"


def pay(customer: str | None = None, note: str = "") -> list:
    """Pay."""
    return [customer, note]


def plan(amount: Decimal, at: datetime) -> list:
    """Plan."""
    return []


function = Function.from_callable(plan)
function.process_entrypoint()
declared = function.to_dict()["parameters"]["properties"]
seen = {
    "customers": [of(pay, customer=name) for name in ("Null", " none ", "Nil", "TRUE")],
    "notes": [of(pay, note=note) for note in ("true", "yes")],
    "Decimal": declared["amount"],
    "datetime": declared["at"],
}
print(seen)
assert seen == {
    "customers": [[None, ""], [None, ""], ["Nil", ""], "refused"],
    "notes": ["refused", [None, "yes"]],
    "Decimal": {"type": "number"},
    "datetime": {"type": "object", "properties": {}, "additionalProperties": False},
}, "this has changed"
PY
