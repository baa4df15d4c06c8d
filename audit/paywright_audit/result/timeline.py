"""Count exchanges over time in a limited number of buckets of one size, however long the capture is."""

from __future__ import annotations

from typing import Final

_DAY: Final = 86400
GRAINS: Final = (60, 900, 3600, 6 * 3600, _DAY, 8 * _DAY, 32 * _DAY, 320 * _DAY, 32000 * _DAY)
"""The sizes of buckets in seconds, each a multiple of the one before. The finest that needs at most `MOST` buckets is
used, in whatever order results are merged."""
MOST: Final = 1440

Minutes = dict[int, list[int]]
"""Counts by bucket: the exchanges, and those with an error or a warning."""


def merged_minutes(one: Minutes, one_grain: int, other: Minutes, other_grain: int) -> tuple[Minutes, int]:
    """Return the sums in the coarser of the two sizes or a still coarser one, and that size."""
    grain = max(one_grain, other_grain)
    total: Minutes = {}
    for minutes, own in ((one, one_grain), (other, other_grain)):
        _add(total, minutes, own, grain)
    return coarsened(total, grain)


def coarsened(minutes: Minutes, grain: int) -> tuple[Minutes, int]:
    """Return the counts in the finest size that needs at most `MOST` buckets, and that size."""
    while len(minutes) > MOST and grain + 1 < len(GRAINS):
        total: Minutes = {}
        _add(total, minutes, grain, grain + 1)
        minutes, grain = total, grain + 1
    return minutes, grain


def _add(total: Minutes, minutes: Minutes, own: int, grain: int) -> None:
    for bucket, (seen, found) in minutes.items():
        counts = total.setdefault(bucket * GRAINS[own] // GRAINS[grain], [0, 0])
        counts[0] += seen
        counts[1] += found
