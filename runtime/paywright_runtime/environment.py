"""Settings as the environment names them: `PAYWRIGHT_*`, each read as one type and refused where it is none.

A setting that is misspelled must not count as one that is absent. Messages name the setting and what it takes, never the
value: it may be a key that was put in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import environ
from pathlib import Path
from typing import Final

from paywright_runtime.errors import ConfigurationError

__all__ = ["PREFIX", "Environment"]

PREFIX: Final = "PAYWRIGHT_"

_FLAGS: Final = {
    "1": True,
    "yes": True,
    "true": True,
    "on": True,
    "0": False,
    "no": False,
    "false": False,
    "off": False,
}
_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?").fullmatch
_OPERATION: Final = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9_]{1,64}").fullmatch
_WHOLE: Final = re.compile(r"[0-9]{1,9}").fullmatch


class Environment:
    """Reads `PAYWRIGHT_*` names of the process's environment, or of `names`; blank counts as absent.

    Every method takes the setting's name in lower case without the prefix, and raises `ConfigurationError` for a value that it
    cannot read.
    """

    __slots__ = ("_names",)

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self._names = environ if names is None else names

    def text(self, name: str) -> str | None:
        """The value without blanks around it, or None."""
        return self._names.get(PREFIX + name.upper(), "").strip() or None

    def word(self, name: str, words: tuple[str, ...], default: str) -> str:
        """One of `words`, exactly as written there."""
        text = self.text(name)
        if text is not None and text not in words:
            raise _refused(name, f"is none of {', '.join(words)}")
        return default if text is None else text

    def flag(self, name: str) -> bool:
        """Whether it is switched on; False where it is absent."""
        text = self.text(name)
        if text is not None and text.lower() not in _FLAGS:
            raise _refused(name, f"is none of {', '.join(_FLAGS)}")
        return text is not None and _FLAGS[text.lower()]

    def number(self, name: str, default: float) -> float:
        """A number of plain digits, perhaps with a point."""
        text = self.text(name)
        if text is not None and _NUMBER(text) is None:
            raise _refused(name, "is no number such as 30 or 2.5")
        return default if text is None else float(text)

    def whole(self, name: str, default: int) -> int:
        """A number of plain digits."""
        text = self.text(name)
        if text is not None and _WHOLE(text) is None:
            raise _refused(name, "is no whole number such as 2")
        return default if text is None else int(text)

    def addresses(self, name: str) -> dict[str, str]:
        """`operation=/address` pairs with commas between; each operation once."""
        found: dict[str, str] = {}
        for part in self._parts(name):
            operation, _, address = (piece.strip() for piece in part.partition("="))
            if _OPERATION(operation) is None or not address or operation in found:
                raise _refused(
                    name, "holds a part that is not of the form cases.inquire=/address, or one operation twice"
                )
            found[operation] = address
        return found

    def key_sources(self, texts: str, files: str) -> list[Path | str]:
        """Keys under two names: texts with commas between, and paths of files with commas between."""
        return [*self._parts(texts), *map(Path, self._parts(files))]

    def _parts(self, name: str) -> list[str]:
        return [part for part in map(str.strip, (self.text(name) or "").split(",")) if part]


def _refused(name: str, why: str) -> ConfigurationError:
    return ConfigurationError(f"Nothing was sent: {PREFIX}{name.upper()} {why}. Correct it or leave it out.")
