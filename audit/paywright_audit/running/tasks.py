"""Cut the inputs of an audit into tasks, each of which one process judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from paywright_audit.input.captures.capture_reader import Lines
from paywright_audit.input.captures.chunks import Chunk
from paywright_audit.input.captures.reading import cuts, read_chunks, read_input, read_range
from paywright_audit.input.records import Unreadable
from paywright_audit.input.tables.table_files import is_table
from paywright_audit.input.tables.table_schema import Columns
from paywright_audit.running.auditor import Auditor

LEAST: Final = 1 << 22  # bytes; smaller parts cost more to distribute than they save
_MOST: Final = 1 << 28
_PARTS_EACH: Final = 4

Progress = Callable[[int], None]


class CuttingPlan(NamedTuple):
    """Sizes into which inputs are cut, in bytes: ranges of files, and chunks of inputs that have no ranges.

    If there are so many of the latter that every process has its own, they are judged `whole`.
    """

    range: int
    chunk: int
    whole: bool


class Task(NamedTuple):
    """A range of a file (`end`), a chunk of an input (`chunk`), or else a whole input.

    `name` is the input's name in the report; the same input given again has another one. `length` is the number of bytes read,
    if they have not been counted yet.
    """

    number: int
    file: str
    name: str
    start: int = 0
    end: int | None = None
    chunk: Chunk | None = None
    length: int = 0


def plan_of(names: Sequence[str], jobs: int) -> CuttingPlan:
    """Return the plan for a number of processes."""
    total = sum(map(_size, names))
    size = max(LEAST, min(_MOST, total // (jobs * _PARTS_EACH) + 1))
    whole = sum(name != "-" and not cuts(name, size) for name in names) >= jobs * _PARTS_EACH
    return CuttingPlan(size, LEAST, whole)


def tasks_of(
    names: Sequence[str], plan: CuttingPlan, unread: Callable[[str, Unreadable], None], progress: Progress | None = None
) -> Iterator[Task]:
    """Yield the tasks, which depend on the inputs and the plan alone.

    Calls `unread` with every unreadable part, and `progress` with the number of bytes read, of inputs that it reads itself.
    """
    number = 0
    for file, name in zip(names, unique_names(names), strict=True):
        ranges = cuts(file, plan.range)
        if not ranges and ((plan.whole and file != "-") or is_table(file)):
            yield Task(number, file, name, length=_size(file))
            number += 1
            continue
        for start, end in ranges:
            yield Task(number, file, name, start, end, length=end - start)
            number += 1
        for chunk in read_chunks(file, plan.chunk, progress) if not ranges else ():
            if isinstance(chunk, Unreadable):
                unread(name, chunk)
            else:
                yield Task(number, file, name, chunk=chunk)
                number += 1


def judge_task(auditor: Auditor, task: Task, columns: Columns) -> None:
    """Judge the exchanges of a task. `columns` maps our names of columns to those of a table."""
    auditor.begin(task.name)
    if task.chunk is not None:
        auditor.take_all(task.chunk.exchanges())
    elif task.end is None:
        auditor.take_all(read_input(task.file, None, columns))
    else:
        lines = Lines()
        auditor.take_all(read_range(task.file, task.start, task.end, lines))
        auditor.end(task.start, lines.count)


def unique_names(names: Sequence[str]) -> Iterator[str]:
    """Yield the names of the inputs, with a number added to a name that was given before."""
    earlier: Counter[str] = Counter()
    for name in names:
        yield f"{name}\0{earlier[name]}" if earlier[name] else name
        earlier[name] += 1


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size if name != "-" else 0
    except (OSError, ValueError):
        return 0
