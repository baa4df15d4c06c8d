"""Format generated files with black."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from paywright_codegen.generation.writing import write_file

LINE_LENGTH = 120


def format_files(files: Mapping[str, str], cache: Path | None) -> dict[str, str]:
    """Format the files with black. A file whose unformatted text is in the cache is not formatted again."""
    made_by = f"{version('black')} {LINE_LENGTH}\n"
    return {path: _cached(text, made_by, cache) if path.endswith(".py") else text for path, text in files.items()}


def _cached(text: str, made_by: str, cache: Path | None) -> str:
    if cache is None:
        return black_text(text)
    remembered = cache / hashlib.sha256(f"{made_by}{text}".encode()).hexdigest()
    with suppress(OSError, UnicodeDecodeError):
        return remembered.read_text(encoding="utf-8")
    formatted = black_text(text)
    write_file(remembered, formatted)
    return formatted


def black_text(text: str) -> str:
    """Format a Python file."""
    import black
    import black.mode

    mode = black.Mode(target_versions={black.mode.TargetVersion.PY311}, line_length=LINE_LENGTH)
    return black.format_str(text, mode=mode)
