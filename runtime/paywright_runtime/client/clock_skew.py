"""Read the answer's `Date` header: clock skew for error messages [5.9], and intervals for resolvers [4.3]."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

__all__ = ["answer_date", "clock_note", "clock_skew"]


def clock_skew(headers: Sequence[tuple[str, str]], now: datetime) -> float | None:
    """Return by how many seconds the gateway's clock is ahead of `now`; None without exactly one readable `Date`."""
    date = answer_date(headers)
    return None if date is None else (date - now).total_seconds()


def answer_date(headers: Sequence[tuple[str, str]]) -> datetime | None:
    """Return the `Date` header of an answer, in UTC; None without exactly one readable one. It is not signed."""
    from email.utils import parsedate_to_datetime

    dates = [value for name, value in headers if name.lower() == "date"]
    if len(dates) != 1:
        return None
    try:
        date = parsedate_to_datetime(dates[0])
        return date.astimezone(UTC) if date.tzinfo is not None else date.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError):
        return None


def clock_note(skew: float | None) -> str:
    """Return the advice for a request whose time was refused."""
    rule = "The gateway takes times within two minutes of its own."
    if skew is None:
        return f"{rule} Compare this machine's clock with a time server."
    where = "ahead of" if skew > 0 else "behind"
    apart = f"By the answer's Date header, which is not signed, its clock is {abs(skew):.0f} s {where} this machine's."
    return f"{rule} {apart} Set this machine's clock; the library never moves the time it signs."
