"""Times as databases store them: whole microseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from paywright_runtime.errors import InvalidArgument

_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_LAST: Final = 2**63 - 1  # as a database stores a time
_EARLIEST: Final = (datetime(1, 1, 2, tzinfo=UTC) - _START) // _MICROSECOND
_LATEST: Final = (datetime(9999, 12, 30, tzinfo=UTC) - _START) // _MICROSECOND


def micros(time: datetime) -> int:
    """Return a time as whole microseconds since 1970. Raises `InvalidArgument` for a time without an offset."""
    if not isinstance(time, datetime) or time.tzinfo is None:
        raise InvalidArgument("A time needs its offset: use an aware datetime, such as datetime.now(UTC).")
    return (time - _START) // _MICROSECOND


def youngest(now: int, older_than: timedelta) -> int:
    """Return the latest `first_at`, in microseconds since 1970, of a record that is at least `older_than` old.

    With `older_than` 0 every record is old enough, even if the clock that wrote it has since been set back. Raises
    `InvalidArgument` for a negative span.
    """
    if not isinstance(older_than, timedelta) or older_than < timedelta(0):
        raise InvalidArgument("older_than is a span of time, 0 or more: timedelta(minutes=10).")
    return now - older_than // _MICROSECOND if older_than else _LAST


def at_micros(since: int) -> datetime:
    """Return the time that many microseconds after the start of 1970: aware, in UTC, within the range of datetime."""
    return _START + timedelta(microseconds=min(max(since, _EARLIEST), _LATEST))
