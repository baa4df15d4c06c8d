"""What a person does to refunds through the control API [2.4]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import given, text
from paywright_tools.sandbox.refunds import fail, refunds_of_number, settle, shown
from paywright_tools.sandbox.routes import WHOSE, Call, Field, Route, one_of
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["ROUTES"]

What: TypeAlias = "Callable[[Turn, Call], Mapping[str, object]]"


def _in_turn(what: What) -> Callable[[Engine, Call], Mapping[str, object]]:
    return lambda engine, call: engine.act(lambda turn: what(turn, call))[0]


def _find(turn: Turn, call: Call) -> Row:
    rows = refunds_of_number(turn, call.path["outRefundNo"])
    return one_of(rows, given(call.body, "merchant"), "refund", "number")


def _one(turn: Turn, call: Call) -> Mapping[str, object]:
    refund = _find(turn, call)
    return {"merchant": refund["merchant"], **shown(refund)}


def _pending(turn: Turn, call: Call) -> Row:
    refund = _find(turn, call)
    if refund["status"] != "REFUND_PENDING":
        raise Refused(f"The refund is {text(refund, 'status')} already: nothing happened.", code="409")
    return refund


def _settle(turn: Turn, call: Call) -> Mapping[str, object]:
    refund = settle(turn, _pending(turn, call))
    return {"merchant": refund["merchant"], **shown(refund)}


def _fail(turn: Turn, call: Call) -> Mapping[str, object]:
    why = given(call.body, "why") or "The refund failed: the sandbox was told so."
    if len(why) > 256:
        raise Refused("why has at most 256 characters.", code="400")
    refund = fail(turn, _pending(turn, call), why)
    return {"merchant": refund["merchant"], **shown(refund)}


ROUTES: Final = (
    Route("GET", "refunds/{outRefundNo}", "One refund", _in_turn(_one)),
    Route("POST", "refunds/{outRefundNo}/settle", "Lets a pending refund succeed", _in_turn(_settle), (WHOSE,)),
    Route("POST", "refunds/{outRefundNo}/fail", "Lets a pending refund fail", _in_turn(_fail), (
        WHOSE, Field("why", "string", "the resultMsg that the merchant is told"),
    )),
)  # fmt: skip
"""For `control` to mount."""
