"""The control API under /_sandbox/: what a person does to the sandbox, not what a merchant does to the gateway.

Answers are plain JSON, not signed: no gateway has them. A web page must not be able to call it, so everything but the
health check asks for the header `X-Sandbox: 1`, which a page of another origin cannot send unasked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from paywright_runtime import formats, strict_json
from paywright_runtime.version import VERSION
from paywright_tools.sandbox import (
    control_money,
    control_payments,
    control_refunds,
    fault_routes,
    merchant_routes,
    notices,
    snapshot_routes,
)
from paywright_tools.sandbox.answers import Reply
from paywright_tools.sandbox.contract_limits import longest_of
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import given, text, time_of
from paywright_tools.sandbox.judging import Headers
from paywright_tools.sandbox.openapi import document
from paywright_tools.sandbox.order_rest import refundable
from paywright_tools.sandbox.orders import close, fail, fold, is_open, pay
from paywright_tools.sandbox.routes import PREFIX, WHOSE, Call, Field, Route, find, one_of, read_fields
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Refused, Turn
from paywright_tools.sandbox.ways import Way

__all__ = ["PREFIX", "ROUTES", "control", "is_binary", "waits"]

_MOST: Final = 200
_ACTIONS: Final[Mapping[str, Callable[[Turn, Row, Way | None], Row]]] = {
    "pay": pay,
    "fail": lambda turn, order, way: fail(turn, order, "The payment failed: the sandbox was told so.", way),
    "close": lambda turn, order, _: close(turn, order, "The order was closed: the sandbox was told so."),
}
_WAY: Final = (
    Field("method", "string", "paymentMethodType; the order's own, or CARD, without it", longest=longest_of("paymentMethodType")),
    Field("targetOrg", "string", "the organisation behind the method", longest=longest_of("targetOrg")),
    Field("card", "string", "a card's number, of which the first 6 and the last 4 digits are kept"),
)  # fmt: skip


def control(engine: Engine, method: str, path: str, headers: Headers, body: bytes = b"") -> Reply:
    """One request to the control API. `path` begins with `PREFIX`; `body` is a JSON object where one is due."""
    found = find(ROUTES, method, path)
    route = found.route
    if route is None or not route.public:
        fault = _foreign(engine, headers)
        if fault:
            return _json(403, {"error": fault})
    if route is None:
        return _no_route(path, found.methods)
    try:
        answer = route.handler(engine, Call(found.variables, read_fields(route, body), body))
    except Refused as refused:
        return _json(int(refused.code or 409), {"error": refused.msg})
    except Exception as error:
        return _json(500, {"error": engine.failing(f"{method} {route.path}", error)})
    return answer if isinstance(answer, Reply) else _json(200, answer)


def waits(method: str, path: str) -> bool:
    """Whether a request may wait for a merchant's server, so that it needs a thread of its own."""
    route = find(ROUTES, method, path).route
    return route is not None and route.waiting


def is_binary(method: str, path: str) -> bool:
    """Whether a request brings a snapshot, which may be large."""
    route = find(ROUTES, method, path).route if path.startswith(PREFIX) else None
    return route is not None and route.binary


def _no_route(path: str, methods: Sequence[str]) -> Reply:
    if methods:
        reply = _json(405, {"error": f"This is a {' or '.join(methods)}."})
        allow = ("allow", ", ".join(methods))
        return Reply(405, (*reply.headers, allow), reply.body, operation=reply.operation, code=reply.code)
    known = [f"{route.method} {route.path}" for route in ROUTES]
    near = get_close_matches(path.removeprefix(PREFIX), [route.path for route in ROUTES], 3, 0.4)
    return _json(
        404,
        {
            "error": (
                f"There is {', '.join(near)} and more: see GET {PREFIX}openapi.json."
                if near
                else "There is " + ", ".join(known) + "."
            )
        },
    )


def _foreign(engine: Engine, headers: Headers) -> str | None:
    """Why a request is not to be trusted as a person's own; None if it is."""
    found = {name.lower(): value for name, value in headers}
    if found.get("x-sandbox") != "1":
        return "Send the header X-Sandbox: 1. Without it a web page could call this."
    if found.get("origin", engine.address) != engine.address:
        return "The request comes from a page of another origin."
    return None


