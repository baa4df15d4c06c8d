"""Named snapshots of a sandbox: files beside its state, or in memory like the state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright_runtime.private_files import replace_file
from paywright_sandbox.engine.state.refusal import Refusal

if TYPE_CHECKING:
    from paywright_sandbox.engine.state.store import Store

__all__ = ["COUNTED", "FOLDER", "NamedSnapshots", "Snapshot", "counted"]

FOLDER: Final = "snapshots"
_SUFFIX: Final = ".sqlite3"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)


COUNTED: Final[Mapping[str, tuple[str, str]]] = {
    "orders": ("orders", "order"),
    "refunds": ("refunds", "refund"),
    "subscriptions": ("plans", "subscription"),
    "links": ("links", "payment link"),
    "tokens": ("tokens", "saved token"),
    "notifications": ("notifications", "notification"),
    "faults": ("faults", "fault"),
    "addedMerchants": ("merchants", "added merchant"),
    "events": ("events", "event"),
    "logged": ("captures", "logged exchange"),
}
"""The contents of a state, by the names of answers: the table, and one of its rows in words."""


def counted(held: Mapping[str, object]) -> list[str]:
    """Return the counts of a state in words, such as `1 order`, without zeros."""
    named = [(number, COUNTED[name][1]) for name, number in held.items() if number and name in COUNTED]
    return [f"{number} {word}{'' if number == 1 else 's'}" for number, word in named]


class Snapshot(NamedTuple):
    """A saved state: `at` by the wall clock, `size` in bytes."""

    name: str
    at: datetime
    size: int


class NamedSnapshots:
    """The snapshots of one sandbox. Their files hold what payers entered, and are private. Threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._folder = None if store.file is None else store.file.parent / FOLDER
        self._kept: dict[str, tuple[Snapshot, bytes]] = {}
        self._lock = Lock()

    def save(self, name: str | None, at: datetime, *, replace: bool = False) -> Snapshot:
        """Save the state under `name`, or under the next free one of `snapshot-1`, `snapshot-2`, ...

        Raises `Refusal` if the name is taken (without `replace`), or if the file cannot be written.
        """
        with self._lock:
            there = {snapshot.name for snapshot in self._all()}
            if name is None:
                name = next(free for number in range(1, len(there) + 2) if (free := f"snapshot-{number}") not in there)
            elif not _NAME.fullmatch(name):
                raise Refusal(
                    "A name has 1 to 64 letters, digits, - and _, and begins with a letter or digit.", code="400"
                )
            elif name in there and not replace:
                raise Refusal(f"There is a snapshot {name} already: replace it, or choose another name.", code="409")
            raw = self._store.snapshot()
            made = Snapshot(name, at.astimezone(UTC), len(raw))
            if self._folder is None:
                self._kept[name] = made, raw
            else:
                _write(self._folder, name, raw, made.at)
            return made

    def all(self) -> list[Snapshot]:
        """Return the snapshots, the latest first."""
        with self._lock:
            return sorted(self._all(), key=lambda snapshot: (snapshot.at, snapshot.name), reverse=True)

    def find(self, name: str) -> Snapshot:
        """Return the snapshot of a name. Raises `Refusal`."""
        there = self.all()
        for snapshot in there:
            if snapshot.name == name:
                return snapshot
        known = f"there is {', '.join(snapshot.name for snapshot in there[:10])}" if there else "there is none"
        raise Refusal(f"There is no snapshot with this name: {known}.", code="404")

    def read(self, name: str) -> bytes:
        """Return the saved state. Raises `Refusal`."""
        self.find(name)  # accepts existing names only
        with self._lock:
            if self._folder is None:
                return self._kept[name][1]
            try:
                return (self._folder / f"{name}{_SUFFIX}").read_bytes()
            except OSError as error:
                raise Refusal(f"The snapshot cannot be read: {error.strerror or error}.", code="500") from None

    def remove(self, name: str) -> None:
        """Delete a snapshot. Raises `Refusal`."""
        self.find(name)
        with self._lock:
            self._kept.pop(name, None)
            if self._folder is not None:
                try:
                    (self._folder / f"{name}{_SUFFIX}").unlink(missing_ok=True)
                except OSError as error:
                    raise Refusal(f"The snapshot cannot be removed: {error.strerror or error}.", code="500") from None

    def _all(self) -> list[Snapshot]:
        if self._folder is None:
            return [snapshot for snapshot, _ in self._kept.values()]
        found = []
        for file in self._folder.glob(f"*{_SUFFIX}"):
            name = file.name.removesuffix(_SUFFIX)
            if _NAME.fullmatch(name) and file.is_file():
                stat = file.stat()
                found.append(Snapshot(name, datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size))
        return found


def _write(folder: Path, name: str, raw: bytes, at: datetime) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        replace_file(folder / f"{name}{_SUFFIX}", raw, at=at.timestamp())
    except OSError as error:
        raise Refusal(f"The snapshot cannot be written to {folder}: {error.strerror or error}.", code="500") from None
