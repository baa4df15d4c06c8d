"""Write files whole, or leave them as they were."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copymode

from paywright_audit.input.errors import AuditSetupError
from paywright_runtime.private_files import PRIVATE, warn_of_others


def check_writable(file: Path) -> None:
    """Raise `AuditSetupError` if a file cannot be written, before the audit begins. Its content stays."""
    there = file.exists()
    try:
        with file.open("ab"):
            pass
        if not there:
            file.unlink()
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be written'}") from None


@contextmanager
def whole_file(file: Path, *, private: bool) -> Iterator[Path]:
    """Yield a file to write, which replaces the given one at the end of the block; after an error that one stays.

    A new one that is `private` is readable by its owner only; an existing one keeps its mode. Raises `AuditSetupError` if it
    cannot be written.
    """
    whole = file.resolve()
    # A file that is not regular, such as a pipe, or whose folder is not writable, is written in place.
    in_place = file.exists() and not (whole.is_file() and os.access(whole.parent, os.W_OK))
    half = whole.with_name(f".{whole.name}.{os.getpid()}.new")
    if private and whole.exists():
        warn_of_others(whole)
    try:
        if in_place:
            yield file  # whose resolved name, as that of /dev/stdout, may be none
            return
        half.touch(PRIVATE if private else 0o666)
        if whole.exists():
            copymode(whole, half)
        yield half
        os.replace(half, whole)
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be written'}") from None
    finally:
        with suppress(OSError):
            half.unlink()
