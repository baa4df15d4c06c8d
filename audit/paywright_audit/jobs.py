"""Run an audit over its inputs: in this process, or in several whose results are merged."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from paywright_audit.auditor import Auditor, add_cross_exchange_findings
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.finding_table import keep_in, kept_in
from paywright_audit.input.capture_reader import Lines
from paywright_audit.input.errors import DiskFull, WorkerDied
from paywright_audit.input.reading import cuts, read_input, read_range
from paywright_audit.judging.matching import Matcher
from paywright_audit.partial_result import PartialResult, PlacedFinding
from paywright_audit.setup import AuditInput

__all__ = ["audit"]

_LEAST: Final = 1 << 22  # bytes; smaller parts cost more to distribute than they save
_MOST: Final = 1 << 28
_PARTS_EACH: Final = 4

Progress = Callable[[int], None]
OnFindings = Callable[[PartialResult, Iterator[PlacedFinding]], None]


class _Part(NamedTuple):
    """A whole input (`end` None), or a range of it; `number` is that of the part.

    `name` is the input's; of an input that is given twice, the second has another one.
    """

    number: int
    file: int
    name: str
    start: int
    end: int | None


def audit(
    given: AuditInput, jobs: int, progress: Progress | None = None, on_findings: OnFindings | None = None
) -> PartialResult:
    """Audit all inputs and return the result, which does not depend on `jobs`, the number of processes.

    `progress` is called with the number of bytes read since its last call, and `on_findings` in the end with the result and
    all findings. Raises `WorkerDied` and `DiskFull`.
    """
    store = RowStore()
    try:
        partial = _audit(given, jobs, progress, store)
        add_cross_exchange_findings(store, partial, given.settings, keep_in(store) if given.findings else None)
        if on_findings is not None:
            on_findings(partial, kept_in(store))
        return partial
    except sqlite3.OperationalError as error:
        raise DiskFull(str(error)) from None


def _audit(given: AuditInput, jobs: int, progress: Progress | None, store: RowStore) -> PartialResult:
    parts = _parts(given.settings.names, jobs) if jobs > 1 else []
    if len(parts) > 1:
        try:
            return _over_processes(given, jobs, parts, progress, store)
        except BrokenProcessPool:
            raise WorkerDied from None
    auditor = _auditor(given, store)
    for file, name in enumerate(_told_apart(given.settings.names)):
        _take(auditor, _Part(0, file, name, 0, None), given, progress)
    return auditor.close()


def _take(auditor: Auditor, part: _Part, given: AuditInput, progress: Progress | None) -> None:
    name = given.settings.names[part.file]
    auditor.begin(part.name)
    if part.end is None:
        auditor.take_all(read_input(name, progress, dict(given.columns)))
        return
    lines = Lines()
    auditor.take_all(read_range(name, part.start, part.end, lines))
    auditor.end(part.start, lines.count)


def _parts(names: Sequence[str], jobs: int) -> list[_Part]:
    total = sum(map(_size, names))
    size = max(_LEAST, min(_MOST, total // (jobs * _PARTS_EACH) + 1))
    found: list[tuple[int, str, int, int | None]] = []
    for file, (name, other) in enumerate(zip(names, _told_apart(names), strict=True)):
        ranges = cuts(name, size)
        found.extend((file, other, *one) for one in ranges) if ranges else found.append((file, other, 0, None))
    return [_Part(number, *one) for number, one in enumerate(found)]


def _told_apart(names: Sequence[str]) -> Iterator[str]:
    earlier: Counter[str] = Counter()
    for name in names:
        yield f"{name}\0{earlier[name]}" if earlier[name] else name
        earlier[name] += 1


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size if name != "-" else 0
    except (OSError, ValueError):
        return 0


def _over_processes(
    given: AuditInput, jobs: int, parts: list[_Part], progress: Progress | None, store: RowStore
) -> PartialResult:
    settings = given.settings
    with TemporaryDirectory(prefix="paywright-audit-") as place:
        folder = Path(place)
        total = PartialResult()
        elsewhere = [part for part in parts if settings.names[part.file] != "-"]
        with ProcessPoolExecutor(
            min(jobs, len(elsewhere)), get_context("spawn"), initializer=_begin, initargs=(given, folder)
        ) as pool:
            waiting = iter(elsewhere)
            running: dict[Future[PartialResult], _Part] = {}
            for part in waiting:
                running[pool.submit(_work, part)] = part
                if len(running) == 2 * jobs:
                    break
            for part in parts:
                if settings.names[part.file] == "-":  # only this process can read it
                    auditor = _auditor(given, store)
                    _take(auditor, part, given, None)
                    total.merge(auditor.close(), settings.kept)
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    part = running.pop(future)
                    total.merge(future.result(), settings.kept)
                    if progress is not None:
                        progress((part.end or _size(settings.names[part.file])) - part.start)
                    _submit(pool, waiting, running)
                    file = _store_file(folder, part)
                    store.take(file)
                    file.unlink()
        return total


def _submit(pool: ProcessPoolExecutor, waiting: Iterator[_Part], running: dict[Future[PartialResult], _Part]) -> None:
    part = next(waiting, None)
    if part is not None:
        running[pool.submit(_work, part)] = part


_given: list[tuple[AuditInput, Path]] = []
"""What a worker process was started with."""


def _begin(given: AuditInput, folder: Path) -> None:
    _given[:] = [(given, folder)]


def _work(part: _Part) -> PartialResult:
    ((given, folder),) = _given
    store = RowStore(_store_file(folder, part))
    auditor = _auditor(given, store)
    _take(auditor, part, given, None)
    store.close()
    return auditor.close()


def _store_file(folder: Path, part: _Part) -> Path:
    return folder / f"{part.number}.sqlite"


def _auditor(given: AuditInput, store: RowStore) -> Auditor:
    every = keep_in(store) if given.findings else None
    return Auditor(Matcher(dict(given.paths)), given.keys(), given.settings, store, every)
