"""Chart the exchanges over time, as shapes and in words."""

from __future__ import annotations

from typing import Final, NamedTuple

from paywright_audit.input.times import seconds, written
from paywright_audit.report.model import Report

WIDTH: Final = 960
HEIGHT: Final = 120
_MOST: Final = 120  # columns
_LEAST: Final = 24  # so that one exchange does not fill the whole width
_LOWEST: Final = 3.0  # smallest height, so that any exchange is visible


class ChartColumn(NamedTuple):
    """A span of time that begins at `at`, with its counts. `seen` and `bad` are SVG paths of its bars, or ""."""

    at: str
    exchanges: int
    found: int
    seen: str
    bad: str


class Chart(NamedTuple):
    """The columns that are not empty, the beginning and end, a column's length and largest count, and a description."""

    columns: tuple[ChartColumn, ...]
    begin: str
    end: str
    span: str
    most: int
    words: str


def chart_of(report: Report) -> Chart | None:
    """Return the chart; None if no exchange has a time."""
    timed = [(time, one) for one in report.timeline if (time := seconds(one.at)) is not None]
    if not timed:
        return None
    first, last = int(timed[0][0]), int(timed[-1][0])
    needed = (last - first) // report.bucket_seconds + 1
    size = report.bucket_seconds * -(-needed // _MOST)
    slots = max(_LEAST, (last - first) // size + 1)
    counts: dict[int, list[int]] = {}
    for time, one in timed:
        column = counts.setdefault(int(time - first) // size, [0, 0])
        column[0] += one.exchanges
        column[1] += one.found
    most = max(exchanges for exchanges, _ in counts.values())
    columns = tuple(
        ChartColumn(
            minute(written(first + slot * size)),
            exchanges,
            found,
            _bar(slot, slots, exchanges / most),
            _bar(slot, slots, found / most),
        )
        for slot, (exchanges, found) in counts.items()
    )
    span = _span(size)
    end = minute(written(first + slots * size))
    return Chart(columns, columns[0].at, end, span, most, _words(columns, span))


def minute(at: str) -> str:
    """Return a time of the report to the minute; "" for none."""
    return f"{at[:10]} {at[11:16]}" if at else ""


def _bar(slot: int, slots: int, share: float) -> str:
    if not share:
        return ""
    height = max(_LOWEST, share * HEIGHT)
    step = WIDTH / slots
    return f"M{slot * step:.2f} {HEIGHT}v{-height:.2f}h{step * 0.84:.2f}v{height:.2f}z"


def _span(size: int) -> str:
    for name, unit in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if size % unit == 0:
            number = size // unit
            return f"one {name}" if number == 1 else f"{number:,} {name}s"
    return f"{size} seconds"


def _words(columns: tuple[ChartColumn, ...], span: str) -> str:
    total = sum(one.exchanges for one in columns)
    busiest = max(columns, key=lambda one: one.exchanges)
    exchanges = f"{total:,} exchange{'' if total == 1 else 's'}"
    if len(columns) == 1:
        words = f"{exchanges}, all within {span} from {columns[0].at} on."
    else:
        words = (
            f"{exchanges} from {columns[0].at} to {columns[-1].at}, "
            f"at most {busiest.exchanges:,} within {span}, from {busiest.at} on."
        )
    bad = [one for one in columns if one.found]
    if not bad:
        return f"{words} None has an error or a warning of its own."
    worst = max(bad, key=lambda one: one.found)
    found = sum(one.found for one in bad)
    if found == 1:
        return f"{words} One has an error or a warning of its own, after {worst.at}."
    return f"{words} {found:,} have an error or a warning of their own, most ({worst.found:,}) after {worst.at}."
