"""Run an audit over its inputs: in this process, or in several that judge parts of the input, then relate buckets of rows."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from errno import EAGAIN, ENOMEM
from itertools import chain, islice, pairwise
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Final, NamedTuple

from paywright_audit.cross_exchange.history.related_rows import BUCKETS, Round
from paywright_audit.cross_exchange.history.row_store import RowStore
from paywright_audit.cross_exchange.run_rules import Whole, rounds
from paywright_audit.input.errors import AuditSetupError, DiskFull, WorkerDied
from paywright_audit.input.tables.parquet_files import expanded
from paywright_audit.report.build_report import FindingView, build_report
from paywright_audit.report.model import Report
from paywright_audit.result.partial_result import PartialResult
from paywright_audit.running.auditor import auditor_of, relate, relate_all
from paywright_audit.running.finding_rows import finding_row, keep_in, kept_in, write_findings
from paywright_audit.running.tasks import Task, judge_task, tasks_of
from paywright_audit.settings.audit_settings import DEFAULT, AuditSettings

_AHEAD: Final = 2
"""Parts that are submitted at a time for each process."""
_TRIES: Final = 3
"""Tries of a part whose process dies, which need not be the part's fault."""
END_SECONDS: Final = 60
"""Seconds in which processes end that have nothing left to do."""
_SHARES: Final = 4
"""Parts of a round for each process, so that all are busy to the end."""


def _alone(tasks: Iterable[Task], settings: AuditSettings, total: PartialResult, keep: bool) -> RowStore:
    """Do all tasks in this process, and add their results to `total`. Return the store, which has all findings if `keep`."""
    store = RowStore()
    every = keep_in(store) if keep else None
    auditor = auditor_of(settings, store, every)
    for task in tasks:
        judge_task(auditor, task, settings.columns)
    total.merge(auditor.partial, settings.evidence)
    relate_all(store, total, settings, every)
    return store


