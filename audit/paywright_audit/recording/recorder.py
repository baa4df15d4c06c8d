"""The recorder: capture records in files of their owner alone, bounded in size, number and age."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import BinaryIO, Final, Self

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.recording.captured import LONGEST, Captured, capture_record
from paywright_runtime.forking import ForkSafe
from paywright_runtime.private_files import new_file
from paywright_runtime.tracebacks import errors_ignored, interrupts

try:
    import fcntl
except ImportError:  # Windows, where no open file can be removed
    fcntl = None  # type: ignore[assignment]

_NAMED: Final = re.compile(r"paywright-(\d{8}T\d{12})-\d+(-refused)?\.jsonl").fullmatch
_BEGUN: Final = "%Y%m%dT%H%M%S%f"
_log: Final = logging.getLogger("paywright.recording")


class Recorder(ForkSafe):
    """Writes exchanges to files in `folder`, as capture records for `paywright audit`. Threads may share it.

    A record is in its file before `record` returns, so that no end of a process loses one. Each process has files of its own, for their
    owner alone, and begins a new one after `file_bytes` or a day. Finished ones are removed beyond `total_bytes`, the oldest first, and
    once another was begun `max_age` after them; none that a process writes, or of another name. Notifications without success, which
    anybody can send, have their own files, with a sixteenth of the bytes and 16 kB a body. `exact` files hold all that payers entered,
    and the headers that open the gateway; others not, and the audit cannot verify signatures in them.

    No error reaches a call: `lost` counts the exchanges of this process that are in no file, because the disk refused them or somebody
    removed the file that was being written.

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
        self.folder: Path = Path(folder).absolute()
        try:
            for above in reversed((self.folder, *self.folder.parents)):
                if not above.is_dir():
                    above.mkdir(mode=0o700, exist_ok=True)
            mode = self.folder.stat().st_mode & 0o777
        except OSError as error:
            raise AuditSetupError(f"{self.folder} cannot be made: {error.strerror or error}.") from None
        if os.name == "posix" and mode & 0o022:
            _log.warning("Other users can change %s (mode %o). To stop that: chmod 700", self.folder, mode)
        self.exact: bool = exact
        self.lost: int = 0
        self._closed, self._failing, self._lock = False, False, RLock()
        aside = total_bytes // 16
        self._kept = _Files(self, "", LONGEST, file_bytes, total_bytes - aside, max_age)
        self._refused = _Files(self, "-refused", 16 * 1024, min(file_bytes, aside // 4), aside, max_age)
        self._made_here()

    def _after_fork(self) -> None:
        self._kept.finish()  # the parent, which has it open too, writes on, and keeps its lock
        self._refused.finish()
        self._lock, self.lost, self._failing = RLock(), 0, False

    def record(self, seen: Captured) -> None:
        """Record an exchange. Raises only what interrupts the program."""
        with self.losing():
            success = seen.whole and seen.method == "POST" and (seen.status or 0) // 100 == 2
            files = self._kept if success or seen.kind == "call" else self._refused
            line = capture_record(seen, exact=self.exact, longest=files.longest)
            with self._lock:
                if self._closed:
                    raise OSError(0, "the recorder is closed")
                files.write(line)
            self._failing = False

    @contextmanager
    def losing(self) -> Iterator[None]:
        """Count an exchange as lost if the block fails, and ignore what it raised, unless it interrupts the program."""
        try:
            self._check_process()
            yield
        except BaseException as error:  # the exchange has happened, whatever becomes of its record
            with self._lock:
                self.lost += 1
            if interrupts(error):
                raise
            if not self._failing:
                self._failing = True
                why = getattr(error, "strerror", None) or type(error).__name__
                with errors_ignored():
                    _log.error("Exchanges are not recorded: %s. Calls go on.", why)

    def close(self) -> None:
        """Record nothing from now on. A program that ends without it loses nothing."""
        self._check_process()
        with self._lock:
            self._closed = True
            self._kept.finish()
            self._refused.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def checked_recorder(recorder: Recorder) -> Recorder:
    """Return a recorder, or raise `AuditSetupError` now, and not in a call, for something else."""
    if not isinstance(recorder, Recorder):
        raise AuditSetupError('A recorder is needed, such as Recorder("captures").')
    return recorder


class _Files:
    """Files of one budget: the one that this process writes, and the finished ones of all."""

    def __init__(self, recorder: Recorder, mark: str, longest: int, each: int, total: int, age: timedelta) -> None:
        self._recorder, self._folder, self._mark, self.longest = recorder, recorder.folder, mark, longest
        self._each, self._total, self._age = min(each, total), total, age
        self._file: BinaryIO | None = None
        self._until = 0.0
        self._links = self._written = 0

    def write(self, line: bytes) -> None:
        """Write a line, whole or not at all. Raises `OSError`."""
        if self._file is not None:
            found = os.fstat(self._file.fileno())
            if found.st_nlink < self._links or found.st_size >= self._each or monotonic() > self._until:
                self.finish()
        number = (self._file or self._begin()).fileno()
        left, end = memoryview(line), os.lseek(number, 0, os.SEEK_END)
        try:
            while left:
                left = left[os.write(number, left) :]
        except BaseException:
            with suppress(OSError):
                os.ftruncate(number, end)
            raise
        self._written += 1

    def finish(self) -> None:
        """Close the file. If somebody has removed it, its records are lost."""
        file, self._file = self._file, None
        if file is not None:
            with file:
                gone = os.fstat(file.fileno()).st_nlink < self._links
            self._recorder.lost += self._written if gone else 0

    def _begin(self) -> BinaryIO:
        self._folder.mkdir(mode=0o700, exist_ok=True)  # somebody may have removed it
        self._make_room()
        name = f"paywright-{datetime.now(UTC).strftime(_BEGUN)}-{os.getpid()}{self._mark}.jsonl"
        file = new_file(self._folder / name)
        with suppress(OSError):  # a folder of the network may know no locks: then nothing there is removed
            _lock(file)
        self._file, self._until, self._written = file, monotonic() + min(self._age.total_seconds(), 86_400), 0
        self._links = os.fstat(file.fileno()).st_nlink
        return file

    def _make_room(self) -> None:
        """Remove finished files beyond the limits. Age is reckoned to the newest one, so that a wrong clock alone removes nothing."""
        left, newest = self._total - self._each, None
        for name in sorted(os.listdir(self._folder), reverse=True):
            named = _NAMED(name)
            if named is None or (named[2] or "") != self._mark:
                continue
            with suppress(OSError, ValueError):  # digits that are no time
                begun = datetime.strptime(named[1], _BEGUN).replace(tzinfo=UTC)
                newest = newest or min(begun, datetime.now(UTC))
                file = self._folder / name
                left -= file.lstat().st_size
                if left < 0 or newest - begun > self._age:
                    with open(file, "r+b") as held:
                        _lock(held)
                    file.unlink()


def _lock(file: BinaryIO) -> None:
    if fcntl is not None:  # until each process that has it closes it; an OSError if another has it
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
