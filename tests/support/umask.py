"""Umasks to write under, and the modes that files have afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE

__all__ = ["UMASKS", "mode_of", "shared", "umask"]

UMASKS = (0o000, 0o022, 0o077)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode_of(file: Path) -> int:
    return S_IMODE(file.stat().st_mode)


def shared(folder: Path) -> dict[str, str]:
    """The files below a folder that others than their owner can use, with their modes."""
    files = {str(file.relative_to(folder)): mode_of(file) for file in sorted(folder.rglob("*")) if file.is_file()}
    return {name: oct(mode) for name, mode in files.items() if mode & 0o077}
