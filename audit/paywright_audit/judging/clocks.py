"""Compare the clocks of an exchange: the capture's, the sender's in signed content, and the gateway's in `Date` [2.1, 6, 8].

Each may be wrong. An exchange took place between the earliest and the latest of their times; but if the capture and the
gateway agree against the sender, the sender's clock is wrong.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.input.records import Message
from paywright_audit.judging.memo import Memo
from paywright_audit.judging.operation_facts import OperationFacts

NEAR: Final = 10.0
"""The most seconds by which agreeing clocks may differ."""
SKEW: Final = CONTRACT.limits()["request-skew"].seconds or 0
"""The most seconds by which the sender's clock may differ from the gateway's in a request that the gateway accepts [2.1]."""
_ZONES: Final = 900
"""Seconds that the offset of a time zone is a multiple of."""
_EARLIER: Final = frozenset.intersection(
    *(one.refusal_codes for one in map(CONTRACT.operation, CONTRACT.operations()) if one.clock_codes)
)
"""The refusal codes that all operations have: they may come before the gateway checks the time."""
SIGNATURE_CODES: Final[frozenset[str]] = frozenset(code for code in _EARLIER if code.startswith("SIGN"))
"""The codes with which the gateway refuses a signature, as far as they are known [7.1]."""


class Times(NamedTuple):
    """Times of an exchange: `seen` by the capture (or else its sender), and between `early` and `late` by all clocks.

    `signed` is the time in the signed message, None if it has none.
    """

    seen: float
    early: float
    late: float
    signed: float | None


def times_of(
    at: float | None, until: float | None, signed: float | None, date: float | None, *, trusted: bool = True
) -> Times | None:
    """Return the times of an exchange; None if no clock shows any. `date` is the beginning of the second in `Date`.

    The `Date` of an answer that is not `trusted` only adds doubt: the exchange may have taken place then too.
    """
    if at is None:
        at = until = signed if signed is not None or not trusted else date
        if at is None:
            return None
    early, late = at, at if until is None else until
    agrees = False
    if date is not None:
        agrees = trusted and early - NEAR <= date <= late + NEAR
        if date + 1 < early:
            early = date
        elif date > late:
            late = date + 1
    if signed is not None and (not agrees or at - NEAR <= signed <= late + NEAR):
        early, late = min(early, signed), max(late, signed)
    return Times(at, early, late, signed)


def in_one_zone(times: Times, until: float, date: float | None) -> tuple[Times, int]:
    """Return the times of an accepted call without the time zone in which a capture wrote its own, and that zone in seconds.

    The sender's time and `Date` agree on it. `until` is the capture's end of the call.
    """
    at, signed = times.seen, times.signed
    if date is None or signed is None or abs(date - signed) > NEAR:
        return times, 0
    zone = round((at - date) / _ZONES) * _ZONES
    if not zone or abs(at - zone - date) > NEAR:
        return times, 0
    return times._replace(early=min(at - zone, signed, date), late=max(until - zone, signed, date + 1)), zone


def date_of(answer: Message) -> float | None:
    """Return the time of an answer's `Date` header; None unless it has exactly one."""
    found = [value for name, value in answer.headers if len(name) == 4 and name.lower() == "date"]
    if len(found) != 1:
        return None
    return _dates[found[0]]


def is_accepted(code: str | None, *, proven: bool) -> bool:
    """Return whether the gateway accepted the time of a request: the code of its verified answer comes after that check."""
    return proven and code is not None and code not in _EARLIER


def _read(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, TypeError):
        return None


_dates: Final = Memo(_read)


def skew_of(
    facts: OperationFacts, code: str | None, times: Times, until: float, date: float | None, *, proven: bool
) -> tuple[str, str] | None:
    """Return the finding about a call whose time is more than two minutes from the capture's: its code and words; or None.

    `code` is that of the trusted answer, None if there is none. `proven` is True if the gateway's signature of it was verified.
    """
    signed, at = times.signed, times.seen
    if signed is None or at - SKEW <= signed <= until + SKEW:
        return None
    if code in facts.operation.clock_codes:
        return ("request-skew", "and the gateway refused it for its time")
    if at - SKEW - NEAR <= signed <= until + SKEW + NEAR:
        return None
    if date is None or not is_accepted(code, proven=proven):
        words = "nothing verified says which of the two clocks is wrong"
        return ("time-unclear", f"request-skew only if the clock of the capture is right: {words}")
    if at - NEAR <= date <= until + NEAR:
        return ("skew-accepted", "its answer has the capture's time in Date, and yet the gateway accepted it")
    if signed - NEAR <= date <= signed + SKEW:
        return ("capture-clock", "and its answer has about the same time in Date, so the capture's clock is wrong")
    return ("time-unclear", "request-skew only if the clock of the capture is right: Date has a third time")
