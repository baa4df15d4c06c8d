"""Exchanges as records, whatever file they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

KINDS: Final[dict[str, Literal["call", "notify"]]] = {"call": "call", "notify": "notify"}
"""The kinds of capture records."""

Pairs = Sequence[Sequence[str]]
"""Names and values of headers, in their order."""


class Exact:
    """The exact bytes sent over the network: findings about them are certain."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        self.raw: bytes = raw


class Decoded:
    """Bytes encoded again from text, or unpacked. A valid signature over them is valid; an invalid one proves nothing.

    `why` is a word of `signatures.LOST` for what the source did to them.
    """

    __slots__ = ("raw", "why")

    def __init__(self, raw: bytes, why: str = "bytes_lost") -> None:
        self.raw: bytes = raw
        self.why: str = why


class Parsed:
    """A value without its bytes, unless one of the usual ways of writing it fits the signature.

    `redacted` is True if its recorder parsed the bytes strictly, and then hid values.
    """

    __slots__ = ("redacted", "value")

    def __init__(self, value: object, *, redacted: bool = False) -> None:
        self.value: object = value
        self.redacted: bool = redacted


class Lost:
    """A body that the capture lost, or has only in part (`why` is truncated); perhaps there was none."""

    __slots__ = ("why",)

    def __init__(self, why: str = "body_lost") -> None:
        self.why: str = why


Body = Exact | Decoded | Parsed | Lost


class Message:
    """One side of an exchange. `status` is None for a request."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, headers: Pairs, body: Body, status: int | None = None) -> None:
        self.headers: Pairs = headers
        self.body: Body = body
        self.status: int | None = status

    def is_whole(self) -> bool:
        """Return whether the capture has all headers: those that HTTP itself needs, in a request the host and in all the length.

        Of a list that lacks them, only what is there is known.
        """
        names = {name.lower() for name, _ in self.headers}
        if not names.isdisjoint(_FRAMES):
            return self.status is not None or "host" in names or ":authority" in names
        return not names.isdisjoint(_PSEUDO)

    def get_all(self, name: str) -> list[str]:
        """Return every value of a header. Names are compared without case."""
        return named(self.headers, name.lower())


_FRAMES: Final = frozenset(("content-length", "transfer-encoding"))
_PSEUDO: Final = frozenset((":authority", ":path", ":status"))


def named(headers: Pairs, wanted: str) -> list[str]:
    """Return every value of a header whose name is given in lower case."""
    return [value for name, value in headers if name == wanted or name.lower() == wanted]


class Exchange:
    """A call or a notification (`kind` is None if unknown).

    `file` is its own input, such as the capture that a row of a table names; "" for the input that is being read. `place` is the
    unit of its input (`line`, `entry`, `row`), `number` its number there. `at` and `until` are its beginning and end in
    seconds since 1970, UTC; None if unknown. `method` is the request's; None if unknown. `sent` is False if the capture says
    that nothing of the request was sent. `odd` are words for what the capture says of it and nobody can read.
    """

    __slots__ = (
        "at",
        "file",
        "kind",
        "method",
        "number",
        "odd",
        "place",
        "request",
        "response",
        "sent",
        "until",
        "url",
    )

    def __init__(
        self,
        place: str,
        url: str,
        request: Message,
        response: Message | None,
        kind: Literal["call", "notify"] | None,
        at: float | None = None,
        until: float | None = None,
        number: int = 0,
        method: object = None,
        sent: object = None,
        file: str = "",
        odd: Sequence[str] = (),
    ) -> None:
        self.file: str = file
        self.place: str = place
        self.odd: Sequence[str] = odd
        self.url: str = url
        self.request: Message = request
        self.response: Message | None = response
        self.kind = kind
        self.at: float | None = at
        self.until: float | None = at if until is None or (at is not None and until < at) else until
        self.number: int = number
        self.method: str | None = method.upper() if isinstance(method, str) else None
        self.sent: bool | None = False if sent is False and response is None else None


class Unreadable:
    """A part of the input that is not a record. `why` contains nothing of it. `place` is "" for the file itself.

    `file` is as in `Exchange`.
    """

    __slots__ = ("file", "number", "place", "why")

    def __init__(self, place: str, why: str, number: int = 0, file: str = "") -> None:
        self.file: str = file
        self.place: str = place
        self.why: str = why
        self.number: int = number
