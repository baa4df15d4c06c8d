"""Run an audit over its inputs: in this process, or in several whose results are merged."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from errno import EAGAIN, ENOMEM
from itertools import chain, islice
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from shutil import rmtree
from threading import Thread
from typing import Final, NamedTuple

from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.input.captures.reading import read_input
from paywright_audit.input.errors import DiskFull, WorkerDied
from paywright_audit.judging.matching import Matcher
from paywright_audit.result.partial_result import PartialResult, PlacedFinding
from paywright_audit.running.auditor import Auditor, add_cross_exchange_findings
from paywright_audit.running.finding_table import keep_in, kept_in
from paywright_audit.running.tasks import Progress, Task, judge_task, plan_of, tasks_of, unique_names
from paywright_audit.running.temporary import Temporary
from paywright_audit.settings.audit_settings import AuditInput

__all__ = ["OnFindings", "audit"]

OnFindings = Callable[[PartialResult, Iterator[PlacedFinding]], None]
"""Function that is called with the result and all findings."""

_AHEAD: Final = 2
"""Parts that are submitted at a time for each process."""
_TRIES: Final = 3
"""Tries of a part whose process dies, which need not be the part's fault."""


def audit(
    given: AuditInput,
    jobs: int,
    progress: Progress | None = None,
    *,
    temporary: Temporary | None = None,
    on_findings: OnFindings | None = None,
) -> PartialResult:
    """Audit all inputs and return the result, which does not depend on `jobs`, the number of processes.

    `progress` is called with the number of bytes read since its last call. `on_findings` is called at the end with the result
    and all findings. Raises `WorkerDied` and `DiskFull`.
    """
    temporary = temporary or Temporary()
    try:
        with temporary.in_use():
            if jobs > 1:
                return _over_processes(given, jobs, progress, temporary, on_findings)
            return _alone(given, progress, temporary, on_findings)
    except sqlite3.OperationalError as error:
        limit = "" if temporary.limit is None else f"; the limit is {temporary.limit} bytes"
        raise DiskFull(f"{error}{limit}") from None
    except (
        OSError
    ) as error:  # of a temporary file or of starting a process, because errors of inputs are part of the report
        if error.errno in (ENOMEM, EAGAIN):
            raise WorkerDied from None
        raise DiskFull(error.strerror or str(error)) from None


def _alone(
    given: AuditInput, progress: Progress | None, temporary: Temporary, on_findings: OnFindings | None
) -> PartialResult:
    store = RowStore(most=temporary.rows)
    auditor = _auditor(given, store)
    names = given.settings.names
    for file, name in zip(names, unique_names(names), strict=True):
        auditor.begin(name)
        auditor.take_all(read_input(file, progress, dict(given.columns)))
    partial = auditor.close()
    return _related(given, store, partial, temporary, on_findings)


def _related(
    given: AuditInput,
    store: RowStore,
    partial: PartialResult,
    temporary: Temporary,
    on_findings: OnFindings | None,
) -> PartialResult:
    temporary.count(store.size())
    add_cross_exchange_findings(store, partial, given.settings, keep_in(store) if given.findings else None)
    temporary.count(store.size())
    if on_findings is not None:
        on_findings(partial, kept_in(store))
    store.close()
    return partial


def _over_processes(
    given: AuditInput,
    jobs: int,
    progress: Progress | None,
    temporary: Temporary,
    on_findings: OnFindings | None,
) -> PartialResult:
    with temporary.parts() as folder:
        merging = _Merging(given, folder, temporary, progress)
        plan = plan_of(given.settings.names, jobs)
        tasks = tasks_of(given.settings.names, plan, merging.total.break_off, progress)
        first = list(islice(tasks, 2))
        if len(first) > 1:
            _distribute(given, jobs, chain(first, tasks), merging)
        else:
            auditor = _auditor(given, merging.store)
            for task in first:
                judge_task(auditor, task, dict(given.columns))
            merging.total.merge(auditor.close(), given.settings.kept)
        return _related(given, merging.store, merging.total, temporary, on_findings)


class _Merging:
    """Merges the parts that processes have judged, each with its rows in a file of the folder."""

    def __init__(self, given: AuditInput, folder: Path, temporary: Temporary, progress: Progress | None) -> None:
        self.total = PartialResult()
        self.store = RowStore(most=temporary.rows)
        self.folder = folder
        self.temporary = temporary
        self._most_evidence = given.settings.kept
        self._progress = progress

    def finish(self, task: Task, partial: PartialResult) -> None:
        """Merge a part."""
        rows = _rows_of(self.folder, task)
        size = rows.stat().st_size
        self.total.merge(partial, self._most_evidence)
        self.store.take(rows)
        self.temporary.count(self.store.size() + size)
        rows.unlink()
        if self._progress is not None:
            self._progress(task.length)


def _distribute(given: AuditInput, jobs: int, tasks: Iterator[Task], merging: _Merging) -> None:
    """Judge all tasks in processes. A part whose process died is tried again, `_TRIES` times in all."""
    waiting: deque[Task] = deque()
    tries: Counter[int] = Counter()
    barren = 0  # pools in a row that died before they finished a part
    work = _Work(given, merging.folder, merging.temporary.folder, merging.temporary.rows_of_one(_AHEAD * jobs))
    while True:
        running: dict[Future[PartialResult], Task] = {}
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin, initargs=(work,))
        try:
            while True:
                while len(running) < _AHEAD * jobs:
                    if not waiting:
                        waiting.extend(islice(tasks, 1))
                    if not waiting:
                        break
                    running[pool.submit(_work, waiting[0])] = waiting[0]
                    waiting.popleft()
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    partial = future.result()
                    merging.finish(running.pop(future), partial)
                    barren = 0
        except BrokenProcessPool:
            barren += 1
            for future, task in running.items():
                if future.done() and future.exception() is None:
                    merging.finish(task, future.result())
                else:
                    tries[task.number] += 1
                    waiting.append(task)
            if _TRIES in (barren, *tries.values()):
                raise WorkerDied from None
        finally:
            pool.shutdown(cancel_futures=True)


class _Work(NamedTuple):
    """Arguments of every process: the folder of the rows of `parts`, that of temporary files, and the most bytes of a part's rows."""

    given: AuditInput
    parts: Path
    folder: Path | None
    most: int | None


_started: list[_Work] = []
"""The arguments that this process was started with."""


def _begin(work: _Work) -> None:
    Temporary(work.folder).use()
    _started[:] = [work]
    Thread(target=_end_with_parent, args=(work.parts,), daemon=True).start()


def _end_with_parent(parts: Path) -> None:
    """End this process when its parent was killed, and delete the parent's temporary files."""
    parent = parent_process()
    if parent is None:
        return
    connection.wait([parent.sentinel])
    for _ in range(_TRIES):  # another thread may be writing
        if parts.exists():
            rmtree(parts, ignore_errors=True)
    os._exit(1)


def _work(task: Task) -> PartialResult:
    work = _started[0]
    rows = _rows_of(work.parts, task)
    rows.unlink(missing_ok=True)  # left by a process that died
    store = RowStore(rows, most=work.most)
    auditor = _auditor(work.given, store)
    judge_task(auditor, task, dict(work.given.columns))
    store.close()
    return auditor.close()


def _rows_of(folder: Path, task: Task) -> Path:
    return folder / f"{task.number:07}.rows"


def _auditor(given: AuditInput, store: RowStore) -> Auditor:
    every = keep_in(store) if given.findings else None
    return Auditor(Matcher(dict(given.paths)), given.keys(), given.settings, store, every)
