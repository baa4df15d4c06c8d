"""Read the parts of an answer that are not verified: code and message for errors [5.9], and its `Date` header, also for intervals [4.3]."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from paywright_runtime import strict_json
from paywright_runtime.attempts import UnverifiedHint
from paywright_runtime.contract.value_checks import within
from paywright_runtime.redaction import redacted


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


_LONGEST = 64 * 1024

Path = tuple[str, ...]


def unverified_hint(body: bytes, spellings: Sequence[tuple[Path, Path]]) -> UnverifiedHint | None:
    """Return the code and message in an unverified body, or None without any.

    `spellings` are the paths of code and message that the contract knows, likely ones first.
    Never raises; reads at most 64 KiB of strict JSON; the result is cut, masked and labelled. Decide nothing by it.
    """
    try:
        value = strict_json.parse(body, max_bytes=_LONGEST, max_depth=8)
    except strict_json.JsonProblem:
        return None
    for code, message in spellings:
        if code and (found := within(value, code)) is not None:
            return _hint(found, within(value, message))
    messages = (within(value, message) for _, message in spellings if message)
    return _hint(None, next((found for found in messages if found is not None), None))


def _hint(code: object, message: object) -> UnverifiedHint | None:
    hint = UnverifiedHint(redacted(_text(code), 64), redacted(_text(message), 200))
    return hint if hint.code or hint.msg else None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
