"""Exchanges as records, whatever file they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

KINDS: Final[dict[str, Literal["call", "notify"]]] = {"call": "call", "notify": "notify"}
"""The kinds of capture records."""

REST: Final = (1 << 48) - 1
"""The number of an `Unreadable` that is reported after everything that could be read of its input."""

Pairs = Sequence[Sequence[str]]
"""Names and values of headers, in their order."""


# Without a representation of their own, which would show what payers entered.
@dataclass(slots=True, eq=False, repr=False)
class Exact:
    """The exact bytes sent over the network: findings about them are certain."""

    raw: bytes


@dataclass(slots=True, eq=False, repr=False)
class Decoded:
    """Bytes encoded again from text, or unpacked. A valid signature over them is valid; an invalid one proves nothing.

    `why` is a word of `signatures.LOST` for what the source did to them.
    """

    raw: bytes
    why: str = "bytes_lost"


@dataclass(slots=True, eq=False, repr=False)
class Parsed:
    """A value without its bytes, unless one of the usual ways of writing it fits the signature.

    `redacted` is True if its recorder parsed the bytes strictly, and then hid values.
    """

    value: object
    redacted: bool = field(default=False, kw_only=True)


@dataclass(slots=True, eq=False, repr=False)
class Lost:
    """A body that the capture lost, or has only in part (`why` is truncated); perhaps there was none."""

    why: str = "body_lost"


Body = Exact | Decoded | Parsed | Lost


@dataclass(slots=True, eq=False, repr=False)
class Message:
    """One side of an exchange. `status` is None for a request."""

    headers: Pairs
    body: Body
    status: int | None = None

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


@dataclass(slots=True, eq=False, repr=False)
class Exchange:
    """A call or a notification (`kind` is None if unknown).

    `file` is its own input, such as the capture that a row of a table names; "" for the input that is being read. `place` is the
    unit of its input (`line`, `entry`, `row`), `number` its number there. `at` and `until` are its beginning and end in
    seconds since 1970, UTC; None if unknown. `method` is the request's; None if unknown. `sent` is False if the capture says
    that nothing of the request was sent. `odd` are words for what the capture says of it and nobody can read.
    """

    place: str
    url: str
    request: Message
    response: Message | None
    kind: Literal["call", "notify"] | None
    at: float | None = None
    until: float | None = None
    number: int = 0
    method: str | None = None
    sent: bool | None = None
    file: str = ""
    odd: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.until is None or (self.at is not None and self.until < self.at):
            self.until = self.at
        self.method = self.method.upper() if isinstance(self.method, str) else None  # it is whatever a capture has
        self.sent = False if self.sent is False and self.response is None else None


@dataclass(slots=True, eq=False, repr=False)
class Unreadable:
    """A part of the input that is not a record. `why` contains nothing of it. `place` is "" for the file itself.

    `file` is as in `Exchange`.
    """

    place: str
    why: str
    number: int = 0
    file: str = ""
