"""Read the fields of a control request: merchant, amounts, currencies, short texts, a row by its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.fields import check_entered, given, text
from paywright_sandbox.engine.routes import Call, RouteField, one_of
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import MerchantRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.merchants.merchant import RegisteredMerchant

__all__ = [
    "LISTED",
    "MERCHANT_OR_FIRST",
    "InContext",
    "amount_field",
    "currency_field",
    "in_context",
    "merchant_field",
    "row_by_number",
    "short_field",
]

R = TypeVar("R", bound=MerchantRow)

LISTED: Final = 200
"""The maximum number of rows in a list of the control API."""

MERCHANT_OR_FIRST: Final = RouteField("merchant", "string", "app id of the merchant; the first one when left out")

InContext: TypeAlias = "Callable[[RequestContext, Call], Mapping[str, object]]"


def in_context(handle: InContext) -> Callable[[Engine, Call], Mapping[str, object]]:
    """Return a route's handler that runs `handle` in one transaction, after the timers that have fallen due."""

    def handler(engine: Engine, call: Call) -> Mapping[str, object]:
        with engine.transaction() as context:
            return handle(context, call)

    return handler


def merchant_field(context: RequestContext, call: Call) -> RegisteredMerchant:
    """Return the merchant of the field `merchant`, or the first one. Raises `Refusal` with 404."""
    app_id = given(call.body, "merchant")
    found = context.merchants[0] if app_id is None else context.merchant(app_id)
    if found is None:
        there = ", ".join(merchant.app_id for merchant in context.merchants)
        raise Refusal(f"No merchant has this app id; known: {there}.", code="404")
    return found


def amount_field(context: RequestContext, call: Call, currency: str, name: str = "amount") -> Decimal:
    """Return a required amount above 0 with no more decimals than `currency` has. Raises `Refusal` with 400."""
    amount = Decimal(str(call.body[name]))
    if amount <= 0:
        raise Refusal(f"{name} must be above 0.", code="400")
    check_entered(context, amount, currency, name)
    return amount


def currency_field(call: Call, name: str) -> str:
    """Return a required currency code of three capitals. Raises `Refusal` with 400."""
    currency = text(call.body, name)
    if len(currency) != 3 or not currency.isascii() or not currency.isalpha() or not currency.isupper():
        raise Refusal(f"{name} must be three capitals, such as USD.", code="400")
    return currency


def short_field(call: Call, name: str, most: int) -> str:
    """Return an optional text of at most `most` characters on one line, or "". Raises `Refusal` with 400."""
    value = given(call.body, name) or ""
    if len(value) > most or not value.isprintable():
        raise Refusal(f"{name} has at most {most} characters on one line.", code="400")
    return value


def row_by_number(context: RequestContext, kind: type[R], column: str, call: Call, what: str) -> R:
    """Return the row whose `column` is the path's only variable, of the merchant in the body.

    Raises `Refusal` with an HTTP status; see `one_of`.
    """
    (value,) = call.path.values()
    rows = context.state.select(kind, f"WHERE {column} = ? ORDER BY {kind.TABLE}.id", value)
    return one_of(rows, given(call.body, "merchant"), what, "number")
