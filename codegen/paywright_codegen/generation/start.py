"""Write the start of a contract for another gateway."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

_FILES = ("payments.yaml", "service.yaml")


def start_texts(folder: Path) -> dict[Path, str]:
    """Return the files of a commented contract that lints clean, by their path in a folder."""
    start = files("paywright_codegen") / "start"
    return {folder / name: (start / name).read_text(encoding="utf-8") for name in _FILES}
