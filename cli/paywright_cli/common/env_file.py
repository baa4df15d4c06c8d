"""Read a file of NAME=VALUE lines, such as the `.env` that `paywright sandbox init` writes."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from paywright_cli.common.terminal import Usage, read_input

__all__ = ["environment"]

_LINE = re.compile(r"(?:export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_MOST = 256 * 1024


def environment(file: Path | None) -> dict[str, str]:
    """Return the environment of this process, overridden by the names in `file`. Values are quoted as in a shell.

    A line that begins with `#` is a comment. Raises `Usage` with the number of a line that is neither; never shows a
    value.
    """
    return {**os.environ, **({} if file is None else _read(file))}


def _read(file: Path) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for number, line in enumerate(read_input(str(file), _MOST).decode("utf-8", "replace").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        words = None if found is None else _words(found[2])
        if found is None or words is None or len(words) > 1:
            raise Usage(f"{file}:{number}: this is not NAME=VALUE; quote a value with spaces")
        names[found[1]] = words[0] if words else ""
    return names


def _words(text: str) -> list[str] | None:
    try:
        return shlex.split(text)
    except ValueError:  # an unterminated quote
        return None
