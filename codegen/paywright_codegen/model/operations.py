"""Operations and their messages: a write's request, its members in answers, and its resolution."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from paywright_codegen.model.cited import Cited
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Field, Struct

Role = Literal["request", "response", "notification", "answer"]


@dataclass(frozen=True, slots=True)
class MessageSpec:
    """One message of an operation: its headers and its root struct.

    `payload` is the member in which the operation's own fields stand, and `data` its struct; both are None where the
    fields are at the root. (A notification whose body is a named type has a `payload` and no `data`.) `result` is the
    name of the struct that a caller gets (the named response type, or the named body).
    """

    operation: str
    role: Role
    root: Struct
    headers: tuple[Field, ...] = ()
    data: Struct | None = None
    result: str | None = None
    payload: str | None = None

    @property
    def name(self) -> str:
        """Return the name, such as `orders.checkout.request`."""
        return f"{self.operation}.{self.role}"

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return the fields of headers, root and data."""
        return (*self.headers, *self.root.fields, *(self.data.fields if self.data is not None else ()))


@dataclass(frozen=True, slots=True)
class Resolution:
    """Resolution of a write's unknown outcome [4.3]. `operation` is None if no query does."""

    operation: str | None
    by: str | None = None
    placed_again_after: str | None = None  # the name of a limit
    queried_again: bool = False
    done: tuple[str, tuple[str, ...]] | None = (
        None  # the member of the query's response, and the values that say it took effect
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """A member of a write's request that a response shows: `asked` in the request, `answered` in the response."""

    asked: Path
    answered: Path

    @property
    def wire(self) -> str:
        """Return the member's path in the request, joined by dots."""
        return ".".join(self.asked)


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision in a response: `member` is `yes` or `no`, and `reason` is the member that says why not.

    A yes may have limits: the members `least` and `most`, for the `amount` in question.
    """

    member: str
    yes: str
    no: str
    reason: str
    amount: str | None = None
    least: str | None = None
    most: str | None = None


@dataclass(frozen=True, slots=True)
class Amount:
    """The member of a message that is its amount, and the one with the currency: paths into the payload."""

    member: Path
    currency: Path


@dataclass(frozen=True, slots=True)
class GivesBack:
    """Origin of a refund's money: what an operation shows.

    `key` and `gateway_id` are the members of the request that name it. It must be asked for `within` a limit, counted
    from the member `since` of the operation's response.
    """

    operation: str
    key: str | None = None
    gateway_id: str | None = None
    within: str | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A list in a response whose elements have states: its member, and the member of an element that is its key."""

    items: str
    key: str


GuardKind = Literal["above", "not below"]


@dataclass(frozen=True, slots=True)
class GuardDemand:
    """One demand of a guard: an amount is `above` 0 or `not below` it."""

    kind: GuardKind
    path: Path


@dataclass(frozen=True, slots=True)
class Guard(Cited):
    """A request that the client refuses to send although the specification allows it.

    Received messages are not checked by it.
    """

    id: str = ""
    text: str = ""
    demands: tuple[GuardDemand, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation(Cited):
    """One operation. `inbound` is True if the gateway calls the merchant."""

    name: str = ""
    inbound: bool = False
    post: str | None = None  # None: the specification does not show the path
    version: str | None = None
    envelope: str = ""
    key: str | None = None
    key_ignores_case: bool = False
    resolution: Resolution | None = None
    echoes: tuple[str, ...] = ()
    each_echoes: tuple[str, ...] = ()  # `L.F` or `L.F in M`: `lookup.each_echo` takes them apart
    shows: tuple[Shown, ...] = ()
    succeeds: tuple[str, str] | None = None  # the member (its path, with dots) and the value that mean yes
    message: str | None = None  # the path of the member with the words for people
    refuses: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()  # codes for a request time that is too old or too new
    when: tuple[str, str] | None = None
    once_per: tuple[Path, ...] = ()  # fields of a notification's payload that together identify its effect
    decides: Decision | None = None
    about: tuple[str, Path] | None = (
        None  # of a notification: the query that shows the same, and the member with its key
    )
    amount: Amount | None = None  # of a query in its response, of all others in what is asked or told
    into: Path = ()  # of a notification: the account that the money came into
    gateway_id: Path | None = None  # of a notification in what it tells, of all others in the response
    acts_on: str | None = None  # the query that shows what this write changes, and does not make
    gives_back: tuple[GivesBack, ...] = ()
    lists: tuple[Listed, ...] = ()
    guards: tuple[Guard, ...] = ()
    asks: MessageSpec = field(default=None)  # type: ignore[assignment]  # always given by the reader
    answers: MessageSpec = field(default=None)  # type: ignore[assignment]  # always given by the reader

    @property
    def code(self) -> str | None:
        """Return the path of the member that says yes, or why not."""
        return self.succeeds[0] if self.succeeds is not None else None

    @property
    def resource(self) -> str:
        """Return the resource, such as `orders`."""
        return self.name.split(".")[0]

    @property
    def verb(self) -> str:
        """Return the verb, such as `checkout`."""
        return self.name.split(".")[1]

    @property
    def write(self) -> bool:
        """Return whether it is a write, which has a key."""
        return self.key is not None

    @property
    def messages(self) -> tuple[MessageSpec, MessageSpec]:
        """Return request and response."""
        return self.asks, self.answers


@dataclass(frozen=True, slots=True)
class SeenNotification(Cited):
    """A notification that the specification does not show, as gateways of this kind send it.

    `kind` tells it from others. The query `about` shows the same thing; `key`, `state` and `amount` are members of its data.
    `address` is the member, of a request or of the query's answer, that names its destination.
    """

    kind: str = ""
    about: str = ""
    key: str = ""
    state: str = ""
    amount: Amount | None = None
    address: str = ""
