"""Problems of the state file in words: the disk, damage, another program."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from paywright_runtime.errors import ConfigurationError

__all__ = ["damaged", "disk_trouble", "other_version", "unusable"]


def disk_trouble(error: BaseException, file: Path | None) -> str | None:
    """Return a problem of the disk or the state file in words; None for every other error.

    SQLite has undone the transaction.
    """
    if not isinstance(error, sqlite3.Error):
        return None
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "Could not decode to UTF-8" in str(error):
        return damaged(file)
    words = _DISK.get(code)
    if words is None:
        return None
    return f"{file or 'The state in memory'} cannot be written: {words}. Nothing was saved. Repair that and try again."


def damaged(file: Path | None) -> str:
    """Return the message for a damaged state file."""
    where = file or "The state in memory"
    return (
        f"{where} is damaged: something in it cannot be read. Nothing was saved. Replace it by a snapshot, or move it "
        "away to begin with an empty sandbox."
    )


_DISK: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed, or the file must not grow any more",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it, or a file beside it, cannot be opened",
}


def unusable(file: Path | None, error: Exception) -> ConfigurationError:
    """Return the error for a state file that cannot be opened."""
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return ConfigurationError(
            f"{file} is in use: another sandbox serves this folder. Stop it, or make another folder."
        )
    unreadable = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
    why = "it is damaged: its tables cannot be read" if unreadable else error
    return ConfigurationError(
        f"{file} cannot be used: {why}. Nothing was changed. Move it away to begin with an empty sandbox."
    )


def other_version(found: int, known: int) -> str | None:
    """Return in words that a state is of another version; None for the known one, and for 0, which an empty file has."""
    if found in (0, known):
        return None
    return f"it is of version {found}, and this sandbox knows version {known}: use the paywright that made it"
