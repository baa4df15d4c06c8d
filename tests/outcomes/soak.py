"""The experiment at length: `python -m outcomes.soak`, or `make soak`. Exit code 1 if there was any harm.

--count 100000   orders, refunds and exchanges of the shop that follows the rules
--workers 2      processes
--seed soak      what all chance is drawn from; a run over sockets also depends on how fast the machine is
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from itertools import count, islice
from multiprocessing.pool import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from paywright_sandbox.init import make_folder
from tests.outcomes.experiment import careful, naive
from tests.outcomes.naive_shop import HABITS, Habit
from tests.outcomes.places import Way
from tests.outcomes.truth import HARM, Tally

__all__ = ["main"]

# Most in one process, where sockets are not the point; a tenth through the proxy, a part of it over TLS.
_WAYS: Final[tuple[tuple[Way, int], ...]] = (
    *(("in process", 1000),) * 8, ("sandbox faults", 1000), ("sockets", 600), ("in process", 1000), ("tls", 300),
)  # fmt: skip
_NAIVE: Final = 400
Job = tuple[Way, int, str, Path, Habit | None]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="soak", description="Money moves once, whatever breaks: the experiment at length."
    )
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", default="soak")
    given = parser.parse_args(arguments)
    started, total = time.monotonic(), Tally()
    by_way: dict[str, Tally] = {}
    by_habit: dict[str, Tally] = {}
    with TemporaryDirectory(prefix="paywright-soak-") as made:
        make_folder(Path(made))
        context = multiprocessing.get_context("spawn")
        with context.Pool(given.workers, maxtasksperchild=8) as pool:
            jobs = _until(given.count, given.seed, Path(made), total)
            for (way, *_, habit), tally in _done(pool, jobs, at_once=given.workers):
                if habit is not None:
                    by_habit.setdefault(habit, Tally()).add(tally)
                    continue
                by_way.setdefault(way, Tally()).add(tally)
                total.add(tally)
                print(_progress(total, given.count, time.monotonic() - started), flush=True)
    print(_table(total, by_way, by_habit, time.monotonic() - started))
    shown = all(tally.money_harm for tally in by_habit.values()) and len(by_habit) == len(HABITS)
    return 0 if not total.harm and shown else 1


def _done(pool: Pool, jobs: Iterator[Job], at_once: int) -> Iterator[tuple[Job, Tally]]:
    """Results as they come. A job is taken only when a process is free: whether there is another depends on the results."""
    going = [pool.apply_async(_run, (job,)) for job in islice(jobs, at_once)]
    while going:
        ready = [result for result in going if result.ready()]
        if not ready:
            going[0].wait(0.1)
        for result in ready:
            going.remove(result)
            yield result.get()
            going += [pool.apply_async(_run, (job,)) for job in islice(jobs, 1)]


def _until(wanted: int, seed: str, folder: Path, total: Tally) -> Iterator[Job]:
    """Jobs until there are enough; what is on its way makes it a few more."""
    for habit in HABITS:
        yield "in process", _NAIVE, f"{seed}:0", folder, habit
    for number in count():
        if total.intents >= wanted:
            return
        way, size = _WAYS[number % len(_WAYS)]
        yield way, size, f"{seed}:{number}", folder, None


def _run(job: Job) -> tuple[Job, Tally]:
    way, size, seed, folder, habit = job
    return job, careful(way, size, seed, folder) if habit is None else naive(habit, way, size, seed, folder)


def _progress(total: Tally, wanted: int, seconds: float) -> str:
    harm = f"HARM {total.harm}" if total.harm else "no harm"
    return f"{seconds:6.0f} s {total.intents:>9,} of {wanted:,}, {sum(total.struck.values()):,} calls struck, {harm}"


def _table(total: Tally, by_way: dict[str, Tally], by_habit: dict[str, Tally], seconds: float) -> str:
    calls, struck = total.calls, sum(total.struck.values())
    lines = [
        "",
        f"{total.orders:,} orders, {total.refunds:,} refunds, {total.exchanges:,} exchanges in {seconds:,.0f} s",
        f"{calls:,} calls, of which {struck:,} ({struck / max(calls, 1):.0%}) were struck in {len(total.struck)} ways",
        *(
            f"  {tally.intents:>9,} {way}, {tally.seconds:,.0f} s of one process"
            for way, tally in sorted(by_way.items())
        ),
        f"placed {total.placed:,}, failed {total.failed:,}, reported unknown with the key {total.unknown:,}",
        f"placed again {total.placed_again:,}, of which the gateway had {total.repeats_refused:,} already",
        f"not sent {total.not_sent:,}",
        "",
        *(f"{getattr(total, name):>9,}  {name.replace('_', ' ')}" for name in HARM),
        f"{len(total.strangers):>9,}  exceptions of another tree {sorted(set(total.strangers)) or ''}",
        "",
        *(
            f"without the rules, {habit!r}: of {tally.intents:,} {tally.double} charged twice, "
            f"{tally.failed_but_charged} failed but charged, {tally.placed_not_charged} placed but not charged"
            for habit, tally in by_habit.items()
        ),
        "",
        *(f"{times:>9,}  {name}" for name, times in sorted(total.struck.items(), key=lambda pair: (-pair[1], pair[0]))),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
