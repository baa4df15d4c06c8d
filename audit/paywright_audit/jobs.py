"""Runs an audit over its inputs: in this process, or over several whose results are merged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from paywright_runtime.keys import load_public_key
from paywright_tools.audit.across.ledger import Ledger
from paywright_tools.audit.auditor import Auditor, settle_ledger
from paywright_tools.audit.capture_reader import Lines
from paywright_tools.audit.matching import Matcher
from paywright_tools.audit.partial import Partial, Settings
from paywright_tools.audit.reading import cuts, read_input, read_range
from paywright_tools.audit.signatures import Keys

__all__ = ["DiskFull", "Given", "WorkerDied", "audit"]

_LEAST: Final = 1 << 22  # a smaller part costs more to hand out than it saves
_MOST: Final = 1 << 28
_PARTS_EACH: Final = 4

Progress = Callable[[int], None]


class WorkerDied(Exception):
    """A process that judged a part of the input has ended: killed, or out of memory. Nothing can be said of the whole."""


class DiskFull(Exception):
    """The temporary database of the rules across exchanges cannot be written. The message is SQLite's."""


class Given(NamedTuple):
    """What an audit works with. Keys are PEM, so that other processes can be given them, each with the merchant it holds for ("":
    for all)."""

    settings: Settings
    merchant: tuple[tuple[str, bytes], ...]
    gateway: tuple[tuple[str, bytes], ...]
    paths: Mapping[str, str]

    @classmethod
    def of(
        cls,
        settings: Settings,
        merchant: Sequence[tuple[str, RSAPublicKey]],
        gateway: Sequence[tuple[str, RSAPublicKey]],
        paths: Mapping[str, str],
    ) -> Given:
        return cls(settings, tuple(map(_pem, merchant)), tuple(map(_pem, gateway)), paths)

    def auditor(self, ledger: Ledger) -> Auditor:
        """What judges, with a ledger of its own."""
        merchant, gateway = _loaded(self.merchant), _loaded(self.gateway)
        keys = Keys(merchant.pop("", ()), gateway.pop("", ()), merchant, gateway)
        return Auditor(Matcher(self.paths), keys, self.settings, ledger)


class _Part(NamedTuple):
    """A whole input (`end` None), or a range of it; `number` orders parts."""

    number: int
    file: int
    start: int
    end: int | None


def audit(given: Given, jobs: int, progress: Progress | None = None) -> Partial:
    """What all inputs come to, the same however many processes work on it. `progress` is told of bytes as they are read.

    Raises `WorkerDied` and `DiskFull`.
    """
    try:
        return _audit(given, jobs, progress)
    except sqlite3.OperationalError as error:
        raise DiskFull(str(error)) from None


def _audit(given: Given, jobs: int, progress: Progress | None) -> Partial:
    parts = _parts(given.settings.names, jobs) if jobs > 1 else []
    if len(parts) > 1:
        try:
            return _over_processes(given, jobs, parts, progress)
        except BrokenProcessPool:
            raise WorkerDied from None
    ledger = Ledger()
    auditor = given.auditor(ledger)
    for file in range(len(given.settings.names)):
        _take(auditor, _Part(0, file, 0, None), given.settings.names, progress)
    partial = auditor.close()
    settle_ledger(ledger, partial, given.settings)
    return partial


def _take(auditor: Auditor, part: _Part, names: Sequence[str], progress: Progress | None) -> None:
    auditor.begin(part.file)
    name = names[part.file]
    if part.end is None:
        auditor.take_all(read_input(name, progress))
        return
    lines = Lines()
    auditor.take_all(read_range(name, part.start, part.end, lines))
    auditor.end(part.start, lines.count)


def _parts(names: Sequence[str], jobs: int) -> list[_Part]:
    total = sum(map(_size, names))
    size = max(_LEAST, min(_MOST, total // (jobs * _PARTS_EACH) + 1))
    found: list[tuple[int, int, int | None]] = []
    for file, name in enumerate(names):
        ranges = cuts(name, size)
        found.extend((file, start, end) for start, end in ranges) if ranges else found.append((file, 0, None))
    return [_Part(number, *one) for number, one in enumerate(found)]


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size if name != "-" else 0
    except (OSError, ValueError):
        return 0


def _over_processes(given: Given, jobs: int, parts: list[_Part], progress: Progress | None) -> Partial:
    settings = given.settings
    with TemporaryDirectory(prefix="paywright-audit-") as place:
        folder = Path(place)
        total, ledger = Partial(), Ledger()
        elsewhere = [part for part in parts if settings.names[part.file] != "-"]
        with ProcessPoolExecutor(
            min(jobs, len(elsewhere)), get_context("spawn"), initializer=_begin, initargs=(given, folder)
        ) as pool:
            waiting = iter(elsewhere)
            running: dict[Future[Partial], _Part] = {}
            for part in waiting:
                running[pool.submit(_work, part)] = part
                if len(running) == 2 * jobs:
                    break
            for part in parts:
                if settings.names[part.file] == "-":  # only this process can read it
                    auditor = given.auditor(ledger)
                    _take(auditor, part, settings.names, None)
                    total.merge(auditor.close(), settings.kept)
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    part = running.pop(future)
                    total.merge(future.result(), settings.kept)
                    if progress is not None:
                        progress((part.end or _size(settings.names[part.file])) - part.start)
                    _submit(pool, waiting, running)
                    file = _ledger_file(folder, part)
                    ledger.take(file)
                    file.unlink()
        settle_ledger(ledger, total, settings)
        return total


def _submit(pool: ProcessPoolExecutor, waiting: Iterator[_Part], running: dict[Future[Partial], _Part]) -> None:
    part = next(waiting, None)
    if part is not None:
        running[pool.submit(_work, part)] = part


_given: list[tuple[Given, Path]] = []
"""What a worker process was started with."""


def _begin(given: Given, folder: Path) -> None:
    _given[:] = [(given, folder)]


def _work(part: _Part) -> Partial:
    ((given, folder),) = _given
    ledger = Ledger(_ledger_file(folder, part))
    auditor = given.auditor(ledger)
    _take(auditor, part, given.settings.names, None)
    ledger.close()
    return auditor.close()


def _ledger_file(folder: Path, part: _Part) -> Path:
    return folder / f"{part.number}.sqlite"


def _pem(given: tuple[str, RSAPublicKey]) -> tuple[str, bytes]:
    return given[0], given[1].public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _loaded(given: Sequence[tuple[str, bytes]]) -> dict[str, list[RSAPublicKey]]:
    found: dict[str, list[RSAPublicKey]] = {}
    for name, pem in given:
        found.setdefault(name, []).append(load_public_key(pem))
    return found
