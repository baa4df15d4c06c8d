"""Format generated files with black."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from paywright_codegen.generation.writing import write_file

__all__ = ["black_text", "format_files"]

LINE_LENGTH = 120


def format_files(files: Mapping[str, str], cache: Path | None) -> dict[str, str]:
    """Format the files with black. A file whose unformatted text is in the cache is not formatted again."""
    out: dict[str, str] = {}
    made_by = f"{version('black')} {LINE_LENGTH}\n"
    for path, text in files.items():
        if not path.endswith(".py"):
            out[path] = text
            continue
        remembered = None if cache is None else cache / hashlib.sha256(f"{made_by}{text}".encode()).hexdigest()
        known = _remembered(remembered)
        if known is None:
            known = black_text(text)
            _remember(remembered, known)
        out[path] = known
    return out


def black_text(text: str) -> str:
    """Format a Python file."""
    import black
    import black.mode

    mode = black.Mode(target_versions={black.mode.TargetVersion.PY311}, line_length=LINE_LENGTH)
    return black.format_str(text, mode=mode)


def _remembered(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _remember(path: Path | None, formatted: str) -> None:
    if path is not None:
        write_file(path, formatted)
