"""Files for their owner alone, because they hold personal data or keys, and a warning about those that others can use.

The mode of a file that is there already is its owner's affair: it stays. On Windows modes mean nothing, and nothing is said.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final

from paywright_runtime.redaction import visible

__all__ = ["PRIVATE", "hold_private", "new_file", "open_private", "replace_file", "warn_of_others"]

PRIVATE: Final = 0o600
_OTHERS: Final = 0o077
_HAS_MODES: Final = os.name == "posix"
_warned: Final[set[str]] = set()


def new_file(file: Path, *, mode: int = PRIVATE) -> BinaryIO:
    """Make a file, and open it for writing. Raises `FileExistsError`, also for a link, and `OSError`."""
    return open(file, "xb", opener=partial(os.open, mode=mode))


def hold_private(file: Path) -> None:
    """Make an empty file if there is none; else warn if others can use it. Raises `OSError`."""
    try:
        new_file(file).close()
    except FileExistsError:
        warn_of_others(file)


def open_private(file: Path) -> BinaryIO:
    """Open a file for writing it anew, and warn if others can use it. Raises `OSError`."""
    if file.exists():
        warn_of_others(file)
    return open(file, "wb", opener=partial(os.open, mode=PRIVATE))


def replace_file(file: Path, content: bytes, *, mode: int = PRIVATE, at: float | None = None) -> None:
    """Write a file under another name, then give it its own: it is there whole, or as it was. Raises `OSError`.

    `at` is its time, in seconds since 1970; by default now.
    """
    half = file.with_name(f".{file.name}.{os.getpid()}.new")
    half.unlink(missing_ok=True)  # of a process that died
    try:
        with new_file(half, mode=mode) as out:
            out.write(content)
        if at is not None:
            os.utime(half, (at, at))
        os.replace(half, file)
    except OSError:
        with suppress(OSError):
            half.unlink()
        raise


def warn_of_others(file: Path) -> None:
    """Log a warning, once for each file of a process, if others than its owner can read or change it."""
    name = str(file.absolute())
    with suppress(OSError):
        mode = file.stat().st_mode
        if not _HAS_MODES or not S_ISREG(mode) or not mode & _OTHERS or name in _warned:
            return
        import logging  # few programs have a file to warn of

        _warned.add(name)
        logging.getLogger("paywright.files").warning(
            "%s has personal data, and other users of this machine can use it (mode %o). Its mode stays as it is; "
            "if it is to be its owner's alone: chmod 600, also of the files beside it that begin with its name",
            visible(name), mode & 0o777,
        )  # fmt: skip
