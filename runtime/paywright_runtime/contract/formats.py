"""The forms of text that the contract names: for each its pattern, an example, and how Python reads and writes it.

Patterns are for matching and for JSON Schema. They hold the whole calendar, leap years included, so that a schema with the same pattern
agrees in every case. They use ASCII classes only and are meant to match the whole text. The year 0000 and second 60 are refused,
because no date and time of Python can hold them; offsets reach 18:00, as in the notation the specification uses [2].

Readers return aware times, and writers require them.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from typing import Any, Final, NamedTuple

from paywright_runtime.errors import InvalidArgument


def _calendar(dash: str) -> str:
    month_and_day = (
        f"(?:0[1-9]|1[0-2]){dash}(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2]){dash}(?:29|30)|(?:0[13578]|1[02]){dash}31"
    )
    year = "(?:[1-9][0-9]{3}|0(?:[1-9][0-9]{2}|0(?:[1-9][0-9]|0[1-9])))"  # without lookahead, for readers of schemas that have none
    four = "(?:0[48]|[2468][048]|[13579][26])"
    return f"(?:{year}{dash}(?:{month_and_day})|(?:[0-9]{{2}}{four}|{four}00){dash}02{dash}29)"


def _ip_v6(group: str, v4: str) -> str:
    # Eight groups; or `::` for one or more groups, with at most seven others around it, in every split. A dotted quad
    # at the end stands for two groups.
    def before(left: int) -> str:
        return f"{group}(?::{group}){{{left - 1}}}::" if left else "::"

    whole = [f"(?:{group}:){{7}}{group}", f"(?:{group}:){{6}}{v4}"]
    short = [f"{before(left)}(?:{group}(?::{group}){{0,{6 - left}}})?" for left in range(7)] + [before(7)]
    quads = [f"{before(left)}(?:{group}:){{0,{5 - left}}}{v4}" for left in range(6)]
    return "|".join(whole + short + quads)


_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_V4 = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_DATE = _calendar("-")
_DAY = _calendar("")
_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_CLOCK = f"{_MINUTE}:[0-5][0-9]"
_COLON = "[+-](?:(?:0[0-9]|1[0-7]):[0-5][0-9]|18:00)"
_PLAIN = "[+-](?:(?:0[0-9]|1[0-7])[0-5][0-9]|1800)"

_FRACTION = r"(?:\.[0-9]{1,9})?"
_RFC_3339 = f"{_DATE}[Tt]{_CLOCK}{_FRACTION}(?:[Zz]|{_COLON})"


def _any_case(pattern: str) -> str:
    return re.sub("[a-z]", lambda letter: f"[{letter[0].upper()}{letter[0]}]", pattern)


_VISIBLE = r"[^\x00-\x20\x7f]"
_HOST = r"[^\x00-\x20\x7f/?#\\]"  # how the host of a web address may begin
_EPOCH_MILLIS = "[1-9][0-9]{12}"
_EPOCH_SECONDS = "[1-9][0-9]{9}"
# What is read where the contract states no form: more than any check allows. Some writers leave out seconds that are 0.
_ANY_TIME: Final = f"{_DATE}[Tt](?:{_CLOCK}{_FRACTION}|{_MINUTE}) ?(?:[Zz]|{_COLON}|{_PLAIN})"


@cache
def matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return the `fullmatch` of a pattern of this module, compiled at first use: few programs need them all."""
    return re.compile(pattern).fullmatch


