"""Virtual time: whoever is due goes on, requests that were delayed arrive in between, and the clock moves to what is next."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import count
from typing import cast

from paywright_runtime.clock import FixedClock
from tests.outcomes.middle import Middle

__all__ = ["run"]


def run(stories: Iterable[Iterator[object]], middle: Middle, clock: FixedClock, *, threads: int = 1) -> None:
    """Runs the stories to their ends. Each yields when it is to be gone on with; `threads` of those due go on at once."""
    numbers = count()
    waiting = [(clock.now(), next(numbers), story) for story in stories]
    heapq.heapify(waiting)
    with ThreadPoolExecutor(threads) as pool:
        while waiting or middle.next_arrival is not None:
            times = [time for time in (middle.next_arrival, waiting[0][0] if waiting else None) if time is not None]
            if (step := min(times) - clock.now()).total_seconds() > 0:
                clock.advance(step)
            middle.let_arrive()
            due = []
            while waiting and waiting[0][0] <= clock.now():
                due.append(heapq.heappop(waiting)[2])
            going = map(_next, due) if threads == 1 else pool.map(_next, due)
            for story, at in zip(due, list(going), strict=True):
                if at is not None:
                    heapq.heappush(waiting, (at, next(numbers), story))


def _next(story: Iterator[object]) -> datetime | None:
    return cast("datetime | None", next(story, None))
