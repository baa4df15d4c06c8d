"""Times and days of the contract, from text to Python and back; `paywright_runtime.contract.patterns` has their forms.

Readers return aware times, and writers require them.
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

from paywright_runtime.contract.patterns import ANY_TIME, PATTERNS, matcher
from paywright_runtime.errors import InvalidArgument

_FARTHEST: Final = timedelta(hours=18)
_MINUTE: Final = timedelta(minutes=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_UNITS: Final = {"epoch_millis": timedelta(milliseconds=1), "epoch_seconds": timedelta(seconds=1)}
_OR_MILLIS: Final = frozenset(("rate_moment", "rate_time"))
_MILLIS: Final = re.compile("[0-9]{13}").fullmatch


def calendar_date(text: str) -> bool:
    """Return whether the text is a day that exists, as yyyy-MM-dd: `2025-02-26`."""
    return matcher(PATTERNS["calendar_date"])(text) is not None


def calendar_day(text: str) -> bool:
    """Return whether the text is a day that exists, as yyyyMMdd: `20250226`."""
    return matcher(PATTERNS["calendar_day"])(text) is not None


def parse_offset_time(text: str) -> datetime:
    """Parse RFC 3339, such as `2025-02-26T12:00:00+00:00`, as an aware datetime; ValueError for any other form."""
    return _aware(text, "offset_time")


def parse_calendar_date(text: str) -> date:
    """Parse `2025-02-26` as a date; ValueError for any other form."""
    return _day(text, "calendar_date")


def parse_calendar_day(text: str) -> date:
    """Parse `20250226` as a date; ValueError for any other form."""
    return _day(text, "calendar_day")


def read_time(text: str) -> datetime | None:
    """Read a time in any form seen in real messages, as an aware datetime; None for anything else, or without an offset.

    A fraction is optional and kept to microseconds. The offset is `Z`, `+00:00` or `+0000`, with or without a space before it.
    """
    if matcher(ANY_TIME)(text) is None:
        return None
    return datetime.fromisoformat(text.replace(" ", "").upper())


def read_form(form: str | None, text: str) -> datetime | None:
    """Read a time of a named form: `epoch_millis` and the like exactly, any other as `read_time` does."""
    unit = _EPOCH_UNITS.get(form or "")
    if unit is None:
        if form in _OR_MILLIS and _MILLIS(text):
            return _EPOCH + int(text) * _EPOCH_UNITS["epoch_millis"]
        return read_time(text)
    return None if matcher(PATTERNS[form or ""])(text) is None else _EPOCH + int(text) * unit


def write_epoch_millis(value: datetime) -> str:
    """Write `1748750400000`: milliseconds since 1970; the rest is cut off."""
    return str((_settled(value) - _EPOCH) // _EPOCH_UNITS["epoch_millis"])


def write_epoch_seconds(value: datetime) -> str:
    """Write `1748750400`: seconds since 1970; the rest is cut off."""
    return str((_settled(value) - _EPOCH) // _EPOCH_UNITS["epoch_seconds"])


def write_request_time(value: datetime) -> str:
    """Write `2025-02-26T12:00:00.000+00:00`: milliseconds, in the value's own offset; the rest is cut off, not rounded.

    This and the other writers raise `InvalidArgument` for a naive datetime.
    """
    return datetime.isoformat(_settled(value), timespec="milliseconds")


def write_offset_time(value: datetime) -> str:
    """Write `2025-02-26T12:00:00+00:00`: seconds; the rest is cut off."""
    return datetime.isoformat(_settled(value), timespec="seconds")


def write_zoned_time(value: datetime) -> str:
    """Write `2025-01-13T15:59:59 +0000`: seconds; the rest is cut off."""
    text = write_offset_time(value)
    return f"{text[:19]} {text[19:22]}{text[23:]}"


def write_period_time(value: datetime) -> str:
    """Write `2025-01-13T15:59:59+0000`: seconds; the rest is cut off."""
    text = write_offset_time(value)
    return f"{text[:22]}{text[23:]}"


def read_day_or_time(text: str) -> date | None:
    """Read a day, or a time as an aware datetime; None for anything else."""
    if calendar_date(text):
        return parse_calendar_date(text)
    return parse_calendar_day(text) if calendar_day(text) else read_time(text)


def write_day_or_time(value: date) -> str:
    """Write `2025-02-26` for a date, `2025-02-26T12:00:00+00:00` for an aware datetime."""
    return write_offset_time(value) if isinstance(value, datetime) else write_date(value)


def write_date(value: date) -> str:
    """Write `2025-02-26`. A datetime is refused: its day depends on the time zone."""
    return date.isoformat(_plain_date(value))


def write_day(value: date) -> str:
    """Write `20250226`. A datetime is refused: its day depends on the time zone."""
    return write_date(value).replace("-", "")


def _aware(text: str, name: str) -> datetime:
    if matcher(PATTERNS[name])(text) is None:
        raise ValueError(f"not a {name.replace('_', ' ')}")
    return datetime.fromisoformat(text.replace(" ", "").upper())


def _day(text: str, name: str) -> date:
    if matcher(PATTERNS[name])(text) is None:
        raise ValueError(f"not a {name.replace('_', ' ')}")
    return date.fromisoformat(text)


def _settled(value: datetime) -> datetime:
    if not isinstance(value, datetime):
        raise InvalidArgument(f"A time is a datetime, not {type(value).__name__}.")
    if value.tzinfo is UTC:  # as most are
        return value
    offset = value.utcoffset()
    if offset is None:
        raise InvalidArgument("A time needs its offset: use an aware datetime, such as datetime.now(timezone.utc).")
    # Historical zones have offsets with seconds, which no form of the contract allows: write the moment in UTC.
    return value.astimezone(UTC) if offset % _MINUTE or abs(offset) > _FARTHEST else value


def _plain_date(value: date) -> date:
    if isinstance(value, datetime) or not isinstance(value, date):
        raise InvalidArgument(f"A day is a datetime.date, not {type(value).__name__}.")
    return value
