"""Payment tokens: saved with orders on request, queried in both forms, and used to pay [2.6, 4.6, 4.7].

A token belongs to a merchant's user. It is Activated until it expires (Expired) or the control API deletes it (Deleted);
both are final. A card or account of a user has one Activated token at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import Rows
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow
from paywright_sandbox.resources.payments.payment_order import PaymentOrder, brand, kind_of


@dataclass(frozen=True, kw_only=True)
class Token(MerchantRow, table="tokens", indexes={"tokens_of": "(merchant, user_id)"}):
    """A saved payment token. `card` is masked, `account` the shown part of an account."""

    user_id: str
    token_id: str = field(metadata=UNIQUE)
    status: str
    expires_at: datetime
    created_at: datetime
    method: str
    target_org: str | None = None
    card: str | None = None
    account: str | None = None
    referral_code: str | None = None


_SCOPE: Final = "tokenAcq"
_EXPIRES: Final = "token.expires"


def token_of(context: RequestContext, token_id: str) -> Token | None:
    """Return a token by its paymentTokenID, of any user, or None."""
    return context.state.find(Token, "WHERE token_id = ?", token_id)


# Saving


def bind(context: RequestContext, order: PaymentOrder) -> None:
    """Save a token for the way a paid order was paid, if its payer agreed and the method can be used again."""
    method, target, card = order.method or "", order.target_org, order.card
    if not order.binds or order.token is not None or kind_of(context, method, target) != "page":
        return
    expires = context.now + timedelta(seconds=context.policies.seconds("token-expires-after"))
    known = context.state.find(
        Token,
        "WHERE merchant = ? AND user_id = ? AND method = ? AND target_org IS ? AND card IS ? AND status = 'Activated'",
        order.merchant, order.user_id, method, target, card,
    )  # fmt: skip
    if known is not None:
        token = context.state.change(known, expires_at=expires)
        context.state.drop_timers(_EXPIRES, token.id)
    else:
        token = context.state.add(
            Token(
                merchant=order.merchant,
                user_id=order.user_id,
                token_id=context.number("PTK", "tokens"),
                status="Activated",
                expires_at=expires,
                created_at=context.now,
                method=method,
                target_org=target,
                card=card,
                account=None if method == "CARD" else f"{order.user_id[:1]}***",
                referral_code=order.referral_code,
            )
        )
        detail = {"merchant": order.merchant, "method": method}
        context.state.record(context.now, "token.saved", order.out_trade_no, detail)
    context.state.set_timer(Timer(expires, _EXPIRES, token.id))


def _end(context: RequestContext, row: int, status: str) -> Token:
    token = context.state.change(context.state.get(Token, row), status=status)
    context.state.drop_timers(_EXPIRES, row)
    context.state.record(context.now, f"token.{status.lower()}", token.user_id, {"merchant": token.merchant})
    return token


# Paying


def token_ended(context: RequestContext, order: PaymentOrder) -> str | None:
    """Return Deleted or Expired if the payment token of an order has ended since, else None."""
    if order.token is None:
        return None
    token = context.state.get(Token, order.token)
    return None if token.status == "Activated" else token.status


def payable_token(context: RequestContext, merchant: str, user_id: str, token_id: str) -> Token:
    """Return the token to pay an order with. Raises `Refusal` if it cannot be used."""
    token = token_of(context, token_id)
    if token is None:
        why = "is not known here"
    elif token.merchant != merchant or token.user_id != user_id:
        why = "belongs to another user"
    elif token.status != "Activated":
        why = f"is {token.status}"
    else:
        return token
    raise Refusal(f"The payment token {why}: nothing was placed.", policy="payment-token-refused")


# Queries


def _list(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    return {"tokenList": [shown_token(context, row) for row in _found(context, merchant, data)]}


def _inquire(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    found = [shown_token(context, row) for row in _found(context, merchant, data)]
    if not found and given(data, "paymentTokenID"):
        raise Refusal("The user has no such payment token.", policy="absent")
    for token in found:
        token.pop("referralCode", None)  # only the first inquiry has it [2.6]
    return {"tokenList": found}


def _found(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> list[Token]:
    """Return the user's tokens in any state that match the query, the oldest first."""
    if (given(data, "tokenScope") or _SCOPE) != _SCOPE:
        return []
    wanted = {
        "token_id": given(data, "paymentTokenID"),
        "method": given(data, "paymentMethodType"),
        "target_org": given(data, "targetOrg"),
        "referral_code": given(data, "referralCode"),
    }
    asked = {column: value for column, value in wanted.items() if value is not None}
    rows = context.state.select(
        Token,
        "WHERE merchant = ? AND user_id = ?"
        + "".join(f" AND {column} = ?" for column in asked) + " ORDER BY id",
        merchant.app_id, text(data, "userId"), *asked.values(),
    )  # fmt: skip
    org = given(data, "cardOrg")
    return [row for row in rows if org is None or (row.card is not None and brand(row.card) == org)]


def shown_token(context: RequestContext, row: Token) -> dict[str, object]:
    """Return a token for the answers of the inquiries [2.6]."""
    card = row.card
    is_card = row.method == "CARD"
    if is_card:
        context.decided_by("token-asks-cvv")
    answer: dict[str, object] = {
        "paymentTokenID": row.token_id,
        "userId": row.user_id,
        "tokenScope": _SCOPE,
        "paymentTokenExpiry": formats.write_request_time(row.expires_at),
        "paymentTokenStatus": row.status,
        "cardInfo": card,
        "ifCVV": context.policies.text("token-asks-cvv") if is_card else None,
        "brand": brand(card) if card else None,
        "paymentMethodType": row.method,
        "targetOrg": "" if is_card else row.target_org,
        "accountDisplay": "" if is_card else row.account,
        "referralCode": row.referral_code,
    }
    return {name: value for name, value in answer.items() if value is not None}


# The control API


_ROWS: Final = Rows(
    kind=Token,
    path="tokens",
    what="payment token",
    plural="payment tokens",
    number="paymentTokenID",
    column="token_id",
    show=shown_token,
    ended=lambda token: "" if token.status == "Activated" else token.status,
)
_ROUTES: Final = (
    *_ROWS.reads(),
    _ROWS.act("/delete", "Deletes a payment token", lambda context, token, _: _end(context, token.id, "Deleted")),
)

_POLICIES: Final = (
    Policy("payment-token-refused", "PAYMENT_METHOD_NOT_EXIST", "refusal-codes",
           "code when the payment token of an order is unknown, expired, deleted or another user's"),
    Policy("payment-token-gone", "refused", "paying-with-token",
           "a payment by a token that was deleted or has expired since its order was placed: refused, and the order "
           "stays open; or it fails; or it is paid. A charge of a plan fails instead of being refused", choices=("refused", "fails", "paid")),
    Policy("token-expires-after", 94608000, "other-moves", "seconds from Activated to Expired"),
    Policy("token-asks-cvv", "N", "paying-with-token", "ifCVV of saved cards", choices=("Y", "N")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="tokens",
    handlers={"payment_tokens.list": _list, "payment_tokens.inquire": _inquire},
    timers={_EXPIRES: lambda context, row: _end(context, row, "Expired")},
    tables=(Token,),
    policies=_POLICIES,
    routes=_ROUTES,
)
