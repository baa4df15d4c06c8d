"""Where temporary files go, how many bytes they take, and how many they may take."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from paywright_audit.input.errors import AuditSetupError, DiskFull

__all__ = ["Temporary"]


class Temporary:
    """The temporary files of one run. `folder` is None for the system's; `limit` is in bytes, None without one.

    `most` is the largest number of bytes seen so far.
    """

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        self.folder = folder
        self.limit = limit
        self.most = 0

    @property
    def rows(self) -> int | None:
        """The bytes that the rows of all parts may take: sorting them, or those of other parts, may take as much again."""
        return None if self.limit is None else self.limit // 2

    def rows_of_one(self, parts: int) -> int | None:
        """Return the bytes that the rows of each part may take, of so many parts at a time."""
        return None if self.limit is None else self.limit // 2 // parts

    def count(self, size: int) -> None:
        """Note how many bytes are used. Raises `DiskFull` if they are too many."""
        self.most = max(self.most, size)
        if self.limit is not None and size > self.limit:
            raise DiskFull(f"they take {size} bytes, and the limit is {self.limit}")

    @contextmanager
    def parts(self) -> Iterator[Path]:
        """Make a folder for the files of parts, which is deleted at the end."""
        with TemporaryDirectory(prefix="paywright-audit-", dir=self.folder) as made:
            yield Path(made)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Let SQLite, which has one setting for a process, put its temporary files into the folder."""
        before = self.use()
        try:
            yield
        finally:
            if before is not None:
                _set(before)

    def use(self) -> str | None:
        """Do so for good, and return the setting before; None if there is nothing to set. Raises `AuditSetupError`."""
        if self.folder is None:
            return None
        try:
            return _set(str(self.folder.absolute()))
        except (sqlite3.Error, UnicodeEncodeError) as error:  # its name may be no text of SQLite's
            raise AuditSetupError(f"{self.folder}: temporary files cannot be written there: {error}") from None


def _set(folder: str) -> str:
    """Set the folder, and return the one before, "" for the system's."""
    with closing(sqlite3.connect(":memory:")) as database:
        # Deprecated in SQLite and in every build that we know; the variable SQLITE_TMPDIR is read before we can set it.
        found = database.execute("PRAGMA temp_store_directory").fetchone()
        quoted = folder.replace("'", "''")
        database.execute(f"PRAGMA temp_store_directory = '{quoted}'")
        now = database.execute("PRAGMA temp_store_directory").fetchone()
        if (str(now[0]) if now else "") != folder:
            raise sqlite3.NotSupportedError("this build of SQLite has no setting for it")
    return str(found[0]) if found else ""
