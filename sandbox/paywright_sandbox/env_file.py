"""Read NAME=VALUE lines, such as the `.env` that `paywright sandbox init` writes."""

from __future__ import annotations

import re
import shlex
from typing import Final

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.tracebacks import strip_frames

MOST: Final = 256 * 1024
"""The most bytes of a file."""
_LINE: Final = re.compile(r"(?:export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
# A word of a shell, part by part: in single quotes, in double quotes, and a character that a backslash quotes.
_QUOTED: Final = re.compile(r"""'[^']*'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<lost>[A-Za-z0-9])|\\.""", re.DOTALL)


@strip_frames
def env_values(raw: bytes, name: str) -> dict[str, str]:
    """Return the values of a file by their names. Values are quoted as in a shell; lines that begin with `#` are comments.

    Each value is what a shell makes of it that reads the file too. What a shell would replace or run is refused, and so is a
    backslash that it would drop, as from a path of Windows. Raises `ConfigurationError` with the file's `name` and the number
    of a line that is neither; never shows a value.
    """
    if len(raw) > MOST:
        raise ConfigurationError(f"{name}: it has more than {MOST} bytes, and nothing of it was read")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:  # which holds the whole file
        text = None
    if text is None:
        raise ConfigurationError(f"{name} is not UTF-8, and nothing of it was read; save it as UTF-8")
    found: dict[str, str] = {}
    for number, line in enumerate((line.strip(" \t\r") for line in text.split("\n")), 1):
        if not line or line.startswith("#"):
            continue
        if not line.replace("\t", "").isprintable():
            raise ConfigurationError(f"{name}:{number}: it has a character that does not show itself")
        match = _LINE.fullmatch(line)
        if match is not None and any(part["lost"] for part in _QUOTED.finditer(match[2])):
            raise ConfigurationError(
                f"{name}:{number}: a backslash outside quotes would be lost; write the value in single quotes, such as "
                r"NAME='C:\keys\merchant.key'"
            )
        if match is not None and _is_for_a_shell(match[2]):
            raise ConfigurationError(
                f"{name}:{number}: a shell would make something else of this value; put it in single quotes"
            )
        words = None if match is None else _words(match[2])
        if match is None or words is None or len(words) > 1:
            raise ConfigurationError(f"{name}:{number}: this is not NAME=VALUE; quote a value with spaces")
        found[match[1]] = words[0] if words else ""
    return found


def _is_for_a_shell(text: str) -> bool:
    """Return whether a shell replaces a part of a value, or ends it before its end."""
    bare = _QUOTED.sub(lambda part: "$" if re.search("[$`]", part["double"] or "") else "_", text)
    return re.search(r"[$`;&|<>()]|(?:^|:)~|^[ \t]", bare) is not None


def _words(text: str) -> list[str] | None:
    try:
        return shlex.split(text)
    except ValueError:  # an unterminated quote
        return None
