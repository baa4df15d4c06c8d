"""The folder of temporary files, their size, and its limit."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from paywright_audit.input.errors import AuditSetupError, DiskFull


class Temporary:
    """The temporary files of one run. `folder` is None for the system's; `limit` is in bytes, None without one.

    `most` is the largest number of bytes seen so far.
    """

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        self.folder = folder
        self.limit = limit
        self.most: int = 0

    def rows(self, parts: int = 1) -> int | None:
        """Return the most bytes for the rows of one of so many parts: in all half, because sorting may take as much again."""
        return None if self.limit is None else self.limit // 2 // parts

    def count(self, size: int) -> None:
        """Record the number of used bytes. Raises `DiskFull` if it exceeds the limit."""
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
        """Make SQLite use the folder for its temporary files, by a setting of the whole process."""
        before = self.use()
        try:
            yield
        finally:
            if before is not None:
                _set(before)

    def use(self) -> str | None:
        """Make SQLite use the folder from now on. Return the setting before; None without a folder. Raises `AuditSetupError`."""
        if self.folder is None:
            return None
        try:
            return _set(str(self.folder.absolute()))
        except (sqlite3.Error, UnicodeEncodeError) as error:  # SQLite may not accept the name as text
            raise AuditSetupError(f"{self.folder}: temporary files cannot be written there: {error}") from None


def _set(folder: str) -> str:
    """Set the folder; return the one before, "" for the system's."""
    with closing(sqlite3.connect(":memory:")) as database:
        # Deprecated, but in every build that we know; SQLite reads the variable SQLITE_TMPDIR before we can set it.
        found = database.execute("PRAGMA temp_store_directory").fetchone()
        quoted = folder.replace("'", "''")
        database.execute(f"PRAGMA temp_store_directory = '{quoted}'")
        now = database.execute("PRAGMA temp_store_directory").fetchone()
        if (str(now[0]) if now else "") != folder:
            raise sqlite3.NotSupportedError("this build of SQLite has no setting for it")
    return str(found[0]) if found else ""
