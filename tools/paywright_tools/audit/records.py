"""An exchange as the audit sees it, whatever file it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

__all__ = ["Body", "Exact", "Exchange", "Lost", "Message", "Parsed", "Perhaps", "Unreadable"]

Pairs = Sequence[tuple[str, str]]


class Exact:
    """The very bytes: whatever is said of them is certain."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        self.raw = raw


class Perhaps:
    """Bytes written anew from text: a signature that holds over them holds; one that does not proves nothing."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        self.raw = raw


class Parsed:
    """A value: its schema can be judged, a signature over it never."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Lost:
    """There was a body, or may have been, and the capture does not have it."""

    __slots__ = ()


Body = Exact | Perhaps | Parsed | Lost


class Message:
    """One side of an exchange. `status` is None for what was asked."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, headers: Pairs, body: Body, status: int | None = None) -> None:
        self.headers = headers
        self.body = body
        self.status = status

    def get_all(self, name: str) -> list[str]:
        """Every value of a header; upper and lower case are the same."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]


class Exchange:
    """A call or a notification (`kind` None: the capture does not say), at `place` of the input, such as `line 7`."""

    __slots__ = ("kind", "place", "request", "response", "url")

    def __init__(
        self, place: str, url: str, request: Message, response: Message | None, kind: Literal["call", "notify"] | None
    ) -> None:
        self.place = place
        self.url = url
        self.request = request
        self.response = response
        self.kind = kind


class Unreadable:
    """A part of the input that is no record; `why` is in words that hold nothing of it."""

    __slots__ = ("place", "why")

    def __init__(self, place: str, why: str) -> None:
        self.place = place
        self.why = why
