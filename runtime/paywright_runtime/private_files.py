"""Files with personal data or keys, made for their owner alone, and a warning about files that others can use.

The mode of an existing file is not changed. On Windows modes mean nothing, and there is no warning.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final

from paywright_runtime.redaction import visible

PRIVATE: Final = 0o600
_OTHERS: Final = 0o077
_HAS_MODES: Final = os.name == "posix"
_warned: Final[set[str]] = set()


def new_file(file: Path, *, mode: int = PRIVATE) -> BinaryIO:
    """Make a file and open it for writing. Raises `FileExistsError`, also for a link, and `OSError`."""
    return open(file, "xb", opener=partial(os.open, mode=mode))


def hold_private(file: Path) -> None:
    """Make an empty file if there is none; else warn if others can use it. Raises `OSError`."""
    try:
        new_file(file).close()
    except FileExistsError:
        warn_of_others(file)


def open_private(file: Path) -> BinaryIO:
    """Open a file to overwrite it, and warn if others can use it. Raises `OSError`."""
    if file.exists():
        warn_of_others(file)
    return open(file, "wb", opener=partial(os.open, mode=PRIVATE))


def replace_file(file: Path, content: bytes, *, mode: int = PRIVATE) -> None:
    """Replace a file at once: others see the old content or the whole new one. Raises `OSError`."""
    half = file.with_name(f".{file.name}.{os.getpid()}.new")
    half.unlink(missing_ok=True)  # of a process that died
    try:
        with new_file(half, mode=mode) as out:
            out.write(content)
        os.replace(half, file)
    except OSError as error:
        with suppress(OSError):
            half.unlink()
        error.filename, error.filename2 = str(file), None  # what the user named
        raise


def warn_of_others(file: Path) -> None:
    """Log a warning, once for each file in a process, if others than its owner can read or change it."""
    name = str(file.absolute())
    with suppress(OSError):
        mode = file.stat().st_mode
        if not _HAS_MODES or not S_ISREG(mode) or not mode & _OTHERS or name in _warned:
            return
        import logging  # here, because few programs need it

        _warned.add(name)
        logging.getLogger("paywright.files").warning(
            "%s has personal data, and other users of this machine can use it (mode %o). Its mode is not changed. To keep it "
            "private: chmod 600, also for the files beside it whose names begin with its name",
            visible(name), mode & 0o777,
        )  # fmt: skip
