"""Run an audit over its inputs: in this process, or in several that judge parts of the input, then relate buckets of rows."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from errno import EAGAIN, ENOMEM
from itertools import chain, islice
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from shutil import rmtree
from threading import Thread
from typing import Final, NamedTuple

from paywright_audit.cross_exchange.evidence.related_rows import BUCKETS, Round
from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.cross_exchange.run_rules import Whole, rounds
from paywright_audit.input.errors import AuditSetupError, DiskFull, WorkerDied
from paywright_audit.input.tables.parquet_files import expanded
from paywright_audit.report.build_report import FindingView, build_report
from paywright_audit.report.model import Report
from paywright_audit.result.partial_result import PartialResult, PlacedFinding
from paywright_audit.running.auditor import auditor_of, relate, relate_all
from paywright_audit.running.finding_rows import finding_row, keep_in, kept_in, write_findings
from paywright_audit.running.tasks import Progress, Task, judge_task, tasks_of
from paywright_audit.running.temporary import Temporary
from paywright_audit.settings.audit_settings import DEFAULT, AuditSettings

OnFindings = Callable[[PartialResult, Iterator[PlacedFinding]], None]
"""Function that is called with the result and all findings."""

_AHEAD: Final = 2
"""Parts that are submitted at a time for each process."""
_TRIES: Final = 3
"""Tries of a part whose process dies, which need not be the part's fault."""
END_SECONDS: Final = 60
"""Seconds in which processes end that have nothing left to do."""
_SHARES: Final = 4
"""Parts of a round for each process, so that all are busy to the end."""


def audit(
    names: Sequence[str],
    settings: AuditSettings,
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
            total = PartialResult()
            tasks = tasks_of(names, jobs, total.break_off, progress)
            first = list(islice(tasks, 2)) if jobs > 1 else []
            if len(first) > 1:
                _over_processes(chain(first, tasks), settings, jobs, total, progress, temporary, on_findings)
            else:
                _alone(chain(first, tasks), settings, total, progress, temporary, on_findings)
            return total
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
    tasks: Iterable[Task],
    settings: AuditSettings,
    total: PartialResult,
    progress: Progress | None,
    temporary: Temporary,
    on_findings: OnFindings | None,
) -> None:
    """Do all tasks in this process, and add their results to `total`."""
    store = RowStore(most=temporary.rows())
    every = None if on_findings is None else keep_in(store)
    auditor = auditor_of(settings, store, every)
    for task in tasks:
        judge_task(auditor, task, settings.columns, progress)
    total.merge(auditor.close(), settings.evidence)
    temporary.count(store.size())
    relate_all(store, total, settings, every)
    temporary.count(store.size())
    if on_findings is not None:
        on_findings(total, kept_in(store))
    store.close()


def _over_processes(
    tasks: Iterable[Task],
    settings: AuditSettings,
    jobs: int,
    total: PartialResult,
    progress: Progress | None,
    temporary: Temporary,
    on_findings: OnFindings | None,
) -> None:
    with temporary.parts() as folder:
        work = _Work(settings, folder, temporary.folder, temporary.rows(_AHEAD * jobs), on_findings is not None)
        pool = _Pool(work, jobs)
        parts, size = 0, 0
        try:
            for task, done in pool.run(tasks):
                total.merge(done.partial, settings.evidence)
                parts, size = parts + 1, size + done.size
                temporary.count(size)
                if progress is not None and isinstance(task, Task):
                    progress(task.length)
            whole, of = total.whole(settings), min(BUCKETS, jobs * _SHARES)
            for round_ in rounds(whole.wanted):
                shares = [Share(parts + share, round_, share, of, parts, whole) for share in range(of)]
                for _, done in pool.run(shares):
                    total.merge(done.partial, settings.evidence)
                    size += done.size
                    temporary.count(size + min(jobs, of) * done.beside)
                parts += of
        finally:
            pool.end()
        if on_findings is not None:
            store = RowStore(most=temporary.rows())
            for number in range(parts):
                store.take(_rows_of(folder, number), None)
            on_findings(total, kept_in(store))
            store.close()


class Share(NamedTuple):
    """A share of a round: some buckets of the rows that the first `parts` tasks left. It leaves rows under its own number."""

    number: int
    round: Round
    share: int
    of: int
    parts: int
    whole: Whole


class Done(NamedTuple):
    """Result of a task: its partial result, the bytes of its file, and the bytes that it took beside it."""

    partial: PartialResult
    size: int
    beside: int = 0


