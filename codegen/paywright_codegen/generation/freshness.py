"""Tell quickly if anything has changed since the last generation, without importing the generator.

The stamp is a hash of all input and all output, so that both an edited contract and an edited output count as changed.
It only saves time: `paywright contract check` does not use it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path


def is_fresh(stamp: Path, roots: Sequence[Path], words: Sequence[str] = ()) -> bool:
    """Return whether the files under `roots`, and `words`, are the same as when the stamp was written."""
    try:
        known = stamp.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return known == fingerprint(roots, words)


def remember(stamp: Path, known: str) -> None:
    """Write a fingerprint as the stamp. A folder that cannot be written to costs the quick answer, nothing else."""
    with suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(known, encoding="ascii")


def fingerprint(roots: Sequence[Path], words: Sequence[str] = ()) -> str:
    """Return the SHA-256 of the names and contents of all files under `roots` (folders or files), and of `words`."""
    total = hashlib.sha256()
    for word in words:
        total.update(_framed(word.encode()))
    for root in roots:
        for name, path in sorted(_files(root, "")):
            total.update(_framed(name.encode(errors="surrogateescape")))
            try:
                with open(path, "rb") as file:
                    content = file.read()
            except OSError as error:  # whoever needs it says so
                content = str(error.errno).encode()
            total.update(_framed(content))
    return total.hexdigest()


def _framed(part: bytes) -> bytes:
    # Prefix the length, so that moving characters from a name to its content changes the hash.
    return len(part).to_bytes(8) + part


def _files(folder: Path | str, above: str) -> Iterator[tuple[str, str]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    except NotADirectoryError:
        yield above or os.path.basename(folder), str(folder)
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):  # a link may lead back here
            if entry.name not in ("__pycache__", ".ruff_cache", ".mypy_cache"):
                yield from _files(entry.path, f"{above}{entry.name}/")
        elif entry.is_file():
            yield f"{above}{entry.name}", entry.path
