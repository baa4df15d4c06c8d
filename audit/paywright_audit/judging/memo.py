"""Remember what was found out about texts that are often equal, such as names of headers, dates and answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

_MOST: Final = 512
_LONGEST: Final = 2048
_Key = TypeVar("_Key", bound="str | tuple[str | bytes, ...]")
_Found = TypeVar("_Found")


class Memo(dict[_Key, _Found]):
    """The results of a function, by its text or texts. It forgets all when they are too many, and keeps none of long ones."""

    def __init__(self, find: Callable[[_Key], _Found]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: _Key) -> _Found:
        found = self._find(key)
        if (len(key) if isinstance(key, str) else sum(map(len, key))) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[key] = found
        return found
