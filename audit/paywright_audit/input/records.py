"""An exchange as the audit sees it, whatever file it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

__all__ = ["Body", "Exact", "Exchange", "Lost", "Message", "Pairs", "Parsed", "Perhaps", "Unreadable", "named"]

Pairs = Sequence[Sequence[str]]
"""Names and values of headers, in their order."""


class Exact:
    """The very bytes that went over the wire: whatever is said of them is certain."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        self.raw = raw


class Perhaps:
    """Bytes written anew from text, or unpacked: a signature that holds over them holds; one that does not proves nothing.

    `why` says what the source did to them, a word of `signatures.LOST`.
    """

    __slots__ = ("raw", "why")

    def __init__(self, raw: bytes, why: str = "bytes_lost") -> None:
        self.raw = raw
        self.why = why


class Parsed:
    """A value: its schema can be judged, a signature over it never."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Lost:
    """There was a body, or may have been, and the capture does not have it, or (`why` truncated) not all of it."""

    __slots__ = ("why",)

    def __init__(self, why: str = "body_lost") -> None:
        self.why = why


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
        return named(self.headers, name.lower())


def named(headers: Pairs, wanted: str) -> list[str]:
    """Every value of a header whose name is given in lower case."""
    return [value for name, value in headers if name == wanted or name.lower() == wanted]


class Exchange:
    """A call or a notification (`kind` None: the capture does not say).

    `place` is the unit that its input counts in (`line`, `entry`, `flow`), `number` which one it is, from the beginning
    of the range that was read; `offset` is where in the input it stands, the same however the input was cut.
    `at` and `until` are seconds since 1970 in UTC, when it began and ended; None where the capture does not say. `method` is
    the request's (None: the capture does not say), `sent` False where the capture says that nothing of the request left.
    """

    __slots__ = ("at", "kind", "method", "number", "offset", "place", "request", "response", "sent", "until", "url")

    def __init__(
        self,
        place: str,
        url: str,
        request: Message,
        response: Message | None,
        kind: Literal["call", "notify"] | None,
        at: float | None = None,
        until: float | None = None,
        offset: int = 0,
        number: int = 0,
        method: str | None = None,
        sent: bool | None = None,
    ) -> None:
        self.place = place
        self.url = url
        self.request = request
        self.response = response
        self.kind = kind
        self.at = at
        self.until = at if until is None else until
        self.offset = offset
        self.number = number
        self.method = method
        self.sent = sent


class Unreadable:
    """A part of the input that is no record; `why` is in words that hold nothing of it. `place` is "" for the file itself."""

    __slots__ = ("number", "offset", "place", "why")

    def __init__(self, place: str, why: str, offset: int = 0, number: int = 0) -> None:
        self.place = place
        self.why = why
        self.offset = offset
        self.number = number
