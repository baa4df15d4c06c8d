"""Read NAME=VALUE lines, such as the `.env` that `paywright sandbox init` writes."""

from __future__ import annotations

import re
import shlex
from typing import Final

from paywright_runtime.errors import ConfigurationError

__all__ = ["env_values"]

_LINE: Final = re.compile(r"(?:export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.S)
_BARE_BACKSLASH: Final = re.compile(r"""(?:[^\\'"]|'[^']*'|"(?:[^"\\]|\\.)*")*\\""", re.S).match


def env_values(raw: bytes, name: str) -> dict[str, str]:
    """Return the values of a file by their names. Values are quoted as in a shell; lines that begin with `#` are comments.

    Raises `ConfigurationError` with the file's `name`, and the number of a line that is neither or whose value would lose a
    backslash; never shows a value.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{name} is not UTF-8; save it as UTF-8") from None
    found: dict[str, str] = {}
    for number, line in enumerate((line.strip(" \t\r") for line in text.split("\n")), 1):
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is not None and _BARE_BACKSLASH(match[2]):
            raise ConfigurationError(
                f"{name}:{number}: a backslash outside quotes would be lost; write the value in single quotes, such as "
                r"NAME='C:\keys\merchant.key'"
            )
        words = None if match is None else _words(match[2])
        if match is None or words is None or len(words) > 1:
            raise ConfigurationError(f"{name}:{number}: this is not NAME=VALUE; quote a value with spaces")
        found[match[1]] = words[0] if words else ""
    return found


def _words(text: str) -> list[str] | None:
    try:
        return shlex.split(text)
    except ValueError:  # an unterminated quote
        return None