_FARTHEST: Final = timedelta(hours=18)
_MINUTE_LONG: Final = timedelta(minutes=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLIS: Final = timedelta(milliseconds=1)
_SECONDS: Final = timedelta(seconds=1)


def read_time(text: str) -> datetime | None:
    """Read a time in any form seen in real messages, as an aware datetime; None for anything else, or without an offset.

    A fraction is optional and kept to microseconds. The offset is `Z`, `+00:00` or `+0000`, with or without a space before it.
    """
    if matcher(_ANY_TIME)(text) is None:
        return None
    return datetime.fromisoformat(text.replace(" ", "").upper())


def _read_epoch(pattern: str, unit: timedelta, text: str) -> datetime | None:
    return None if matcher(pattern)(text) is None else _EPOCH + int(text) * unit


def _read_rate(text: str) -> datetime | None:
    return _read_epoch("[0-9]{13}", _MILLIS, text) or read_time(text)


def read_day_or_time(text: str) -> date | None:
    """Read a day, or a time as an aware datetime; None for anything else."""
    if matcher(_DATE)(text) or matcher(_DAY)(text):
        return date.fromisoformat(text)
    return read_time(text)


def read_day(text: str) -> date | None:
    """Read a day in any form, or the day of a time; None for anything else."""
    found = read_day_or_time(text)
    return found.date() if isinstance(found, datetime) else found


def _write_epoch(unit: timedelta, value: datetime) -> str:
    return str((_settled(value) - _EPOCH) // unit)


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


def write_day_or_time(value: date) -> str:
    """Write `2025-02-26` for a date, `2025-02-26T12:00:00+00:00` for an aware datetime."""
    return write_offset_time(value) if isinstance(value, datetime) else write_date(value)


def write_date(value: date) -> str:
    """Write `2025-02-26`. A datetime is refused: its day depends on the time zone."""
    if isinstance(value, datetime) or not isinstance(value, date):
        raise InvalidArgument(f"A day is a datetime.date, not {type(value).__name__}.")
    return date.isoformat(value)


def write_day(value: date) -> str:
    """Write `20250226`. A datetime is refused: its day depends on the time zone."""
    return write_date(value).replace("-", "")


def _settled(value: datetime) -> datetime:
    if not isinstance(value, datetime):
        raise InvalidArgument(f"A time is a datetime, not {type(value).__name__}.")
    if value.tzinfo is UTC:  # as most are
        return value
    offset = value.utcoffset()
    if offset is None:
        raise InvalidArgument("A time needs its offset: use an aware datetime, such as datetime.now(timezone.utc).")
    # Historical zones have offsets with seconds, which no form of the contract allows: write the moment in UTC.
    return value.astimezone(UTC) if offset % _MINUTE_LONG or abs(offset) > _FARTHEST else value


class Form(NamedTuple):
    """A form of text: its pattern, an example, the type of Python that stands for it, and its reader and writer, if it has them."""

    pattern: str
    example: str
    python: str = "str"
    write: Callable[[Any], str] | None = None
    read: Callable[[str], date | None] = read_time


FORMS: Final[dict[str, Form]] = {
    # IPv4 in four decimal numbers, or IPv6 without a zone
    "ip_address": Form(f"(?:{_V4}|{_ip_v6('[0-9A-Fa-f]{1,4}', _V4)})", "203.0.113.7"),
    # a day that exists: 2025-02-26
    "calendar_date": Form(_DATE, "2025-06-30", "date", write_date, read_day),
    # a day that exists: 20250226
    "calendar_day": Form(_DAY, "20250630", "date", write_day, read_day),
    # yyyy-MM-dd'T'HH:mm:ss.SSSXXX: 2025-02-26T12:00:00.000+08:00, or Z for the offset [2]
    "request_time": Form(
        rf"{_DATE}T{_CLOCK}\.[0-9]{{3}}(?:Z|{_COLON})", "2025-06-01T12:00:00.000+08:00", "datetime", write_request_time
    ),
    # yyyy-MM-dd'T'HH:mm:ss Z: 2025-01-13T15:59:59 +0000 [2]
    "zoned_time": Form(f"{_DATE}T{_CLOCK} {_PLAIN}", "2025-06-01T12:00:00 +0800", "datetime", write_zoned_time),
    # any form of RFC 3339: a fraction of 1 to 9 digits or none; an offset with a colon, or Z
    "offset_time": Form(_RFC_3339, "2025-06-01T12:00:00+00:00", "datetime", write_offset_time),
    # 2025-01-13T15:59:59+0000 [6.2], or any form of RFC 3339 [2]
    "period_time": Form(
        f"(?:{_RFC_3339}|{_DATE}T{_CLOCK}{_PLAIN})", "2025-06-01T15:59:59+0000", "datetime", write_period_time
    ),
    # RFC 3339, or a day that exists [2, 2.3]
    "start_date": Form(f"(?:{_RFC_3339}|{_DATE})", "2025-06-01", "date", write_day_or_time, read_day_or_time),
    # any of the times above, with a fraction of 1 to 9 digits or none
    "moment": Form(
        f"(?:{_RFC_3339}|{_DATE}T{_CLOCK}{_FRACTION} ?{_PLAIN})", "2025-06-01T12:00:00.000+08:00", "datetime", write_offset_time
    ),
    # the 13 digits of milliseconds since 1970: 1748750400000; the rest is cut off
    "epoch_millis": Form(
        _EPOCH_MILLIS, "1748750400000", "datetime",
        partial(_write_epoch, _MILLIS), partial(_read_epoch, _EPOCH_MILLIS, _MILLIS),
    ),
    # the 10 digits of seconds since 1970: 1748750400; the rest is cut off
    "epoch_seconds": Form(
        _EPOCH_SECONDS, "1748750400", "datetime",
        partial(_write_epoch, _SECONDS), partial(_read_epoch, _EPOCH_SECONDS, _SECONDS),
    ),
    # RFC 3339, or the 13 digits of milliseconds since 1970 [2.9]
    "rate_moment": Form(f"(?:{_RFC_3339}|[0-9]{{13}})", "1748750400000", "datetime", write_offset_time, _read_rate),
    # at most 13 characters of any kind, or the shape of RFC 3339 [2.9]
    "rate_time": Form(
        r"[^\n]{0,13}|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}"
        "([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})",
        "1748750400000", "datetime", write_offset_time, _read_rate,
    ),
    # https:// or http://, in any case, and a host [4.1]
    "http_url": Form(f"{_any_case('https?')}://{_HOST}{_VISIBLE}*", "https://shop.example/notify"),
    # a web address or an app scheme's, such as myapp://done; no javascript:, data:, vbscript: or file: [4.1]
    "callback_url": Form(
        f"(?!{_any_case('(?:javascript|data|vbscript|file):')}|{_any_case('https?:')}(?!//{_HOST}))"
        rf"[A-Za-z][A-Za-z0-9+.-]*://{_VISIBLE}*",
        "https://shop.example/back",
    ),
}  # fmt: skip
"""The checks that a format of the contract may name."""


def read_form(form: str | None, text: str) -> datetime | None:
    """Read a time of a named form: `epoch_millis` and the like exactly, any other as `read_time` does."""
    found = FORMS[form].read(text) if form in FORMS else read_time(text)
    return found if isinstance(found, datetime) else None
