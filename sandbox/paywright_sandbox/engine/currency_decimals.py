"""Decide how many decimal places a currency has, and write and round amounts of money."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Context, Decimal, InvalidOperation
from typing import Final

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.refusal import Refusal

# As such gateways were seen to count, which is not always as ISO 4217 does: IDR, TWD, PKR and COP have none, BHD and KWD two.
_NONE: Final = frozenset((
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
    "XPF", "IDR", "TWD", "PKR", "COP",
))  # fmt: skip
_FOUR: Final = frozenset(("CLF", "UYW"))

# Strict JSON lets 64 digits in; the default context would round them to 28.
_EXACT: Final = Context(prec=200)


def check_decimals(context: RequestContext, amount: Decimal, currency: str, name: str) -> None:
    """Refuse amounts with more decimals than the currency supports [4.1, 4.13]; their number is not shown."""
    most = decimals_of(currency)
    if places(amount) > most:
        context.decided_by("decimals")
        if context.policies.text("decimals") == "any":
            return
        raise Refusal(
            f"/data/{name} has more decimal places than its currency; such gateways were seen to take {most} in {currency} (policy "
            "decimals).",
            policy="invalid-request",
        )


def check_entered(context: RequestContext, amount: Decimal, currency: str, name: str) -> None:
    """Refuse with 400 what `check_decimals` refuses, for amounts of the control API."""
    try:
        check_decimals(context, amount, currency, name)
    except Refusal as refused:
        raise Refusal(refused.msg.removeprefix("/data/"), code="400") from None


def decimals_of(currency: str) -> int:
    """Return the decimal places of a currency, as such gateways were seen to count them."""
    return 0 if currency in _NONE else 4 if currency in _FOUR else 2


def places(amount: Decimal | int) -> int:
    """Return the decimal places that an amount needs: 10.50 needs one, 10.00 and 1E+2 none."""
    return len(written(amount).partition(".")[2].rstrip("0"))


def written(amount: Decimal | int) -> str:
    """Return an amount as decimal text, digit for digit, without an exponent."""
    return str(amount) if isinstance(amount, int) else format(amount, "f")


def in_currency(amount: str, currency: str) -> str:
    """Return an amount for people: with at least the decimal places of its currency, and all its own.

    Texts that are not amounts stay as they are.
    """
    try:
        value = Decimal(amount)
    except InvalidOperation:
        return amount
    if not value.is_finite() or not currency:
        return amount
    return written(value.quantize(Decimal(1).scaleb(-max(decimals_of(currency), places(value))), context=_EXACT))


def rest(amount: Decimal, taken: Iterable[Decimal]) -> Decimal:
    """Return what is left of an amount, exactly."""
    for part in taken:
        amount = _EXACT.subtract(amount, part)
    return amount


_ROUNDINGS: Final = {"half-up": ROUND_HALF_UP, "half-even": ROUND_HALF_EVEN, "down": ROUND_DOWN, "up": ROUND_UP}


def rounded(amount: Decimal, decimals: int, how: str) -> Decimal:
    """Round an amount to `decimals` places; `how` is half-up, half-even, down (towards zero) or up."""
    return amount.quantize(Decimal(1).scaleb(-decimals), _ROUNDINGS[how], Context(prec=400))
