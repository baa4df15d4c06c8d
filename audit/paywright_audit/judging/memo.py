"""Remember what was found out about texts that messages repeat: names of members and headers, addresses, dates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

_MOST: Final = 1024
_LONGEST: Final = 1024
_Key = TypeVar("_Key", bound="str | tuple[str, ...]")
_Found = TypeVar("_Found")


class Memo(dict[_Key, _Found]):
    """The results of a function for a text or several, by these. It forgets all when they are too many, and never keeps long texts."""

    def __init__(self, find: Callable[[_Key], _Found]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: _Key) -> _Found:
        found = self._find(key)
        if len(self) >= _MOST:
            self.clear()
        if len("".join(key)) <= _LONGEST:
            self[key] = found
        return found
