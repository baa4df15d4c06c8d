"""Run an audit over its inputs: in this process, or in several whose results are merged."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from errno import EAGAIN, ENOMEM
from itertools import chain, islice
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from shutil import rmtree
from threading import Thread
from typing import Final, NamedTuple

from paywright_audit.auditor import Auditor, add_cross_exchange_findings
from paywright_audit.checkpoint import checkpoint
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.finding_table import keep_in, kept_in
from paywright_audit.input.errors import DiskFull, WorkerDied
from paywright_audit.input.reading import read_input
from paywright_audit.judging.matching import Matcher
from paywright_audit.part_files import PartFiles
from paywright_audit.partial_result import PartialResult, PlacedFinding
from paywright_audit.setup import AuditInput
from paywright_audit.tasks import Plan, Progress, Task, judge_task, plan_of, tasks_of, told_apart
from paywright_audit.temporary import Temporary

__all__ = ["OnFindings", "audit"]

OnFindings = Callable[[PartialResult, Iterator[PlacedFinding]], None]
"""What is called with the result and all findings."""

_AHEAD: Final = 2
"""So many parts a process are given out at a time."""
_TRIES: Final = 3
"""So often a part is judged whose process died: it may not have been the part's fault."""


def audit(
    given: AuditInput,
    jobs: int,
    progress: Progress | None = None,
    *,
    kept: Path | None = None,
    temporary: Temporary | None = None,
    on_findings: OnFindings | None = None,
) -> PartialResult:
    """Audit all inputs and return the result, which does not depend on `jobs`, the number of processes.

    `progress` is called with the number of bytes read since its last call. `kept` is the folder in which finished parts are
    kept, and found by a run that goes on. `on_findings` is called in the end with the result and all findings. Raises `WorkerDied` and `DiskFull`.
    """
    temporary = temporary or Temporary()
    try:
        with temporary.in_use():
            if jobs > 1 or kept is not None:
                return _over_processes(given, jobs, progress, kept, temporary, on_findings)
            return _alone(given, progress, temporary, on_findings)
    except sqlite3.OperationalError as error:
        limit = "" if temporary.limit is None else f"; the limit is {temporary.limit} bytes"
        raise DiskFull(f"{error}{limit}") from None
    except (
        OSError
    ) as error:  # of a temporary file, because errors of inputs are part of the report; or no process can begin
        if error.errno in (ENOMEM, EAGAIN):
            raise WorkerDied from None
        raise DiskFull(error.strerror or str(error)) from None


def _alone(
    given: AuditInput, progress: Progress | None, temporary: Temporary, on_findings: OnFindings | None
) -> PartialResult:
    store = RowStore(most=temporary.rows)
    auditor = _auditor(given, store)
    names = given.settings.names
    for file, name in zip(names, told_apart(names), strict=True):
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
    kept: Path | None,
    temporary: Temporary,
    on_findings: OnFindings | None,
) -> PartialResult:
    with _parts(given, jobs, kept, temporary) as (plan, files):
        merging = _Merging(given, files, temporary, progress)
        tasks = tasks_of(given.settings.names, plan, merging.total.break_off, progress)
        first = list(islice(tasks, 2))
        if len(first) > 1 or files.kept:
            _distribute(given, jobs, chain(first, tasks), files, temporary, merging.finish)
        else:
            auditor = _auditor(given, merging.store)
            for task in first:
                judge_task(auditor, task, dict(given.columns))
            merging.total.merge(auditor.close(), given.settings.kept)
        return _related(given, merging.store, merging.total, temporary, on_findings)


@contextmanager
def _parts(given: AuditInput, jobs: int, kept: Path | None, temporary: Temporary) -> Iterator[tuple[Plan, PartFiles]]:
    """Yield how the inputs are cut, and where parts are kept."""
    if kept is None:
        with temporary.parts() as folder:
            yield plan_of(given.settings.names, jobs), PartFiles(folder)
    else:
        with checkpoint(kept, given, jobs) as plan:
            yield plan, PartFiles(kept, kept=True)


class _Merging:
    """Merges finished parts."""

    def __init__(self, given: AuditInput, files: PartFiles, temporary: Temporary, progress: Progress | None) -> None:
        self.total = PartialResult()
        self.store = RowStore(most=temporary.rows)
        self._most_evidence = given.settings.kept
        self._files = files
        self._temporary = temporary
        self._progress = progress
        self._kept = 0

    def finish(self, task: Task) -> bool:
        """Merge a part if it is finished; otherwise return False."""
        partial = self._files.finished(task)
        if partial is None:
            return False
        size = self._files.size(task)
        self.total.merge(partial, self._most_evidence)
        self.store.take(self._files.rows(task))
        self._temporary.count(self.store.size() + self._kept + size)
        self._files.merged(task)
        if self._files.kept:
            self._kept += size
        if self._progress is not None:
            self._progress(task.length)
        return True


def _distribute(
    given: AuditInput,
    jobs: int,
    tasks: Iterator[Task],
    files: PartFiles,
    temporary: Temporary,
    finish: Callable[[Task], bool],
) -> None:
    """Let processes judge all tasks. A part whose process died is done again, up to `_TRIES` times."""
    left = (task for task in tasks if not (files.kept and finish(task)))
    waiting: deque[Task] = deque()
    tries: Counter[int] = Counter()
    barren = 0  # groups of processes that died before they finished anything
    work = _Work(given, files, temporary.folder, temporary.rows_of_one(_AHEAD * jobs))
    while True:
        running: dict[Future[None], Task] = {}
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin, initargs=(work,))
        try:
            while True:
                while len(running) < _AHEAD * jobs:
                    if not waiting:
                        waiting.extend(islice(left, 1))
                    if not waiting:
                        break
                    running[pool.submit(_work, waiting[0])] = waiting[0]
                    waiting.popleft()
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    future.result()
                    if not finish(running.pop(future)):
                        raise WorkerDied
                    barren = 0
        except BrokenProcessPool:
            barren += 1
            for task in running.values():
                if not finish(task):
                    tries[task.number] += 1
                    waiting.append(task)
            if _TRIES in (barren, *tries.values()):
                raise WorkerDied from None
        finally:
            pool.shutdown(cancel_futures=True)


class _Work(NamedTuple):
    """What every process needs: `most` is how many bytes the rows of a part may take."""

    given: AuditInput
    files: PartFiles
    folder: Path | None
    most: int | None


_started: list[_Work] = []
"""What this process was started with."""


def _begin(work: _Work) -> None:
    Temporary(work.folder).use()
    _started[:] = [work]
    Thread(target=_end_with_parent, args=(work.files,), daemon=True).start()


def _end_with_parent(files: PartFiles) -> None:
    """End this process when the one that started it was killed, and leave no temporary files of its."""
    parent = parent_process()
    if parent is None:
        return
    connection.wait([parent.sentinel])
    for _ in range(_TRIES):  # another thread may be writing
        if not files.kept and files.folder.exists():
            rmtree(files.folder, ignore_errors=True)
    os._exit(1)


def _work(task: Task) -> None:
    work = _started[0]
    store = RowStore(work.files.unfinished(task), most=work.most)
    auditor = _auditor(work.given, store)
    judge_task(auditor, task, dict(work.given.columns))
    store.close()
    work.files.finish(task, auditor.close())


def _auditor(given: AuditInput, store: RowStore) -> Auditor:
    every = keep_in(store) if given.findings else None
    return Auditor(Matcher(dict(given.paths)), given.keys(), given.settings, store, every)
