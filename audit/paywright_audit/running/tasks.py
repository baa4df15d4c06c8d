"""Cut the inputs of an audit into tasks, each of which one process judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from paywright_audit.input.captures.chunks import Chunk
from paywright_audit.input.captures.reading import read_chunk, read_chunks, read_input
from paywright_audit.input.records import Unreadable
from paywright_audit.input.tables.parquet_files import is_table
from paywright_audit.input.tables.table_schema import Columns
from paywright_audit.running.auditor import Auditor

CHUNK: Final = 1 << 22
"""Bytes of a chunk. Smaller ones cost more to distribute than they save; after larger ones processes wait longer for the last."""
_PARTS_EACH: Final = 4


class Task(NamedTuple):
    """A chunk of an input, or a whole input, which one process judges.

    `name` is the input's name in the report; the same input given again has another one.
    """

    number: int
    file: str
    name: str
    chunk: Chunk | None = None


def tasks_of(names: Sequence[str], jobs: int, unread: Callable[[str, Unreadable], None]) -> Iterator[Task]:
    """Yield the tasks of a number of processes: tables and small inputs whole, others in chunks that this process reads.

    One process gets all of them whole. Calls `unread` with every unreadable part of inputs that are read here.
    """
    numbers, sizes = count(), list(map(_size, names))
    share = sum(sizes) // (jobs * _PARTS_EACH)
    for file, name, size in zip(names, unique_names(names), sizes, strict=True):
        if jobs == 1 or (file != "-" and (size <= share or is_table(file))):
            yield Task(next(numbers), file, name)
            continue
        for chunk in read_chunks(file, CHUNK):
            if isinstance(chunk, Unreadable):
                unread(name, chunk)
            else:
                yield Task(next(numbers), file, name, chunk)


def judge_task(auditor: Auditor, task: Task, columns: Columns) -> None:
    """Judge the exchanges of a task. `columns` maps our names of columns to those of a table."""
    found = read_input(task.file, columns) if task.chunk is None else read_chunk(task.chunk)
    auditor.take_all(found, task.name)


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
