"""What a person does to payment links, tokens and plans through the control API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final, TypeAlias

from paywright_runtime import formats
from paywright_tools.sandbox.contract_limits import longest_of
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import given, text, time_of, whole
from paywright_tools.sandbox.link_orders import open_link
from paywright_tools.sandbox.links import link_by_id, make_link, shown_link
from paywright_tools.sandbox.periods import end_plan, periods_of
from paywright_tools.sandbox.plans import described, plan_by_no, plan_by_row
from paywright_tools.sandbox.routes import Call, Field, Route
from paywright_tools.sandbox.store import Cell, Row
from paywright_tools.sandbox.tokens import delete, shown_token
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["ROUTES"]

_MOST: Final = 200

What: TypeAlias = "Callable[[Turn, Call], Mapping[str, object]]"


def _in_turn(what: What) -> Callable[[Engine, Call], Mapping[str, object]]:
    return lambda engine, call: engine.act(lambda turn: what(turn, call))[0]


# Links


def _make_link(turn: Turn, call: Call) -> Mapping[str, object]:
    body = call.body
    app_id = given(body, "merchant") or turn.merchants[0].app_id
    if turn.merchant(app_id) is None:
        raise Refused("No merchant has this app id.", code="404")
    expires, goods = given(body, "expiresAt"), body.get("goodsDetails")
    link = make_link(
        turn,
        app_id,
        text(body, "merchantLinkId"),
        amount=Decimal(str(body["amount"])),
        currency=text(body, "currency"),
        country=text(body, "country"),
        description=text(body, "description"),
        note=given(body, "linkDescription"),
        goods=list(goods) if isinstance(goods, list) else None,
        expires=None if expires is None else formats.read_time(expires),
    )
    return _link(turn, link)


def _link(turn: Turn, link: Row) -> dict[str, object]:
    return {"merchant": link["merchant"], **shown_link(turn, link)}


def _links(turn: Turn, _: Call) -> Mapping[str, object]:
    return {
        "links": [_link(turn, row) for row in turn.state.all("SELECT * FROM links ORDER BY id DESC LIMIT ?", _MOST)]
    }


def _one_link(turn: Turn, call: Call) -> Mapping[str, object]:
    link = link_by_id(turn, call.path["linkId"])
    if link is None:
        raise Refused("There is no link of this linkId.", code="404")
    return _link(turn, link)


def _open_link(turn: Turn, call: Call) -> Mapping[str, object]:
    names = {name: given(call.body, wire) for name, wire in (("user_id", "userId"), ("user_name", "userName"))}
    order = open_link(turn, call.path["linkId"], **names)
    return {name: order[column] for name, column in _OPENED.items()}


_OPENED: Final = {"outTradeNo": "out_trade_no", "tradeToken": "trade_token", "status": "status", "amount": "amount"}


# Tokens


def _tokens(turn: Turn, _: Call) -> Mapping[str, object]:
    rows = turn.state.all("SELECT * FROM tokens ORDER BY id DESC LIMIT ?", _MOST)
    return {"tokens": [{"merchant": row["merchant"], **shown_token(turn, row)} for row in rows]}


def _delete_token(turn: Turn, call: Call) -> Mapping[str, object]:
    return shown_token(turn, delete(turn, call.path["paymentTokenID"]))


# Plans


def _plan_of(turn: Turn, call: Call) -> Row:
    plan = plan_by_no(turn, call.path["subscriptionNo"])
    if plan is None:
        raise Refused("There is no plan of this subscriptionNo.", code="404")
    return plan


def _plan(turn: Turn, plan: Row) -> dict[str, object]:
    periods = [
        {
            "index": period["number"],
            "status": period["status"],
            "startsAt": _time(period["starts_at"]),
            "endsAt": _time(period["ends_at"]),
            "amount": period["amount"],
            "currency": period["currency"],
            "tries": period["tries"],
            "outTradeNo": period["out_trade_no"],
            "tradeToken": period["trade_token"],
        }
        for period in periods_of(turn, plan)
    ]
    return {**described(plan), "failing": plan["failing"], "periods": periods}


def _time(stored: Cell) -> str | None:
    time = time_of(stored)
    return None if time is None else formats.write_request_time(time)


def _plans(turn: Turn, _: Call) -> Mapping[str, object]:
    rows = turn.state.all("SELECT * FROM plans ORDER BY id DESC LIMIT ?", _MOST)
    return {"subscriptions": [_plan(turn, row) for row in rows]}


def _cancel(turn: Turn, call: Call) -> Mapping[str, object]:
    return _plan(turn, end_plan(turn, _plan_of(turn, call), "CANCEL"))


def _terminate(turn: Turn, call: Call) -> Mapping[str, object]:
    return _plan(turn, end_plan(turn, _plan_of(turn, call), "TERMINATE"))


def _fail_next(turn: Turn, call: Call) -> Mapping[str, object]:
    plan, charges = _plan_of(turn, call), call.body.get("charges", 1)
    assert isinstance(charges, int)  # the route's field is one
    if not 0 <= charges <= 10_000:
        raise Refused("charges must be 0 to 10000.", code="400")
    turn.state.update("plans", whole(plan, "id"), {"failing": charges})
    shown = {"merchant": plan["merchant"], "subscriptionNo": plan["subscription_no"], "charges": charges}
    turn.state.record(turn.now, "plan.told_to_fail", text(plan, "request_id"), shown)
    return _plan(turn, plan_by_row(turn, whole(plan, "id")))


_MERCHANT: Final = Field("merchant", "string", "app id of the merchant; the first one when left out")

ROUTES: Final = (
    Route("GET", "links", f"The latest {_MOST} payment links, the newest first", _in_turn(_links)),
    Route("POST", "links", "Makes a payment link", _in_turn(_make_link), (
        _MERCHANT,
        Field("merchantLinkId", "string", "the merchant's number of the link", required=True),
        Field("amount", "decimal", "what is to be paid", required=True),
        Field("currency", "string", "three capitals", required=True),
        Field("country", "string", "two capitals", required=True),
        Field("description", "string", "what payers are shown", required=True),
        Field("linkDescription", "string", "a note that payers are not shown"),
        Field("expiresAt", "time", "when the link expires; by the policy link-expires-after without it"),
        Field("goodsDetails", "array", "goods, each with goodsName, goodsDescription, quantity and price"),
    )),
    Route("GET", "links/{linkId}", "One payment link", _in_turn(_one_link)),
    Route("POST", "links/{linkId}/open", "Opens a payment link, as its payer would: the order to be paid", _in_turn(_open_link), (
        Field("userId", "string", "who the payer is", longest=longest_of("userId")),
        Field("userName", "string", "the payer's name", longest=longest_of("userName")),
    )),
    Route("GET", "tokens", f"The latest {_MOST} payment tokens, the newest first", _in_turn(_tokens)),
    Route("POST", "tokens/{paymentTokenID}/delete", "Deletes a payment token", _in_turn(_delete_token)),
    Route("GET", "subscriptions", f"The latest {_MOST} plans with their periods, the newest first", _in_turn(_plans)),
    Route("GET", "subscriptions/{subscriptionNo}", "One plan with its periods",
          _in_turn(lambda turn, call: _plan(turn, _plan_of(turn, call)))),
    Route("POST", "subscriptions/{subscriptionNo}/cancel", "Cancels a plan", _in_turn(_cancel)),
    Route("POST", "subscriptions/{subscriptionNo}/terminate", "Terminates a plan", _in_turn(_terminate)),
    Route("POST", "subscriptions/{subscriptionNo}/fail-next", "Lets the next charges of a plan fail", _in_turn(_fail_next), (
        Field("charges", "integer", "how many, the retries of a period among them; 1 without it, 0 takes it back"),
    )),
)  # fmt: skip
