"""Times in messages and captures, as seconds since 1970 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from paywright_runtime.contract import formats


def seconds(text: object) -> float | None:
    """Return a time in any form seen in messages; None for other text, and without an offset."""
    if type(text) is not str:
        return None
    try:
        time: datetime | None = datetime.fromisoformat(text)
    except ValueError:
        time = formats.read_time(text)
    if time is None or time.tzinfo is None:
        return None
    try:
        return time.timestamp()
    except OverflowError:
        return None


def written(at: float) -> str:
    """Return a time as text, in UTC to the millisecond: `2025-06-01T12:00:00.000Z`; "" outside the calendar."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""
