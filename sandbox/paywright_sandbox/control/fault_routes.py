"""Control routes of faults and of the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.routes import Call, Kind, Route, RouteField, number_in
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.faults.definitions import BadRule, read_rule
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.faults.vocabulary import FIELDS, KINDS, NOTIFICATION_KINDS

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine

_OF: Final[dict[str, Kind]] = {
    "skip": "integer",
    "times": "integer",
    "seconds": "integer",
    "status": "integer",
    "probability": "decimal",
}
_CHOICES: Final = {"kind": (*KINDS, *NOTIFICATION_KINDS), "when": ("before", "after")}


def _list(engine: Engine, _: Call) -> dict[str, object]:
    return {"faults": [rule.shown() for rule in rules_of(engine).rules()]}


def _add(engine: Engine, call: Call) -> dict[str, object]:
    try:
        rule = read_rule(call.body)
    except BadRule as bad:
        raise Refusal(str(bad) if str(bad).endswith("?") else f"{bad}.", code="400") from None
    return rules_of(engine).add(rule, engine.clock.now()).shown()


def _drop(engine: Engine, call: Call) -> dict[str, object]:
    number, there = number_in(call, "id"), [str(rule.id) for rule in rules_of(engine).rules()]
    if not rules_of(engine).drop(number, engine.clock.now()):
        known = f"there is {', '.join(there[-20:])}" if there else "there are no rules"
        raise Refusal(f"There is no rule with this number: {known}.", code="404")
    return {"dropped": 1}


def _drop_all(engine: Engine, _: Call) -> dict[str, object]:
    return {"dropped": rules_of(engine).drop(None, engine.clock.now())}


def _log(engine: Engine, call: Call) -> HttpReply:
    headers = (("content-type", "application/x-ndjson"), ("cache-control", "no-store"))
    return HttpReply(200, headers, b"".join(engine.captures.lines()), operation="control")


ROUTES: Final = (
    Route("GET", "faults", "The fault rules, with their counts", _list),
    Route("POST", "faults", "Adds a rule", _add, [
        RouteField(name, _OF.get(name, "string"), summary, required=name == "kind", choices=_CHOICES.get(name, ()))
        for name, summary in FIELDS.items()
    ]),
    Route("DELETE", "faults", "Removes all rules", _drop_all),
    Route("DELETE", "faults/{id}", "Removes one rule", _drop),
    Route("GET", "log", "All exchanges as capture records with whole bodies, one JSON object a line", _log,
          gives="application/x-ndjson", waiting=True),
)  # fmt: skip
