"""Payment orders: hosted and Drop-In, what becomes of them, and their inquiry [4.1, 4.2, 4.3, 2.3]."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from paywright_tools.sandbox.consequences import Outcome, finished
from paywright_tools.sandbox.fields import amount_of, check_decimals, given, text, whole, zoned
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.plans import pays_what_is_due, plan_to_activate
from paywright_tools.sandbox.settings import RegisteredMerchant
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.tokens import payable_token, token_ended, token_of
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn
from paywright_tools.sandbox.ways import Way, allowed_orgs, kind_of, way_of_session

__all__ = [
    "DUE", "HANDLERS", "CardNotAllowed", "cashier_url", "check_payable", "close", "fail", "finish", "fold", "is_open", "order_by_key", "order_by_token",
    "pay", "place",
]  # fmt: skip

_EXPIRES: Final = "order.expires"
# Letters of ASCII only: lower() would make a k of the Kelvin sign.
_FOLDED: Final = str.maketrans({chr(upper): chr(upper + 32) for upper in range(ord("A"), ord("Z") + 1)})


class CardNotAllowed(Refused):
    """The order does not take cards of this organisation; it stays as it is."""


def fold(out_trade_no: str) -> str:
    """A merchant's order id as it is compared: AAA and AAa are the same [4.1]."""
    return out_trade_no.translate(_FOLDED)


def order_by_key(turn: Turn, merchant: str, out_trade_no: str) -> Row | None:
    """A merchant's order by its own id."""
    return turn.state.one("SELECT * FROM orders WHERE merchant = ? AND key = ?", merchant, fold(out_trade_no))


def order_by_token(turn: Turn, merchant: str, trade_token: str) -> Row | None:
    """A merchant's order by the service's id."""
    return turn.state.one("SELECT * FROM orders WHERE merchant = ? AND trade_token = ?", merchant, trade_token)


def is_open(order: Row) -> bool:
    """Whether an order can still be paid."""
    return order["finished_at"] is None


def cashier_url(turn: Turn, order: Row) -> str:
    """Where the payer of an order is sent."""
    return f"{turn.address}/_sandbox/cashier/{text(order, 'trade_token')}"


# Creating


