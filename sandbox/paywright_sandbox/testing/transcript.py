"""Exchanges of a sandbox as lines for people, and those among them that broke the contract."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract.validation import judge
from paywright_runtime.redaction import visible
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.state.captures import Capture

_MOST: Final = 200
# What the contract allows, and a policy of the sandbox refuses. A time in another form breaks the contract, whatever the policy.
_BY_POLICY: Final = re.compile(r".*\(policy (?!request-time)[a-z-]+\)\.( Did you mean .+)?", re.DOTALL).fullmatch
_FIRST_SHOWN: Final = next(one for one in CONTRACT.operations() if CONTRACT.operation(one).roles[1] == "answer")


def breaches(engine: Engine) -> list[str]:
    """Return what broke the contract in the log, a line each: requests, and answers to notifications and questions."""
    return [f"{_line(row)}: {why}" for row in _rows(engine, -1) if (why := _breach(row))]


def transcript(engine: Engine) -> str:
    """Return the latest 200 exchanges, a line each with operation, key and result, and without their bodies."""
    return "\n".join(map(_line, _rows(engine, _MOST))) or "Nothing was sent."


def _rows(engine: Engine, most: int) -> Sequence[Capture]:
    engine.captures.write()
    with engine.transaction() as context:
        rows = context.state.select(Capture, "ORDER BY id DESC LIMIT ?", most)
    return rows[::-1]


def _breach(row: Capture) -> str:
    status = row.status
    if row.kind == "notify":
        # Answers to notifications that the specification does not show are judged like those to the first shown one [6.1].
        operation = row.operation if row.operation in CONTRACT.operations() else _FIRST_SHOWN
        role = CONTRACT.operation(operation).roles[1]
        found = judge(CONTRACT, operation, role, row.response or b"") if status == 200 else []
        return "; ".join(one.message for one in found)
    # Every check of a request comes before it counts as one of an operation; what is refused later was well said.
    said = "" if row.operation else _answer(row, "msg")
    return "" if _BY_POLICY(said) else said


def _line(row: Capture) -> str:
    at = row.at.strftime("%H:%M:%S")
    what = row.operation or row.url
    status = row.status
    said = f"{status} {_answer(row, 'code')}".strip() if status is not None else "no answer"
    fault = f"   (fault: {row.fault})" if row.fault else ""
    key = f" {row.key}" if row.key else ""
    return visible(f"{at}  {what}{key} {'->' if row.kind == 'call' else 'to the merchant ->'} {said}{fault}")


def _answer(row: Capture, member: str) -> str:
    """Return the code or the message of an answer, in whichever envelope it came."""
    try:
        body = strict_json.parse(row.response or b"")
    except strict_json.JsonProblem:
        return "unreadable"
    names = {"code": ("code", "bizCode", "responseCode"), "msg": ("msg", "message", "responseMessage")}[member]
    return next((str(body[name]) for name in names if name in body), "") if isinstance(body, dict) else ""
