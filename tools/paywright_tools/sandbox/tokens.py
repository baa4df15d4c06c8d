"""Payment tokens: saved with orders that agreed to it, asked for in both forms, and paid with [2.6, 4.6, 4.7].

A token belongs to a merchant's user. It is Activated until its time is over (Expired) or the control API deletes it
(Deleted); both are final. The same card, or the same account, of a user has one Activated token at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from paywright_runtime import formats
from paywright_tools.sandbox.fields import given, text, time_of, whole
from paywright_tools.sandbox.settings import RegisteredMerchant
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn
from paywright_tools.sandbox.ways import brand, kind_of

__all__ = ["DUE", "HANDLERS", "TABLES", "bind", "delete", "payable_token", "shown_token", "token_ended", "token_of"]

TABLES: Final = """
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, user_id TEXT NOT NULL, token_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL, expires_at INTEGER NOT NULL, created_at INTEGER NOT NULL, method TEXT NOT NULL,
    target_org TEXT, card TEXT, account TEXT, referral_code TEXT
);
CREATE INDEX tokens_of ON tokens (merchant, user_id);
"""

_SCOPE: Final = "tokenAcq"
_EXPIRES: Final = "token.expires"


def token_of(turn: Turn, token_id: str) -> Row | None:
    """A token, whoever's it is."""
    return turn.state.one("SELECT * FROM tokens WHERE token_id = ?", token_id)


# Saving


def bind(turn: Turn, order: Row) -> None:
    """Saves how a paid order was paid, if its payer agreed to that and the method can be paid with again."""
    method, target, card = text(order, "method"), given(order, "target_org"), given(order, "card")
    if not order["binds"] or order["token"] is not None or kind_of(turn, method, target) != "page":
        return
    expires = turn.now + timedelta(seconds=turn.policies.seconds("token-expires-after"))
    known = turn.state.one(
        "SELECT * FROM tokens WHERE merchant = ? AND user_id = ? AND method = ? AND target_org IS ? AND card IS ? "
        "AND status = 'Activated'",
        order["merchant"], order["user_id"], method, target, card,
    )  # fmt: skip
    if known is not None:
        row = whole(known, "id")
        turn.state.drop_timers(_EXPIRES, row)
        turn.state.update("tokens", row, {"expires_at": instant(expires)})
    else:
        values: dict[str, Cell] = {
            "merchant": order["merchant"],
            "user_id": order["user_id"],
            "token_id": turn.number("PTK", "tokens"),
            "status": "Activated",
            "expires_at": instant(expires),
            "created_at": instant(turn.now),
            "method": method,
            "target_org": target,
            "card": card,
            "account": None if method == "CARD" else f"{text(order, 'user_id')[:1]}***",
            "referral_code": order["referral_code"],
        }
        row = turn.state.insert("tokens", values)
        turn.state.record(
            turn.now, "token.saved", text(order, "out_trade_no"), {"merchant": order["merchant"], "method": method}
        )
    turn.state.set_timer(Timer(expires, _EXPIRES, row))


def delete(turn: Turn, token_id: str) -> Row:
    """Deletes a token, as its user would. Raises `Refused` with an HTTP status."""
    token = token_of(turn, token_id)
    if token is None:
        raise Refused("There is no token of this paymentTokenID.", code="404")
    if token["status"] != "Activated":
        raise Refused(f"The token is {text(token, 'status')} already.", code="409")
    return _end(turn, whole(token, "id"), "Deleted")


def _end(turn: Turn, row: int, status: str) -> Row:
    turn.state.update("tokens", row, {"status": status})
    turn.state.drop_timers(_EXPIRES, row)
    token = turn.state.one("SELECT * FROM tokens WHERE id = ?", row)
    assert token is not None  # tokens are never taken out of the table
    turn.state.record(turn.now, f"token.{status.lower()}", text(token, "user_id"), {"merchant": token["merchant"]})
    return token


def _expire(turn: Turn, row: int) -> None:
    _end(turn, row, "Expired")


# Paying


def token_ended(turn: Turn, order: Row) -> str | None:
    """Deleted or Expired, if the payment token that an order was placed with has ended since; None if not, or if it has none."""
    if order["token"] is None:
        return None
    token = turn.state.one("SELECT status FROM tokens WHERE id = ?", order["token"])
    assert token is not None  # tokens are never taken out of the table
    return None if token["status"] == "Activated" else text(token, "status")


def payable_token(turn: Turn, merchant: str, user_id: str, token_id: str) -> Row:
    """The token that an order is to be paid with. Raises `Refused` if it cannot be."""
    token = token_of(turn, token_id)
    if token is None:
        why = "is not known here"
    elif token["merchant"] != merchant or token["user_id"] != user_id:
        why = "belongs to another user"
    elif token["status"] != "Activated":
        why = f"is {text(token, 'status')}"
    else:
        return token
    raise Refused(f"The payment token {why}: nothing was placed.", policy="payment-token-refused")


# Asking


def _list(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    return {"tokenList": [shown_token(turn, row) for row in _found(turn, merchant, data)]}


def _inquire(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    found = [shown_token(turn, row) for row in _found(turn, merchant, data)]
    if not found and given(data, "paymentTokenID"):
        raise Refused("The user has no such payment token.", policy="biz-not-found")
    for token in found:
        token.pop("referralCode", None)  # the first inquiry's alone [2.6]
    return {"tokenList": found}


def _found(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> list[Row]:
    """Every token of the user in whatever state, the oldest first, that has what is asked for."""
    if (given(data, "tokenScope") or _SCOPE) != _SCOPE:
        return []
    wanted = {
        "token_id": given(data, "paymentTokenID"),
        "method": given(data, "paymentMethodType"),
        "target_org": given(data, "targetOrg"),
        "referral_code": given(data, "referralCode"),
    }
    asked = {column: value for column, value in wanted.items() if value is not None}
    rows = turn.state.all(
        "SELECT * FROM tokens WHERE merchant = ? AND user_id = ?"
        + "".join(f" AND {column} = ?" for column in asked) + " ORDER BY id",
        merchant.app_id, text(data, "userId"), *asked.values(),
    )  # fmt: skip
    org = given(data, "cardOrg")
    return [row for row in rows if org is None or (row["card"] is not None and brand(text(row, "card")) == org)]


def shown_token(turn: Turn, row: Row) -> dict[str, object]:
    """A token as the inquiries show it [2.6]."""
    expires, card = time_of(row["expires_at"]), given(row, "card")
    assert expires is not None  # it always has one
    is_card = row["method"] == "CARD"
    answer: dict[str, object] = {
        "paymentTokenID": row["token_id"],
        "userId": row["user_id"],
        "tokenScope": _SCOPE,
        "paymentTokenExpiry": formats.write_request_time(expires),
        "paymentTokenStatus": row["status"],
        "cardInfo": card,
        "ifCVV": turn.policies.text("token-asks-cvv") if is_card else None,
        "brand": brand(card) if card else None,
        "paymentMethodType": row["method"],
        "targetOrg": "" if is_card else row["target_org"],
        "accountDisplay": "" if is_card else row["account"],
        "referralCode": row["referral_code"],
    }
    return {name: value for name, value in answer.items() if value is not None}


HANDLERS: Final[Mapping[str, Handler]] = {"payment_tokens.list": _list, "payment_tokens.inquire": _inquire}

DUE: Final[Mapping[str, Due]] = {_EXPIRES: _expire}
