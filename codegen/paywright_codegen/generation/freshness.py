"""A quick answer to "has anything changed since the last generation?", without importing what generates.

The stamp is a hash over the contents of everything that goes in and everything that came out, so that neither an edited
contract nor a hand-edited output passes for fresh. It is a convenience: `paywright contract check` never looks at it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

__all__ = ["fingerprint", "is_fresh", "remember"]


def is_fresh(stamp: Path, roots: Sequence[Path], words: Sequence[str] = ()) -> bool:
    """True if files under `roots`, and `words`, are what they were when the stamp was written."""
    try:
        known = stamp.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return known == fingerprint(roots, words)


def remember(stamp: Path, roots: Sequence[Path], words: Sequence[str] = ()) -> None:
    """Write the stamp. A folder that cannot be written to costs the quick answer, nothing else."""
    with suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(fingerprint(roots, words), encoding="ascii")


def fingerprint(roots: Sequence[Path], words: Sequence[str] = ()) -> str:
    """SHA-256 over the names and contents of all files under `roots` (folders or files), and over `words`."""
    total = hashlib.sha256()
    for word in words:
        total.update(_framed(word.encode()))
    for root in roots:
        for name, path in sorted(_files(root, "")):
            total.update(_framed(name.encode(errors="surrogateescape")))
            with open(path, "rb") as file:
                total.update(_framed(file.read()))
    return total.hexdigest()


def _framed(part: bytes) -> bytes:
    # With its length in front, so that a name and a content cannot trade characters.
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
        if entry.is_dir():
            if entry.name not in ("__pycache__", ".ruff_cache", ".mypy_cache"):
                yield from _files(entry.path, f"{above}{entry.name}/")
        elif entry.is_file():
            yield f"{above}{entry.name}", entry.path
