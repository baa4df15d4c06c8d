"""Rates: a table computed from seed and clock, so that nothing is stored [4.8, 2.9]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import written
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.state.refusal import Refusal

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant

# Units of a currency for one US dollar: plausible start values.
_PER_DOLLAR: Final[Mapping[str, str]] = {
    "USD": "1", "AED": "3.6725", "ARS": "1180", "AUD": "1.545", "BDT": "121.5", "BHD": "0.376", "BRL": "5.68",
    "CAD": "1.375", "CHF": "0.823", "CLP": "938", "CNY": "7.2", "COP": "4120", "CZK": "21.95", "DKK": "6.575",
    "EGP": "49.8", "EUR": "0.8815", "GBP": "0.7425", "GHS": "10.3", "HKD": "7.84", "HUF": "356", "IDR": "16290",
    "ILS": "3.52", "INR": "85.5", "JOD": "0.709", "JPY": "144", "KES": "129.3", "KRW": "1378", "KWD": "0.3065",
    "KZT": "511", "LKR": "299.5", "LYD": "5.46", "MXN": "19.4", "MYR": "4.255", "NGN": "1587", "NOK": "10.2",
    "NZD": "1.675", "OMR": "0.3845", "PEN": "3.63", "PHP": "55.8", "PKR": "282", "PLN": "3.745", "QAR": "3.64",
    "RON": "4.455", "SAR": "3.75", "SEK": "9.59", "SGD": "1.29", "THB": "32.8", "TND": "2.98", "TRY": "39.2",
    "TWD": "30", "VND": "26020", "ZAR": "18",
}  # fmt: skip

CURRENCIES: Final = tuple(_PER_DOLLAR)
"""The currencies that have rates."""

_REFERENCE: Final = "REFERENCE"
_DAY: Final = 86400
# Against the client: no round trip makes money, even if a policy removes the spread.
_EIGHT: Final = {"BUY": Context(prec=8, rounding=ROUND_UP), "SELL": Context(prec=8, rounding=ROUND_DOWN)}
_PRECISE: Final = Context(prec=40)
_VERSION: Final = re.compile(r"R([RL])([IO])([0-9]{14})[0-9A-F]{10}")
_SPREAD: Final = {"PAY_IN": Decimal("0.004"), "PAY_OUT": Decimal("0.006")}
"""The distance of BUY and SELL from the middle rate."""
_PRODUCTS: Final = {"PAY_IN": "I", "PAY_OUT": "O"}


class ExchangeRate(NamedTuple):
    """The price of one unit of the transaction currency in the target currency, paid (BUY) or received (SELL) by the client.

    It is in force from `starts` until before `ends`. `version` is its id, `kind` its rateType.
    """

    side: str
    transaction: str
    target: str
    value: Decimal
    kind: str
    starts: datetime
    ends: datetime
    version: str


def latest_rate(context: RequestContext, product: str, side: str, transaction: str, target: str) -> ExchangeRate:
    """Return the latest version of a rate, which `rates.query` answers and an exchange without version uses [4.8, 4.11].

    It is the locked rate of the day for PAY_IN if that service is on, else the reference rate. Raises `Refusal` if the pair has
    none.
    """
    day = _locked_day(context, None) if product == "PAY_IN" else None
    return _of_day(context, product, side, transaction, target, day)


def _of_day(
    context: RequestContext, product: str, side: str, transaction: str, target: str, day: date | None
) -> ExchangeRate:
    """Return the locked rate of a day, or the reference rate of now for None."""
    if day is not None:
        return _rate(context, product, side, transaction, target, _starts(day), locked=True)
    lasts = _lasts(context, locked=False)
    start = int(context.now.timestamp()) // lasts * lasts
    return _rate(context, product, side, transaction, target, datetime.fromtimestamp(start, UTC), locked=False)


def rate_of_version(context: RequestContext, version: str, side: str, transaction: str, target: str) -> ExchangeRate:
    """Return the rate of an id from `rates.query`. Raises `Refusal` if it is of another pair, or not in force."""
    unknown = Refusal("/data/rateVersion is not a rate of this pair and side.", policy="invalid-request")
    found = _VERSION.fullmatch(version)
    if found is None:
        raise unknown
    try:
        start = datetime.strptime(found[3], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise unknown from None
    product = next(name for name, letter in _PRODUCTS.items() if letter == found[2])
    locked = found[1] == "L"
    rate = _rate(context, product, side, transaction, target, start, locked=locked)
    if rate.version != version or int(start.timestamp()) % _lasts(context, locked=locked):
        raise unknown
    if start > context.now:
        raise Refusal("/data/rateVersion is not in force yet.", policy="invalid-request")
    if context.now >= rate.ends:
        raise Refusal(
            "/data/rateVersion is not in force any more: query the rate again, or leave it out.",
            policy="invalid-request",
        )
    return rate


def _rate(
    context: RequestContext, product: str, side: str, transaction: str, target: str, start: datetime, *, locked: bool
) -> ExchangeRate:
    if transaction == target or transaction not in _PER_DOLLAR or target not in _PER_DOLLAR:
        raise Refusal(
            f"The sandbox has no rate of {transaction[:3]} in {target[:3]}.",
            policy="other-currency",
        )
    middle = _PRECISE.divide(_per_dollar(context.seed, target, start), _per_dollar(context.seed, transaction, start))
    factor = _PRECISE.add(1, _SPREAD[product]) if side == "BUY" else _PRECISE.subtract(1, _SPREAD[product])
    made = f"{context.seed}:{product}:{side}:{transaction}:{target}:{start.isoformat()}:{locked}"
    # Written out by hand: strftime("%Y") has fewer than four digits for early years on some systems.
    at = start.isoformat()[:19].translate({ord(sign): None for sign in "-T:"})
    version = f"{'RL' if locked else 'RR'}{_PRODUCTS[product]}{at}{sha256(made.encode()).hexdigest()[:10].upper()}"
    kind = "LOCKED" if locked else _REFERENCE
    value = _EIGHT[side].multiply(middle, factor)
    return ExchangeRate(
        side, transaction, target, value, kind, start, _after(start, _lasts(context, locked=locked)), version
    )


def _lasts(context: RequestContext, *, locked: bool) -> int:
    return _DAY if locked else max(1, context.policies.seconds("rate-lasts"))


def _after(start: datetime, lasts: int) -> datetime:
    """Return the end of a rate, also for an invented version near the end of the calendar."""
    room = datetime.max.replace(tzinfo=UTC) - start
    return start + min(timedelta(seconds=lasts), room)


def _per_dollar(seed: str, currency: str, start: datetime) -> Decimal:
    """Return the units of a currency for a dollar: the base table, changed by up to half a percent each period."""
    base = Decimal(_PER_DOLLAR[currency])
    if currency == "USD":
        return base
    drawn = int.from_bytes(sha256(f"{seed}:{currency}:{start.isoformat()}".encode()).digest()[:4], "big")
    return _PRECISE.multiply(base, Decimal(drawn % 10001 + 995000).scaleb(-6))


# Queries


def _query(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    product, pairs = text(data, "product"), data["ccyPairList"]
    assert isinstance(pairs, list)
    day = _locked_day(context, given(data, "validTime")) if product == "PAY_IN" else None
    entries = [_entry(context, product, pair, day) for pair in pairs]
    if product == "PAY_IN":
        context.decided_by("locked-rates")
    return {"currencyList": entries}


def _entry(context: RequestContext, product: str, pair: Mapping[str, object], day: date | None) -> dict[str, object]:
    side, transaction, target = text(pair, "side"), text(pair, "transactionCurrency"), text(pair, "targetCurrency")
    rate = _of_day(context, product, side, transaction, target, day)
    entry: dict[str, object] = {
        "ccyPair": transaction + target,
        "rate": Decimal(written(rate.value)),
        "rateType": rate.kind,
        "side": side,
        "targetCurrency": target,
        "transactionCurrency": transaction,
        "effectTime": formats.write_request_time(rate.starts),
        "expiryTime": formats.write_request_time(rate.ends),
    }
    if day is not None:
        entry["validTime"] = entry["effectTime"]
    if "USD" in (transaction, target):
        entry["rateReferenceId"] = rate.version  # only rates that can be traded have one [2.9]
    return entry


def _locked_day(context: RequestContext, asked: str | None) -> date | None:
    """Return the day of the locked rates to use; None for the reference rate of now."""
    if context.policies.text("locked-rates") == "off":
        return None
    today = context.now.date()
    if asked is None:
        return today
    day = date.fromisoformat(asked)
    if day < today:
        raise Refusal("/data/validTime is past: expired rates cannot be queried.", policy="invalid-request")
    advance = CONTRACT.limits()["locked-rate-advance"].seconds or 0
    tomorrow = today + timedelta(days=1)
    if day > tomorrow or (day == tomorrow and context.now < _starts(day) - timedelta(seconds=advance)):
        raise Refusal(
            f"/data/validTime is too far ahead: the next day's rates are published {advance // 60} minutes before it.",
            policy="invalid-request",
        )
    return day


def _starts(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


_POLICIES: Final = (
    Policy("rate-lasts", 3600, "rate-terms", "seconds for which a reference rate is in force"),
    Policy("locked-rates", "on", "rate-terms", "whether the locked-rate service is active; off ignores validTime",
           choices=("on", "off")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="rates",
    handlers={"rates.query": _query},
    policies=_POLICIES,
)