class _Pool:
    """Processes that do tasks. A task whose process died is tried again, `_TRIES` times in all."""

    def __init__(self, work: _Work, jobs: int) -> None:
        self._most = _AHEAD * jobs
        self._jobs = jobs
        self._given = work
        self._pool: ProcessPoolExecutor | None = None

    def run(self, tasks: Iterable[Task | Share]) -> Iterator[tuple[Task | Share, Done]]:
        """Yield what every task came to, in the order in which they are done."""
        rest, waiting = iter(tasks), deque[Task | Share]()
        running: dict[Future[Done], Task | Share] = {}
        tries: Counter[int] = Counter()
        barren = 0  # pools in a row that died before they finished a task
        while True:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    self._jobs, get_context("spawn"), initializer=_begin, initargs=(self._given,)
                )
            try:
                while len(running) < self._most:
                    waiting.extend(() if waiting else islice(rest, 1))
                    if not waiting:
                        break
                    running[self._pool.submit(_work, waiting[0])] = waiting[0]
                    waiting.popleft()
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    done = future.result()
                    yield running.pop(future), done
                    barren = 0
            except BrokenProcessPool:
                self.end()
                barren += 1
                for future, task in running.items():
                    if future.done() and future.exception() is None:
                        yield task, future.result()
                    else:
                        tries[task.number] += 1
                        waiting.append(task)
                running.clear()
                if _TRIES in (barren, *tries.values()):
                    raise WorkerDied from None

    def end(self) -> None:
        """End the processes. Those that do not end by themselves are killed: one that died may have held a lock of the others."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            processes = [*(pool._processes or {}).values()]
            ending = Thread(target=pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
            ending.start()
            ending.join(END_SECONDS)
            if ending.is_alive():
                for process in processes:
                    process.kill()
                ending.join(END_SECONDS)


class _Work(NamedTuple):
    """Arguments of every process: the folder of the rows of `parts`, that of temporary files, and the most bytes of a part's rows.

    `findings` is True if every finding is kept, to be written.
    """

    settings: AuditSettings
    parts: Path
    folder: Path | None
    most: int | None
    findings: bool


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


def _work(task: Task | Share) -> Done:
    """Judge a part of the input, or relate a share of a round; what is left to relate goes into the file of the task."""
    settings, parts, _, most, findings = _started[0]
    file = _rows_of(parts, task.number)
    file.unlink(missing_ok=True)  # left by a process that died
    out = RowStore(file, most=most)
    every = keep_in(out) if findings else None
    beside = 0
    if isinstance(task, Task):
        auditor = auditor_of(settings, out, every)
        judge_task(auditor, task, settings.columns)
        partial = auditor.close()
    else:
        store = RowStore(most=None if most is None else most * _AHEAD)
        for number in range(task.parts):
            store.take(_rows_of(parts, number), task.round, range(task.share, BUCKETS, task.of))
        partial = relate(store, task.round, task.whole, settings, out, every)
        beside = store.size()
        store.close()
    out.close()
    return Done(partial, file.stat().st_size, beside)


def _rows_of(folder: Path, number: int) -> Path:
    return folder / f"{number:07}.rows"


_LEAST_LIMIT: Final = 1_000_000


def audit_files(
    files: Sequence[str | os.PathLike[str]],
    settings: AuditSettings = DEFAULT,
    *,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    temp_limit: int | None = None,
    on_disk: Callable[[int], None] | None = None,
    findings: str | os.PathLike[str] | None = None,
) -> Report:
    """Judge captured traffic against the contract, signatures included.

    The report is the same for the same input, whatever `jobs` is. A file that cannot be read is part of the report
    (`unreadable`), not an error.

    Args:
        files: capture records or HAR, plain, gzip or zstd; `-` is standard input, at most once. Or tables
            in Parquet: files, directories, or addresses such as `s3://bucket/prefix`; they need the extra `parquet`.
        settings: keys, names, limits, and how findings are judged.
        jobs: number of processes, from 1 to 256. Each imports the caller's main module anew.
        progress: called with the number of bytes read since its last call.
        temp_dir: the folder of temporary files; the system's by default.
        temp_limit: the most bytes that temporary files may take, at least 1,000,000.
        on_disk: called at the end with the largest number of bytes that rows and parts took, in memory or on disk.
        findings: a file of JSON lines for every finding, with its place and the merchant's own key.

    Raises:
        AuditSetupError: an argument is out of its bounds, or `findings` cannot be written.
        WorkerDied: processes of `jobs` ended before their work was done, three times for one part.
        DiskFull: the folder of temporary files has no room, or `temp_limit` is reached.
    """
    names = expanded([os.fspath(file) for file in files])
    if names.count("-") > 1:
        raise AuditSetupError("standard input can be read only once")
    if not 1 <= jobs <= 256:
        raise AuditSetupError("jobs must be a number from 1 to 256")
    if temp_limit is not None and temp_limit < _LEAST_LIMIT:
        raise AuditSetupError(f"the limit of temporary files must be at least {_LEAST_LIMIT} bytes")
    temporary = Temporary(None if temp_dir is None else Path(temp_dir), temp_limit)
    written: list[FindingView] = []

    def write(partial: PartialResult, found: Iterator[PlacedFinding]) -> None:
        written.append(FindingView(partial, settings))
        write_findings(findings or "", (finding_row(one, written[0]) for one in found))

    on_findings = None if findings is None else write
    partial = audit(names, settings, jobs, progress, temporary=temporary, on_findings=on_findings)
    if on_disk is not None:
        on_disk(temporary.most)
    return build_report(partial, settings, names, *written)
