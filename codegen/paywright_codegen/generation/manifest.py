"""The manifest of a generated package: the list of its files, so that nothing else is ever replaced or removed.

Packages of other gateways have one, because their folders belong to their users. Its format is that of `sha256sum`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

MANIFEST = "generated.sha256"
_LINE = re.compile("[0-9a-f]{64}  .+\n").fullmatch


class ForeignFile(Exception):
    """Raised when something in the folder of a package was not generated. The message names it."""


def manifest_of(files: Mapping[str, str]) -> str:
    """Return the manifest of files, by their paths in the package."""
    return "".join(f"{_digest(text.encode())}  {path}\n" for path, text in sorted(files.items()))


def united(root: Path, manifest: str) -> str:
    """Return the lines of a manifest and of the one in the folder: both hold while files are replaced."""
    return "".join(sorted({*_lines(root), *manifest.splitlines(True)}))


def refuse_foreign(out: Path, package: str) -> None:
    """Raise `ForeignFile` if the folder of a package, or one above it, is a link, or if it holds a file that was not generated."""
    root = out
    for part in package.split("."):
        root /= part
        if root.is_symlink():
            raise _is_link(root)
    if root.exists() and not root.is_dir():
        raise _is_foreign(root)
    known = _lines(root)
    listed = {line.rstrip("\n").partition("  ")[2] for line in known} | ({MANIFEST} if known else set())
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if "__pycache__" in relative.parts:
            continue
        if path.is_symlink():
            raise _is_link(path)
        name = relative.as_posix()
        if path.is_dir() or (name in listed and (name == MANIFEST or _line(path, name) in known)):
            continue
        raise _is_changed(path) if name in listed else _is_foreign(path)


def _lines(root: Path) -> set[str]:
    """Return the lines of the manifest in a folder; none if it has no valid one."""
    try:
        lines = (root / MANIFEST).read_text(encoding="utf-8").splitlines(True)
    except (OSError, UnicodeDecodeError):
        return set()
    return set(lines) if all(map(_LINE, lines)) else set()


def _line(path: Path, name: str) -> str:
    return f"{_digest(path.read_bytes())}  {name}\n"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()  # as git may write lines


def _is_link(path: Path) -> ForeignFile:
    return ForeignFile(
        f"{path} is a link, and files would be written where it leads: generate into a folder of its own"
    )


def _is_foreign(path: Path) -> ForeignFile:
    return ForeignFile(
        f"{path} was not generated, and would be removed or replaced: generate into a folder of its own, or remove it"
    )


def _is_changed(path: Path) -> ForeignFile:
    return ForeignFile(
        f"{path} was changed since it was generated, and would be replaced: keep the change elsewhere, and remove the file"
    )