def _over_processes(
    tasks: Iterable[Task], settings: AuditSettings, jobs: int, total: PartialResult, keep: bool
) -> RowStore:
    """Do all tasks in processes, as `_alone` does."""
    store = RowStore()
    with TemporaryDirectory(prefix="paywright-audit-") as made:
        folder, parts = Path(made), 0
        pool = _Pool(_Work(settings, folder, keep), jobs)
        try:
            for partial in pool.run(tasks):
                total.merge(partial, settings.evidence)
                parts += 1
            whole, of = total.whole(settings), jobs * _SHARES
            ends = [BUCKETS * share // of for share in range(of + 1)]
            for round_ in rounds(whole.wanted):
                shares = [
                    Share(number, round_, range(*buckets), parts, whole)
                    for number, buckets in enumerate(pairwise(ends), parts)
                ]
                for partial in pool.run(shares):
                    total.merge(partial, settings.evidence)
                parts += of
            pool.end()
        except BaseException:
            pool.end(0)
            raise
        for number in range(parts if keep else 0):
            store.take(_rows_of(folder, number), None)
    return store


class Share(NamedTuple):
    """A share of a round: some buckets of the rows that the first `parts` tasks left. It leaves rows under its own number."""

    number: int
    round: Round
    buckets: range
    parts: int
    whole: Whole


class _Pool:
    """Processes that do tasks. A task whose process died is tried again, `_TRIES` times in all."""

    def __init__(self, work: _Work, jobs: int) -> None:
        self._most = _AHEAD * jobs
        self._jobs = jobs
        self._given = work
        self._pool: ProcessPoolExecutor | None = None

    def run(self, tasks: Iterable[Task | Share]) -> Iterator[PartialResult]:
        """Yield what every task came to, in the order in which they are done."""
        rest, waiting = iter(tasks), deque[Task | Share]()
        running: dict[Future[PartialResult], Task | Share] = {}
        tries: Counter[int] = Counter()
        barren = 0  # pools in a row that died before they finished a task
        while True:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    self._jobs, get_context(_start_method()), initializer=_begin, initargs=(self._given,)
                )
            try:
                while len(running) < self._most:
                    waiting.extend(() if waiting else islice(rest, 1))
                    if not waiting:
                        break
                    with _uninterrupted():
                        running[self._pool.submit(_work, waiting[0])] = waiting[0]
                    waiting.popleft()
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    partial = future.result()
                    running.pop(future)
                    yield partial
                    barren = 0
            except BrokenProcessPool:
                self.end(0)
                barren += 1
                for future, task in running.items():
                    if future.done() and future.exception() is None:
                        yield future.result()
                    else:
                        tries[task.number] += 1
                        waiting.append(task)
                running.clear()
                if _TRIES in (barren, *tries.values()):
                    raise WorkerDied from None

    def end(self, seconds: float = END_SECONDS) -> None:
        """End the processes. Those that do not end in time are killed: one that died may have held a lock of the others."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            processes = [*(pool._processes or {}).values()]
            ending = Thread(target=pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
            ending.start()
            ending.join(seconds)
            if ending.is_alive():
                for process in processes:
                    process.kill()
                ending.join(1)
            if ending.is_alive():  # before Python 3.11.5 it waits until a task is in a pipe that nobody reads any more
                vars(pool)["_call_queue"]._reader.close()
                ending.join(END_SECONDS)


def _start_method() -> str:
    """Return how processes are started: as copies of this one where it has no other thread, which needs no imports."""
    threads = Path("/proc/self/task")  # on Linux alone, whose libraries may be copied
    return "fork" if threads.is_dir() and len(os.listdir(threads)) == 1 else "spawn"


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start processes that Ctrl-C does not interrupt, not even while they import: the process that started them ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Work(NamedTuple):
    """Arguments of every process: the folder of the rows of `parts`. `findings` is True if every finding is kept, to be written."""

    settings: AuditSettings
    parts: Path
    findings: bool


_started: list[_Work] = []
"""The arguments that this process was started with."""


def _begin(work: _Work) -> None:
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


def _work(task: Task | Share) -> PartialResult:
    """Judge a part of the input, or relate a share of a round; what is left to relate goes into the file of the task."""
    settings, parts, findings = _started[0]
    file = _rows_of(parts, task.number)
    file.unlink(missing_ok=True)  # left by a process that died
    out = RowStore(file)
    every = keep_in(out) if findings else None
    if isinstance(task, Task):
        auditor = auditor_of(settings, out, every)
        judge_task(auditor, task, settings.columns)
        partial = auditor.partial
    else:
        store = RowStore()
        for number in range(task.parts):
            store.take(_rows_of(parts, number), task.round, task.buckets)
        partial = relate(store, task.round, task.whole, settings, out, every)
        store.close()
    out.close()
    return partial


def _rows_of(folder: Path, number: int) -> Path:
    return folder / f"{number:07}.rows"


def audit_files(
    files: Sequence[str | os.PathLike[str]],
    settings: AuditSettings = DEFAULT,
    *,
    jobs: int = 1,
    findings: str | os.PathLike[str] | None = None,
) -> Report:
    """Judge captured traffic against the contract, signatures included.

    The report is the same for the same input, whatever `jobs` is. A file that cannot be read is part of the report
    (`unreadable`), not an error.

    Args:
        files: capture records or HAR, plain, gzip or zstd; `-` is standard input, at most once. Or tables
            in Parquet: files, directories, or addresses such as `s3://bucket/prefix`; they need the extra `parquet`.
        settings: keys, names, limits, and how findings are judged.
        jobs: number of processes, from 1 to 256. Unless they are copies of this one, each imports the caller's main module anew.
        findings: a file of JSON lines for every finding, with its place and the merchant's own key.

    Raises:
        AuditSetupError: an argument is out of its bounds, or `findings` cannot be written.
        WorkerDied: processes of `jobs` ended before their work was done, three times for one part.
        DiskFull: the folder of temporary files has no room.
    """
    names = expanded([os.fspath(file) for file in files])
    if names.count("-") > 1:
        raise AuditSetupError("standard input can be read only once")
    if not 1 <= jobs <= 256:
        raise AuditSetupError("jobs must be a number from 1 to 256")
    total, keep = PartialResult(), findings is not None
    try:
        tasks = tasks_of(names, jobs, total.break_off)
        first = list(islice(tasks, 2)) if jobs > 1 else []
        if len(first) > 1:
            store = _over_processes(chain(first, tasks), settings, jobs, total, keep)
        else:
            store = _alone(chain(first, tasks), settings, total, keep)
        shown = FindingView(total, settings)
        if findings is not None:
            write_findings(findings, (finding_row(one, shown) for one in kept_in(store)))
        store.close()
    except sqlite3.OperationalError as error:
        raise DiskFull(str(error)) from None
    except OSError as error:  # of a temporary file or of starting a process: errors of inputs are part of the report
        if error.errno in (ENOMEM, EAGAIN):
            raise WorkerDied from None
        raise DiskFull(error.strerror or str(error)) from None
    return build_report(total, settings, names, shown)
