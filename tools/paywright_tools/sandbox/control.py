"""The control API under /_sandbox/: what a person does to the sandbox, not what a merchant does to the gateway.

Answers are plain JSON, not signed: no gateway has them. A web page must not be able to call it, so everything but the
health check asks for the header `X-Sandbox: 1`, which a page of another origin cannot send unasked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import unquote

from paywright_runtime import formats, strict_json
from paywright_runtime.version import VERSION
from paywright_tools.sandbox.answers import Reply
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import text, time_of
from paywright_tools.sandbox.judging import Headers
from paywright_tools.sandbox.orders import close, fail, fold, is_open, pay
from paywright_tools.sandbox.refunds import refundable
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["PREFIX", "control"]

PREFIX: Final = "/_sandbox/"

_MOST: Final = 200
_ACTIONS: Final[Mapping[str, Callable[[Turn, Row], None]]] = {
    "pay": pay,
    "fail": lambda turn, order: fail(turn, order, "The payment failed: the sandbox was told so."),
    "close": lambda turn, order: close(turn, order, "The order was closed: the sandbox was told so."),
}


def control(engine: Engine, method: str, path: str, headers: Headers) -> Reply:
    """One request to the control API. `path` begins with `PREFIX`. Bodies are not read."""
    steps = [unquote(step) for step in path.removeprefix(PREFIX).split("/")]
    if steps == ["health"]:
        return _only(method, "GET") or _json(200, _health(engine))
    if len(steps) == 2 and steps[0] == "cashier":
        return _only(method, "GET") or _cashier(engine, steps[1])
    fault = _foreign(engine, headers)
    if fault:
        return _json(403, {"error": fault})
    try:
        if steps == ["orders"]:
            return _only(method, "GET") or _json(200, {"orders": engine.act(_orders)[0]})
        if len(steps) == 2 and steps[0] == "orders":
            return _only(method, "GET") or _json(200, engine.act(lambda turn: _shown(turn, _find(turn, steps[1])))[0])
        if len(steps) == 3 and steps[0] == "orders" and steps[2] in _ACTIONS:
            return _only(method, "POST") or _json(200, engine.act(lambda turn: _do(turn, steps[1], steps[2]))[0])
    except Refused as refused:
        return _json(int(refused.code or 409), {"error": refused.msg})
    return _json(
        404, {"error": "There is GET health, GET orders, GET orders/NO, POST orders/NO/pay, .../fail, .../close."}
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
        "merchants": [merchant.app_id for merchant in engine.settings.merchants],
    }


def _orders(turn: Turn) -> list[dict[str, object]]:
    rows = turn.state.all("SELECT * FROM orders ORDER BY id DESC LIMIT ?", _MOST)
    return [_shown(turn, row) for row in rows]


def _find(turn: Turn, out_trade_no: str) -> Row:
    rows = turn.state.all("SELECT * FROM orders WHERE key = ? ORDER BY id", fold(out_trade_no))
    if not rows:
        raise Refused("There is no order of this outTradeNo.", code="404")
    if len(rows) > 1:
        open_rows = [row for row in rows if is_open(row)]
        if len(open_rows) != 1:
            raise Refused("Several merchants have an order of this outTradeNo.", code="409")
        return open_rows[0]
    return rows[0]


def _do(turn: Turn, out_trade_no: str, action: str) -> dict[str, object]:
    order = _find(turn, out_trade_no)
    if not is_open(order):
        raise Refused(f"The order is {text(order, 'status')} already: there is nothing to {action}.", code="409")
    _ACTIONS[action](turn, order)
    return _shown(turn, _find_again(turn, order))


def _find_again(turn: Turn, order: Row) -> Row:
    found = turn.state.one("SELECT * FROM orders WHERE id = ?", order["id"])
    assert found is not None  # it was there a moment ago, in the same transaction
    return found


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
        "refundable": format(refundable(turn, order), "f"),
        "createdAt": formats.write_request_time(created) if created else None,
        "finishedAt": formats.write_request_time(finished) if finished else None,
    }


def _cashier(engine: Engine, trade_token: str) -> Reply:
    """Until the sandbox has its cashier page: how to pay without it."""
    order = engine.act(lambda turn: turn.state.one("SELECT * FROM orders WHERE trade_token = ?", trade_token))[0]
    if order is None:
        return _plain(404, "There is no order of this token.\n")
    url = f"{engine.address}{PREFIX}orders/{text(order, 'out_trade_no')}/pay"
    return _plain(
        501, f"This sandbox has no cashier page yet. Pay the order with:\n\n  curl -X POST -H 'X-Sandbox: 1' {url}\n"
    )


def _only(method: str, allowed: str) -> Reply | None:
    if method == allowed:
        return None
    reply = _json(405, {"error": f"This is a {allowed}."})
    return Reply(405, (*reply.headers, ("allow", allowed)), reply.body, operation=reply.operation, code=reply.code)


def _json(status: int, answer: Mapping[str, object]) -> Reply:
    return Reply(
        status, (("content-type", "application/json"), *_QUIET), strict_json.write(dict(answer)), operation="control"
    )


def _plain(status: int, words: str) -> Reply:
    return Reply(status, (("content-type", "text/plain; charset=utf-8"), *_QUIET), words.encode(), operation="cashier")


_QUIET: Final = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"))
