"""What a measurement comes to: ratios of medians over paired rounds, with their goals."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from time import perf_counter, process_time, thread_time
from typing import Any

__all__ = ["Figure", "Timings", "cpu", "most_memory", "multiply", "ratio", "table", "turns", "wall"]

Timings = Mapping[str, Sequence[float]]

# What the kernel counts in ru_maxrss goes back to before the interpreter was loaded, when the process was a copy of this one.
_WATCH = """\
import resource, sys
from paywright_cli.main import main
code = main(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
except (OSError, StopIteration):
    pass
print(peak, file=sys.stderr)
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table: what was compared with what, the ratio, and its goal, if there is one.

    The goal is the most that the ratio should be, or the least where more is better. The ratio is None if it could not be
    measured here; the note says why.
    """

    what: str
    against: str
    ratio: float | None
    goal: float | None = None
    note: str = ""
    more_is_better: bool = False

    @property
    def verdict(self) -> str:
        """Whether the goal is met, in a word."""
        if self.goal is None or self.ratio is None:
            return ""
        met = self.ratio >= self.goal if self.more_is_better else self.ratio <= self.goal
        return "met" if met else "MISSED"


def wall(name: str) -> float:
    """Clock of `turns` for what this thread waits for, too."""
    return perf_counter()


def turns(
    contenders: Mapping[str, Callable[[], object]],
    *,
    batches: int,
    batch: int,
    clock: Callable[[str], float] = lambda name: thread_time(),
) -> Timings:
    """Seconds of CPU a call, this thread's or by another clock. The contenders take turns, a short batch each, in an order drawn anew.

    So whatever slows the machine down slows all of them. No garbage is collected within a batch.
    """
    order, random = list(contenders), Random(1)
    found: dict[str, list[float]] = {name: [] for name in order}
    gc.disable()
    try:
        for number in range(batches + 1):
            random.shuffle(order)
            for name in order:
                call, start = contenders[name], clock(name)
                for _ in range(batch):
                    call()
                if number:  # the first one warms up
                    found[name].append((clock(name) - start) / batch)
            if number % 50 == 0:
                gc.collect()
    finally:
        gc.enable()
    return found


def ratio(timings: Timings, ours: str, theirs: str) -> float:
    """Return the median over the rounds of ours divided by theirs in the same round."""
    return median(mine / other for mine, other in zip(timings[ours], timings[theirs], strict=True))


def cpu(run: Callable[[], object]) -> float:
    """Return the seconds of CPU time that a call takes in this process."""
    start = process_time()
    run()
    return process_time() - start


def multiply(db: Any, table: str, many: int, changed: Mapping[str, str]) -> None:
    """Copy a row of a table so many times. `changed` has an expression for a column, in which `n` is the number of the copy."""
    names = [one[0] for one in db.execute(f"SELECT * FROM {table} LIMIT 0").description]
    made = ", ".join(changed.get(name, name) for name in names)
    numbers = f"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {many})"
    db.execute(f"{numbers} INSERT INTO {table} SELECT {made} FROM s, (SELECT * FROM {table} LIMIT 1) AS one")


def most_memory(arguments: Sequence[str], given: Iterable[bytes] = ()) -> float:
    """Run `paywright` in a process of its own, with some standard input. Returns the most memory that it had, in MB."""
    command = [sys.executable, "-c", _WATCH, *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stderr is not None
    for some in given:
        process.stdin.write(some)
    process.stdin.close()
    peak = int(process.stderr.read().split()[-1]) / 1024
    process.wait()
    return peak


def table(title: str, figures: Sequence[Figure]) -> str:
    """Write the figures as a table of plain text."""
    rows = [("", "compared with", "ratio", "goal", "")]
    for one in figures:
        goal = "" if one.goal is None else f"{one.goal:g}"
        note = f"{one.verdict}  {one.note}".strip()
        rows.append((one.what, one.against, "-" if one.ratio is None else f"{one.ratio:.3f}", goal, note))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        f"  {row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}  {row[4]}".rstrip()
        for row in rows
    ]
    return "\n".join([title, *lines])
