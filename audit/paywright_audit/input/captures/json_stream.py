"""Read a JSON document that is too large for memory, one member and one array element at a time.

The text is decoded in pieces, and the standard library's scanner reads each value. If a value is not complete yet,
twice as much is read before the next try, so that the cost stays linear.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from json import JSONDecoder
from typing import IO, Final, TypeVar

_Element = TypeVar("_Element")
_PIECE: Final = 1 << 18
_spaces: Final = re.compile(r"[ \t\r\n]*").match
_decode: Final = JSONDecoder().raw_decode


class NotJson(Exception):
    """Raised when reading cannot continue. The message contains nothing of the text."""


class JsonStream:
    """A cursor in the text. `longest` is the maximum number of characters of one value."""

    def __init__(self, first: bytes, source: IO[bytes], longest: int) -> None:
        self._decoder = getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._source = source
        self._longest = longest
        self._text = self._decoder.decode(first)
        self._at = 0
        self._over = False

    def next(self) -> str:
        """Return the next character that is no space, without consuming it; "" at the end."""
        while True:
            space = _spaces(self._text, self._at)
            self._at = space.end() if space is not None else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(_PIECE):
                return ""

    def take(self, wanted: str) -> None:
        """Consume a character that must come next."""
        if self.next() != wanted:
            raise NotJson("it is not well-formed JSON")
        self._at += 1

    def value(self) -> object:
        """Read one whole value."""
        return self._read()[0]

    def text(self) -> str:
        """Read one whole value, and return its text, which is well-formed."""
        return self._read()[1]

    def _read(self) -> tuple[object, str]:
        self.next()
        piece = _PIECE
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except RecursionError:
                raise NotJson("it is nested too deeply") from None
            except ValueError:
                if len(self._text) - self._at > self._longest:
                    raise NotJson("a value in it is not well-formed, or too large") from None
                if not self._more(piece):
                    raise NotJson("it is not well-formed JSON, or it is cut off") from None
                piece *= 2
                continue
            # A number may continue in the next piece.
            if end == len(self._text) and self._more(piece):
                continue
            text = self._text[self._at : end]
            self._at = end
            return value, text

    def members(self) -> Iterator[str]:
        """Yield the names of an object's members, each before its value, which must be read before the next."""
        self.take("{")
        while self.next() != "}":
            name = self.value()
            if type(name) is not str:
                raise NotJson("it is not well-formed JSON")
            self.take(":")
            yield name
            if not self._has_more("}"):
                break
        self.take("}")

    def elements(self, read: Callable[[], _Element]) -> Iterator[_Element]:
        """Yield the elements of an array, as `value` or `text` reads them."""
        self.take("[")
        while self.next() != "]":
            yield read()
            if not self._has_more("]"):
                break
        self.take("]")

    def _has_more(self, end: str) -> bool:
        if self.next() == end:
            return False
        self.take(",")
        if self.next() == end:
            raise NotJson("it is not well-formed JSON")
        return True

    def _more(self, size: int) -> bool:
        if self._over:
            return False
        raw = self._source.read(size)
        self._over = not raw
        self._text = self._text[self._at :] + self._decoder.decode(raw, final=self._over)
        self._at = 0
        return True