def _checkout(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    detail = _part(data, "paymentDetail")
    method, target = given(detail, "paymentMethodType"), given(detail, "targetOrg")
    token_id = given(detail, "paymentTokenID")
    token = payable_token(turn, merchant.app_id, text(data, "userId"), token_id) if token_id else None
    way = {"method": method, "target_org": target, "allowed_cards": _allowed(detail), **_of_token(token)}
    if token is not None and not Way.of(token).fits(way) and turn.policies.text("card-not-allowed") == "refused":
        raise Refused(
            "The payment token's card is of an organisation that allowedCardOrg does not name: nothing was placed.",
            policy="payment-token-refused",
        )
    order = _create(turn, merchant, data, way)
    answer = {**_created(order), "redirectUrl": cashier_url(turn, order), **_codes(turn, order)}
    if token is not None and detail.get("merchantInitiated") is True:
        answer |= _charge(turn, order)  # nobody is there to see the cashier page
    return answer


def _drop_in(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    detail = _part(data, "paymentDetail")
    session, token_id = given(detail, "sessionKey"), given(detail, "paymentToken")
    # With a session an unknown token is the session's own; one that is saved here must be usable by this user.
    saved = token_id if token_id and (session is None or token_of(turn, token_id) is not None) else None
    token = payable_token(turn, merchant.app_id, text(data, "userId"), saved) if saved else None
    order = _create(turn, merchant, data, {**way_of_session(session).columns, **_of_token(token)})
    codes = _codes(turn, order)
    return {**_created(order), **(codes or _charge(turn, order))}


def _part(data: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = data.get(name)
    return part if isinstance(part, dict) else {}


def _allowed(detail: Mapping[str, object]) -> str | None:
    """The organisations of allowedCardOrg as they are kept and compared: in capitals, without white space."""
    named = detail.get("allowedCardOrg")
    words = ["".join(str(org).split()) for org in named] if isinstance(named, list) else []
    return " ".join(word.upper() if word.isascii() else word for word in words if word) or None


def _of_token(token: Row | None) -> dict[str, Cell]:
    return {} if token is None else {**Way.of(token).columns, "token": whole(token, "id")}


def _created(order: Row) -> dict[str, object]:
    return {"outTradeNo": order["out_trade_no"], "tradeToken": order["trade_token"], "status": "PENDING"}


def _codes(turn: Turn, order: Row) -> dict[str, object]:
    """What the payer of a QR or a virtual-account method pays by; nothing for others."""
    kind = kind_of(turn, given(order, "method"), given(order, "target_org"))
    if kind == "qr":
        turn.decided = "qr-methods"
        return {"qrCodeUrl": cashier_url(turn, order)}  # what the code says, for the merchant to draw
    if kind == "va":
        turn.decided = "virtual-account-methods"
        digits = int(sha256(f"{turn.seed}:va:{text(order, 'trade_token')}".encode()).hexdigest(), 16) % 10**12
        return {"vaCode": f"8808{digits:012d}"}
    return {}


def _charge(turn: Turn, order: Row) -> dict[str, object]:
    """Charges an order whose payer has said everything already; the amount decides what becomes of it."""
    amount = Decimal(text(order, "amount"))
    if amount in turn.policies.amounts("drop-in-fails-at"):
        turn.decided = "drop-in-fails-at"
        fail(turn, order, "The payment failed: its amount is one that fails in this sandbox.")
        return {"status": turn.policies.text("failed-drop-in-answers")}
    if amount in turn.policies.amounts("drop-in-pends-at"):
        turn.decided = "drop-in-pends-at"
        return {}
    if amount in turn.policies.amounts("drop-in-challenges-at"):
        turn.decided = "drop-in-challenges-at"
        return {"redirectUrl": cashier_url(turn, order)}
    paid = pay(turn, order)
    return {"status": "SUCCESS" if paid["status"] == "SUCCESS" else turn.policies.text("failed-drop-in-answers")}


def _create(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object], way: Mapping[str, Cell]) -> Row:
    key = text(data, "outTradeNo")
    if order_by_key(turn, merchant.app_id, key) is not None:
        raise Refused(
            "This outTradeNo was used before (upper and lower case are the same): query that order.",
            policy="order-repeat",
        )
    currency = text(data, "currency")
    plan = plan_to_activate(turn, merchant.app_id, text(data, "userId"), currency, _part(data, "subscriptionPlan"))
    if (
        plan is not None
        and way["method"]
        and not charges_again(turn, Way(str(way["method"]), target_org=given(way, "target_org")))
    ):
        raise Refused(
            "The plan of /data/subscriptionPlan/subscriptionNo cannot be charged by a QR code or a virtual account: nothing was "
            "placed.",
            policy="plan-refused",
        )
    # A trial may cost nothing, and is agreed to with an order nevertheless.
    free = plan is not None and data["totalAmount"] == 0
    amount = Decimal(0) if free else amount_of(data, "totalAmount")
    if plan is not None and not pays_what_is_due(turn, plan, amount):
        raise Refused(
            "/data/totalAmount is not what the plan costs at its activation, the trial's amount or that of the first period: "
            "nothing was placed (policy activation-amount).",
            policy="plan-refused",
        )
    _check_limit(turn, amount)
    check_decimals(turn, amount, currency, "totalAmount")
    lifetime = given(data, "expireTime")
    expires = turn.now + timedelta(seconds=int(lifetime) if lifetime else turn.policies.seconds("order-expires-after"))
    values: dict[str, Cell] = {
        "merchant": merchant.app_id,
        "out_trade_no": key,
        "integrate": text(data, "integrate"),
        "amount": written(amount),
        "currency": currency,
        "country": given(data, "country"),
        "subject": text(data, "subject"),
        "user_id": text(data, "userId"),
        "reference": given(data, "reference"),
        "front_callback_url": text(data, "frontCallbackUrl"),
        "notify_url": given(data, "notifyUrl"),
        "referral_code": given(data, "referralCode"),
        "binds": int(_part(data, "paymentDetail").get("tokenForFutureUse") is True),
        "plan": None if plan is None else plan["id"],
        **way,
    }
    return place(turn, values, expires)


def place(turn: Turn, values: Mapping[str, Cell], expires: datetime, *, closes: bool = True) -> Row:
    """Adds an order that can be paid until `expires`, and returns it.

    `values` are columns: at least merchant, integrate, amount, currency, subject, user_id and front_callback_url; the
    service's ids, the state and the times are filled in, and out_trade_no where no merchant has chosen one. Without
    `closes` nothing happens to the order at `expires`: whoever placed it finishes it.
    """
    merchant = text(values, "merchant")
    key = given(values, "out_trade_no") or _free_key(turn, merchant)
    order: dict[str, Cell] = {
        **values,
        "key": fold(key),
        "out_trade_no": key,
        "trade_token": turn.number("TT", "orders"),
        "trade_no": turn.number("TN", "orders"),
        "status": "PENDING",
        "created_at": instant(turn.now),
        "expires_at": instant(expires),
    }
    row = turn.state.insert("orders", order)
    if closes:
        turn.state.set_timer(Timer(expires, _EXPIRES, row))
    shown = {"merchant": merchant, "amount": order["amount"], "currency": order["currency"]}
    turn.state.record(turn.now, "order.created", key, shown)
    return _again(turn, row)


def _free_key(turn: Turn, merchant: str) -> str:
    key = turn.number("SO", "orders")
    while order_by_key(turn, merchant, key) is not None:
        key += "_"
    return key


def _again(turn: Turn, row: int) -> Row:
    order = turn.state.one("SELECT * FROM orders WHERE id = ?", row)
    assert order is not None  # orders are never deleted
    return order


def _check_limit(turn: Turn, amount: Decimal) -> None:
    limit = Decimal(turn.policies.text("largest-amount"))
    if limit and amount > limit:
        raise Refused(
            "/data/totalAmount is above the limit this sandbox is set to (policy largest-amount).",
            policy="amount-over-limit",
        )


# What becomes of an order


_BY_CODE: Final = (
    "This order begins a plan, and a QR code or a virtual account cannot be charged again: pay it another way (policy "
    "plan-paid-by-code). It is still open."
)


def finish(
    turn: Turn, order: Row, outcome: Literal["succeed", "fail", "leave", "cancel"], way: Way | None = None
) -> Row:
    """What a payer does at the cashier: pays, fails to, leaves it pending, or cancels. Returns the order as it is then.

    `way` is how it is, or was to be, paid; without it the order's own method, and a test card. Raises `Refused` (409)
    where the order is finished already.
    """
    if not is_open(order):
        raise Refused(f"The order is {text(order, 'status')} already: there is nothing to {outcome}.", code="409")
    if outcome == "succeed":
        return pay(turn, order, way)
    if outcome == "fail":
        return fail(turn, order, "The payment failed: the payer's bank has declined it.", way)
    if outcome == "cancel":
        return close(turn, order, "The payer has cancelled the payment.")
    turn.state.record(turn.now, "order.left", text(order, "out_trade_no"), {"merchant": order["merchant"]})
    return order


def pay(turn: Turn, order: Row, way: Way | None = None) -> Row:
    """Pay an order, and return it as it is then; so do `fail` and `close`.

    `way` is what the payer has entered or chosen; None pays as the order was placed, by its payment token if it has one.
    Where something stands against it, a policy decides: it may raise `Refused`, or fail.
    """
    against = _against(turn, order, way)
    if against is not None:
        if against.refused is not None:
            raise against.refused
        return fail(turn, order, f"The payment failed: {against.why}.", way)
    token = order["token"] if way is None else None
    return _finish(turn, order, "paid", {"status": "SUCCESS", **(way or Way.of(order)).columns, "token": token})


def check_payable(turn: Turn, order: Row, way: Way | None) -> None:
    """Raise `Refused` (409) where an order cannot be paid in this way, and stays open; `way` is as for `pay`."""
    against = _against(turn, order, way)
    if against is not None and against.refused is not None:
        raise against.refused


class _Against(NamedTuple):
    """What stands against a payment: `refused` where the order stays open, and `why` it fails otherwise."""

    refused: Refused | None
    why: str


def _against(turn: Turn, order: Row, way: Way | None) -> _Against | None:
    chosen = way or Way.of(order)
    card = turn.policies.text("card-not-allowed")
    if card != "paid" and not chosen.fits(order):
        only = f"This order takes cards of {', '.join(allowed_orgs(order))} only (allowedCardOrg). It is still open."
        return _Against(
            CardNotAllowed(only, code="409") if card == "refused" else None,
            "the order does not take cards of this organisation",
        )
    status = token_ended(turn, order) if way is None else None
    gone = turn.policies.text("payment-token-gone")
    if status is not None and gone != "paid":
        # Nobody is there to choose another way when a period of a plan is charged.
        asks = gone == "refused" and order["period"] is None
        words = f"The payment token of this order is {status}: pay it another way. It is still open."
        return _Against(Refused(words, code="409") if asks else None, f"its payment token is {status}")
    if order["plan"] is not None and order["period"] is None and not charges_again(turn, chosen):
        return _Against(Refused(_BY_CODE, code="409"), "a plan cannot be charged by this method")
    return None


def charges_again(turn: Turn, way: Way) -> bool:
    """Whether what was paid in this way once can be charged again without its payer: the policy plan-paid-by-code."""
    return turn.policies.text("plan-paid-by-code") == "charged" or kind_of(turn, way.method, way.target_org) == "page"


def fail(turn: Turn, order: Row, why: str, way: Way | None = None) -> Row:
    """The payment failed."""
    code = turn.policies.text("failed-order-code")
    columns = (way or Way.of(order)).columns
    return _finish(turn, order, "failed", {"status": "FAILED", "response_code": code, "response_msg": why, **columns})


def close(turn: Turn, order: Row, why: str) -> Row:
    """The order can be paid no longer."""
    status, code = turn.policies.text("closed-order-status"), turn.policies.text("closed-order-code")
    return _finish(turn, order, "closed", {"status": status, "response_code": code, "response_msg": why})


def _finish(turn: Turn, order: Row, outcome: Outcome, changes: dict[str, Cell]) -> Row:
    row = whole(order, "id")
    assert is_open(order)  # whoever calls has looked
    turn.state.update("orders", row, {**changes, "outcome": outcome, "finished_at": instant(turn.now)})
    turn.state.drop_timers(_EXPIRES, row)
    shown = {name: value for name, value in changes.items() if name not in ("card", "token")}
    turn.state.record(
        turn.now, f"order.{outcome}", text(order, "out_trade_no"), {"merchant": order["merchant"], **shown}
    )
    order = _again(turn, row)
    finished(turn, order, outcome)
    if outcome == "paid" and order["link"] is not None and turn.policies.text("link-payments") == "one":
        others = "SELECT * FROM orders WHERE link = ? AND finished_at IS NULL ORDER BY id"
        for other in turn.state.all(others, order["link"]):
            close(turn, other, "Somebody else has paid this link, which can be paid once.")
    return order


def _expire(turn: Turn, row: int) -> None:
    close(turn, _again(turn, row), "The order was not completed in time.")


# Asking

_ENDED_BY: Final = {"failed": "failed-order-code", "closed": "closed-order-status"}
"""The policy that says what the inquiry answers of an order that ended so."""


def _query(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    order = order_by_key(turn, merchant.app_id, text(data, "outTradeNo"))
    if order is None:
        raise Refused("The order does not exist.", code="ORDER_NOT_EXIST")
    turn.decided = _ENDED_BY.get(given(order, "outcome") or "")
    amount = {"amount": order["amount"], "currency": order["currency"]}
    answer: dict[str, object] = {
        "outTradeNo": order["out_trade_no"],
        "tradeNo": order["trade_no"],
        "status": order["status"],
        "responseCode": order["response_code"],
        "responseMsg": order["response_msg"],
        "reference": order["reference"],
        "bounceBackTime": zoned(order["finished_at"]) if order["status"] == "BOUNCEBACK" else None,
        "expiryTime": zoned(order["expires_at"]),
        "transactionUtcTime": zoned(order["created_at"]),
        "payFinishTime": zoned(order["finished_at"]) if order["status"] == "SUCCESS" else None,
        "trade": amount,
        "source": amount,
        "destination": amount,
    }
    return {name: value for name, value in answer.items() if value is not None}


HANDLERS: Final[Mapping[str, Handler]] = {
    "orders.checkout": _checkout,
    "orders.drop_in": _drop_in,
    "orders.query": _query,
}

DUE: Final[Mapping[str, Due]] = {_EXPIRES: _expire}
