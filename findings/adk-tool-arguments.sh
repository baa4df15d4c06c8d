#!/usr/bin/env bash
# google-adk 2.13.0, seen on 2026-12-01.
# One would guess: a tool whose parameters are a Decimal and a datetime, declared so to the model, is called with a Decimal and a datetime.
# What happens: the declaration says number or text, and date-time; the tool gets what the model wrote, a text or a float. An amount of 10.50
# doubled is 10.5010.50. Parameters that are pydantic models are built, and their Decimals.
# Why it matters: what the type checker and a direct call approve computes with texts in the agent's hands; a comparison is a TypeError there.
# Known to: the SDK refuses floats.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet google-adk==2.13.0 || exit 2
venv/bin/python -W ignore - <<'PY'
import asyncio
from datetime import datetime
from decimal import Decimal

import pydantic
from google.adk.tools import FunctionTool


class Line(pydantic.BaseModel):
    price: Decimal


def pay(amount: Decimal, at: datetime, line: Line, lines: list[Line]) -> dict:
    """Pay."""
    parts = {"amount": amount, "at": at, "price": line.price, "prices": lines[0].price}
    return {"doubled": str(amount * 2), **{name: type(part).__name__ for name, part in parts.items()}}


tool = FunctionTool(pay)
declared = tool._get_declaration().parameters_json_schema["properties"]
given = {"at": "2026-12-01T12:00:00+08:00", "line": {"price": "1.10"}, "lines": [{"price": "1.10"}]}
seen = {amount: asyncio.run(tool.run_async(args={"amount": amount, **given}, tool_context=None)) for amount in ("10.50", 10.5)}
seen["declared"] = (declared["amount"]["anyOf"], declared["at"]["format"])
print(seen)
built = {"at": "str", "price": "Decimal", "prices": "Decimal"}
assert seen == {
    "10.50": {"doubled": "10.5010.50", "amount": "str", **built},
    10.5: {"doubled": "21.0", "amount": "float", **built},
    "declared": ([{"type": "number"}, {"type": "string"}], "date-time"),
}, "this has changed"
PY
