"""The recorder: capture records in files of their owner alone, bounded in size, number and age."""

from __future__ import annotations

import atexit
import logging
import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Lock, Thread
from time import time
from typing import BinaryIO, Final, Self

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.recording.captured import Captured, capture_record
from paywright_runtime.forking import ForkSafe
from paywright_runtime.private_files import new_file
from paywright_runtime.tracebacks import interrupts

__all__ = ["Recorder", "checked_recorder"]

_WAITING: Final = 1_000
_TOGETHER: Final = 100
_DAY: Final = 86_400.0
_log: Final = logging.getLogger("paywright.recording")


class Recorder(ForkSafe):
    """Writes exchanges to files in `folder`, as capture records for `paywright audit`. Threads may share it.

    A thread writes them, so that a call waits for no disk. Its files belong to this process and are of mode 0600. A new one
    begins after `file_bytes` or a day; the oldest are removed beyond `total_bytes`, or once they are older than `max_age`.

    Without `exact` (the default), what is confidential is left out, and the audit cannot verify signatures. Exact files hold all
    that payers entered, and the headers that open the gateway.

    Recording raises no error into a call: `lost` counts the exchanges that were not written, because too many waited or the
    disk refused them. Call `close` at the end, or use it in a `with`; an interpreter that ends does it too.

    Raises `AuditSetupError` if the folder cannot be made, or a limit is not above 0.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        exact: bool = False,
        file_bytes: int = 64 * 1024 * 1024,
        total_bytes: int = 1024 * 1024 * 1024,
        max_age: timedelta = timedelta(days=30),
    ) -> None:
        if not (0 < file_bytes <= total_bytes and max_age > timedelta()):
            raise AuditSetupError("file_bytes is above 0 and at most total_bytes, and max_age is above 0.")
        self.folder: Path = Path(folder)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise AuditSetupError(f"{self.folder} cannot be made: {error.strerror or error}.") from None
        self.exact: bool = exact
        self.lost: int = 0
        self._limits = file_bytes, total_bytes, max_age.total_seconds()
        self._closed = False
        self._after_fork()
        self._made_here()

    def _after_fork(self) -> None:
        self._lock = Lock()
        self._writer: _Writer | None = None

    def record(self, seen: Captured) -> None:
        """Record an exchange. Raises only what interrupts the program."""
        try:
            self._check_process()
            writer = self._writer or self._start()
            writer.queue.put_nowait(seen)
        except Exception as error:  # the exchange has happened, whatever becomes of its record
            self.lost += 1
            if interrupts(error):
                raise

    def _start(self) -> _Writer:
        with self._lock:
            if self._closed:
                raise Full
            if self._writer is None:
                self._writer = _Writer(self)
                self._writer.start()
                atexit.register(self.close)
            return self._writer

    def close(self) -> None:
        """Write what waits, and record nothing from now on."""
        self._check_process()
        with self._lock:
            self._closed = True
            writer, self._writer = self._writer, None
        if writer is not None:
            atexit.unregister(self.close)
            writer.queue.put(None)
            writer.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Recorder of {'exact' if self.exact else 'redacted'} records in {self.folder}>"


def checked_recorder(recorder: Recorder) -> Recorder:
    """Return a recorder, or raise `AuditSetupError` now, and not in a call, for something else."""
    if not isinstance(recorder, Recorder):
        raise AuditSetupError('A recorder is needed, such as Recorder("captures").')
    return recorder


class _Writer(Thread):
    """The thread that writes, and its files. Only it touches them."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(name="paywright-recorder", daemon=True)
        self.queue: Queue[Captured | None] = Queue(_WAITING)
        self._recorder = recorder
        self._file: BinaryIO | None = None
        self._begun = 0.0
        self._number = 0
        self._failing = False

    def run(self) -> None:
        ending = False
        while not ending:
            batch = [self.queue.get()]
            with suppress(Empty):
                while len(batch) < _TOGETHER:
                    batch.append(self.queue.get_nowait())
            ending = None in batch
            self._write([seen for seen in batch if seen is not None])
        if self._file is not None:
            self._file.close()

    def _write(self, batch: list[Captured]) -> None:
        lines: list[bytes] = []
        for seen in batch:
            try:
                lines.append(capture_record(seen, self._number + 1, exact=self._recorder.exact))
                self._number += 1
            except Exception:  # a body or header of no usable form
                self._recorder.lost += 1
        try:
            for line in lines:
                self._opened().write(line)
            if self._file is not None:
                self._file.flush()
            self._failing = False
        except OSError as error:
            self._recorder.lost += len(lines)
            if not self._failing:
                self._failing = True
                _log.error("Exchanges are not recorded: %s. Calls go on.", error.strerror or type(error).__name__)
            with suppress(OSError):
                if self._file is not None:
                    self._file.close()
            self._file = None

    def _opened(self) -> BinaryIO:
        """Return the file to write to: a new one if the present one is large or old. Raises `OSError`."""
        each, _, age = self._recorder._limits
        if self._file is not None and self._file.tell() < each and time() - self._begun < min(age, _DAY):
            return self._file
        if self._file is not None:
            self._file.close()
            self._file = None
        self._remove_old()
        self._begun = time()
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{os.getpid()}.jsonl"
        self._file = new_file(self._recorder.folder / name)
        return self._file

    def _remove_old(self) -> None:
        """Remove files beyond the limits, those of other processes too: all but what fits beside a new one."""
        each, total, age = self._recorder._limits
        left = total - each
        for file in sorted(self._recorder.folder.glob("*-*.jsonl"), reverse=True):
            with suppress(OSError):
                found = file.stat()
                left -= found.st_size
                if left < 0 or time() - found.st_mtime > age:
                    file.unlink()
