"""Balances of merchants by currency. They are never below zero, and the events say what has moved them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import decimals_of, rounded, written
from paywright_sandbox.engine.fields import text
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import (
    MERCHANT_OR_FIRST,
    Call,
    Route,
    RouteField,
    amount_field,
    in_context,
    merchant_field,
)
from paywright_sandbox.engine.state.tables import TableRow
from paywright_sandbox.resources.rates import CURRENCIES

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant


@dataclass(frozen=True, kw_only=True)
class Balance(TableRow, table="balances", unique=("merchant, currency",)):
    """The balance of a merchant in a currency that has moved, as decimal text."""

    merchant: str
    currency: str
    amount: str


# Amounts of an exchange have up to 162 characters; the sum of any number of them still fits.
_EXACT: Final = Context(prec=400)


def balance(context: RequestContext, merchant: RegisteredMerchant | str, currency: str) -> Decimal:
    """Return a merchant's balance in a currency; `merchant` may be an app id."""
    app_id = merchant if isinstance(merchant, str) else merchant.app_id
    found = _stored(context, app_id, currency)
    return _first(context, currency) if found is None else Decimal(found.amount)


def balances(context: RequestContext, merchant: RegisteredMerchant) -> dict[str, str]:
    """Return all balances that are above zero or have moved, as decimal text by currency."""
    touched = {moved.currency for moved in context.state.select(Balance, "WHERE merchant = ?", merchant.app_id)}
    all_of = sorted({*CURRENCIES, *touched})
    found = {currency: balance(context, merchant, currency) for currency in all_of}
    return {currency: written(amount) for currency, amount in found.items() if amount or currency in touched}


def move(context: RequestContext, merchant: str, currency: str, amount: Decimal) -> None:
    """Add `amount`, which may be negative, to a balance. The caller has checked that it suffices, and records an event."""
    after = _EXACT.add(balance(context, merchant, currency), amount)
    assert after >= 0
    stored = _stored(context, merchant, currency)
    if stored is None:
        context.state.add(Balance(merchant=merchant, currency=currency, amount=written(after)))
    else:
        context.state.change(stored, amount=written(after))


def _stored(context: RequestContext, merchant: str, currency: str) -> Balance | None:
    return context.state.find(Balance, "WHERE merchant = ? AND currency = ?", merchant, currency)


def _first(context: RequestContext, currency: str) -> Decimal:
    if currency not in CURRENCIES:
        return Decimal(0)
    return rounded(Decimal(context.policies.text("initial-balance")), decimals_of(currency), "down")


# The control API


def _balances(context: RequestContext, _: Call) -> Mapping[str, object]:
    return {"balances": {merchant.app_id: balances(context, merchant) for merchant in context.merchants}}


def _credit(context: RequestContext, call: Call) -> Mapping[str, object]:
    merchant, currency = merchant_field(context, call), text(call.body, "currency")
    amount = amount_field(context, call, currency)
    move(context, merchant.app_id, currency, amount)
    detail = {"merchant": merchant.app_id, "currency": currency, "amount": written(amount)}
    context.state.record(context.now, "balance.credited", currency, detail)
    return {"merchant": merchant.app_id, "currency": currency, "balance": written(balance(context, merchant, currency))}


_ROUTES: Final = (
    Route("GET", "balances", "The balances of all merchants", in_context(_balances)),
    Route("POST", "balances", "Credits a balance", in_context(_credit), (
        MERCHANT_OR_FIRST,
        RouteField("currency", "currency", f"currency code; {len(CURRENCIES)} currencies have rates", required=True),
        RouteField("amount", "decimal", "the amount to add", required=True),
    )),
)  # fmt: skip

_POLICIES: Final = (
    Policy("initial-balance", "100000.00", "balances", "first balance in every currency that has rates", amount=True),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="balances",
    tables=(Balance,),
    policies=_POLICIES,
    routes=_ROUTES,
)