def _health(engine: Engine) -> dict[str, object]:
    return {
        "status": "ok",
        "version": VERSION,
        "address": engine.address,
        "now": formats.write_request_time(engine.clock.now()),
        "merchants": [merchant.app_id for merchant in engine.merchants.registered],
    }


def _orders(turn: Turn) -> list[dict[str, object]]:
    rows = turn.state.all("SELECT * FROM orders ORDER BY id DESC LIMIT ?", _MOST)
    return [_shown(turn, row) for row in rows]


def _find(turn: Turn, out_trade_no: str, merchant: str | None = None) -> Row:
    rows = turn.state.all("SELECT * FROM orders WHERE key = ? ORDER BY id", fold(out_trade_no))
    return one_of(rows, merchant, "order", "outTradeNo")


def _do(turn: Turn, call: Call, action: str) -> dict[str, object]:
    order = _find(turn, call.path["outTradeNo"], given(call.body, "merchant"))
    if not is_open(order):
        raise Refused(f"The order is {text(order, 'status')} already: there is nothing to {action}.", code="409")
    return _shown(turn, _ACTIONS[action](turn, order, _way(order, call)))


def _way(order: Row, call: Call) -> Way | None:
    if not call.body.keys() - {"merchant"}:
        return None
    own = Way.of(order)
    method, card = given(call.body, "method"), given(call.body, "card")
    return Way(
        method or ("CARD" if card else own.method), target_org=given(call.body, "targetOrg"), card=card, order=order
    )


def _acting(action: str) -> Callable[[Engine, Call], Mapping[str, object]]:
    return lambda engine, call: engine.act(lambda turn: _do(turn, call, action))[0]


def _shown(turn: Turn, order: Row) -> dict[str, object]:
    finished = time_of(order["finished_at"])
    created = time_of(order["created_at"])
    return {
        "merchant": order["merchant"],
        "outTradeNo": order["out_trade_no"],
        "tradeToken": order["trade_token"],
        "integrate": order["integrate"],
        "status": order["status"],
        "amount": order["amount"],
        "currency": order["currency"],
        "method": order["method"],
        "targetOrg": order["target_org"],
        "card": order["card"],
        "refundable": format(refundable(turn, order), "f"),
        "createdAt": formats.write_request_time(created) if created else None,
        "finishedAt": formats.write_request_time(finished) if finished else None,
    }


def _json(status: int, answer: Mapping[str, object]) -> Reply:
    return Reply(
        status, (("content-type", "application/json"), *_QUIET), strict_json.write(dict(answer)), operation="control"
    )


_QUIET: Final = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"))


ROUTES: Final[tuple[Route, ...]] = (
    Route("GET", "health", "Whether the sandbox is up, its time and its merchants", lambda engine, _: _health(engine), public=True),
    Route("GET", "orders", f"The latest {_MOST} orders, the newest first", lambda engine, _: {"orders": engine.act(_orders)[0]}),
    Route("GET", "orders/{outTradeNo}", "One order",
          lambda engine, call: engine.act(lambda turn: _shown(turn, _find(turn, call.path["outTradeNo"])))[0]),
    Route("GET", "merchants/{appId}/orders/{outTradeNo}", "One order of a merchant",
          lambda engine, call: engine.act(lambda turn: _shown(turn, _find(turn, call.path["outTradeNo"], call.path["appId"])))[0]),
    *(Route("POST", f"orders/{{outTradeNo}}/{action}", summary, _acting(action), (WHOSE, *fields)) for action, summary, fields in (
        ("pay", "Lets the payer pay an open order", _WAY),
        ("fail", "Lets the payment of an open order fail", _WAY),
        ("close", "Closes an open order, as if its time were over", ()),
    )),
    *control_money.ROUTES,
    *control_payments.ROUTES,
    *control_refunds.ROUTES,
    *fault_routes.ROUTES,
    *merchant_routes.ROUTES,
    *snapshot_routes.ROUTES,
    *notices.ROUTES,
    Route("GET", "openapi.json", "This API as an OpenAPI document", lambda engine, _: document(ROUTES, engine.address), public=True),
)  # fmt: skip
"""Every route there is; a room adds `*room.ROUTES`."""
