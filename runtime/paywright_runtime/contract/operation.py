"""Operations of the contract as plain values: messages, codes, keys, and the settling of an unknown outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal

from paywright_runtime.contract.value_checks import within


@dataclass(slots=True, eq=False)
class Resolution:
    """Rules for settling the unknown outcome of a write [4.3].

    `operation` is the query that settles it by the member `by`; None where the contract has none. `placed_again_after` is in
    seconds: only where it is given may the same key be placed again, after that many seconds of verified "not there".
    `longest_key` is the most characters that the query takes. `done` is a member of the query's answer, with the values that
    show that the write took effect; None where it is enough that the query knows the key. `resolver` is the client's method
    that settles it (`client.orders.resolve`; None without a query), `argument` is its argument for the key, and `asks` are the
    arguments that it always needs.
    """

    operation: str | None
    _: KW_ONLY
    by: str | None = None
    placed_again_after: int | None = None
    longest_key: int | None = None
    done: tuple[str, tuple[str, ...]] | None = None
    resolver: str | None = None
    argument: str = ""
    asks: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Shown:
    """A member of a write's request that answers show.

    `asked` is its path in the request and `answered` that in the answer (of the write itself or of its query), with dots between
    steps; `python` is the argument of the resolver that carries the requested value. A `number` is compared by its value. An
    `optional` member may be missing in the request.
    """

    asked: str
    python: str
    answered: str
    _: KW_ONLY
    number: bool = False
    optional: bool = False
    asked_path: tuple[str, ...] = field(init=False)
    answered_path: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.asked_path = tuple(self.asked.split("."))
        self.answered_path = tuple(self.answered.split("."))


def _path(pointer: str) -> tuple[str, ...]:
    return tuple(pointer.split("/")[1:])


@dataclass(slots=True, eq=False)
class Amount:
    """The amount of an operation: JSON pointers to it and to its currency, from the root of the message `role`."""

    role: str
    pointer: str
    currency: str
    path: tuple[str, ...] = field(init=False)
    currency_path: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.path, self.currency_path = _path(self.pointer), _path(self.currency)

    def text(self, body: object) -> str:
        """Return amount and currency of a message as text, such as `10.50 USD`; "" if neither is text or a number."""
        found = (within(body, self.path), within(body, self.currency_path))
        return " ".join(
            str(one)[:64] for one in found if isinstance(one, (str, int, Decimal)) and type(one) is not bool
        )


@dataclass(slots=True, eq=False)
class GivesBack:
    """The payment that a refund gives money back of, as `operation` shows it.

    `key` and `gateway_id` are JSON pointers to its names in the refund's request. All refunds of one payment add up to at
    most its amount. They must come `within` so many seconds from the time at the pointer `since` in the answer of
    `operation`.
    """

    operation: str
    _: KW_ONLY
    key: str | None = None
    gateway_id: str | None = None
    within: int | None = None
    since: str | None = None


@dataclass(slots=True, eq=False)
class Listed:
    """Items with states that an answer lists: `items` is a JSON pointer to an array, `key` and `state` are members of an element.

    `states` is the name of their value list.
    """

    items: str
    key: str
    state: str
    states: str


@dataclass(slots=True, eq=False)
class SeenNotification:
    """A notification that the specification does not show, as gateways of this kind send it.

    `discriminators` tell it from others. `about` is the query for its item, and a JSON pointer to the query's key.
    `once_per` (key and state), `state` and `amount` are JSON pointers from its root. `address` is the member of a request, or
    of what the query shows, that names where it is sent.
    """

    name: str
    _: KW_ONLY
    discriminators: Mapping[str, str]
    about: tuple[str, str]
    once_per: tuple[str, str]
    state: str
    amount: Amount
    address: str
    summary: str = ""
    sections: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Decision:
    """Decision in the merchant's answer: `member` is `yes` or `no`, and `reason` is the member with the reason of a no.

    `within` are the member of the question with the amount, and the members of the answer with the bounds that a yes sets.
    """

    member: str
    yes: str
    no: str
    reason: str
    _: KW_ONLY
    within: tuple[str, str, str] | None = None


@dataclass(slots=True, eq=False)
class Guard:
    """A demand on a request that the client checks before it sends it, though the specification does not state it.

    `kind` is `above` (0) or `not below` (0); `pointer` is the JSON pointer of the amount, from the operation's own data.
    An amount that is absent meets it.
    """

    id: str
    kind: str
    pointer: str
    path: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.path = tuple(self.pointer[1:].split("/"))


@dataclass(slots=True, eq=False, repr=False)
class Operation:
    """One operation: its address, its discriminators, its resolution, and the meaning of its codes.

    `payloads` are the members of request and response that hold the operation's own fields, "" where the whole is the
    payload. `succeeds` is the member and the value that mean success: another value is the code of a refusal. `message_at` is
    the member with the words for people. They are paths with dots between steps.

    `each_echoes` are lists of the answer, each with the member of its elements that repeats the request's member of that name, or
    that of an element of a list of the request, which may be a list of texts; its name is "" for the former.

    A notification also states its identity: `once_per` are JSON pointers into its body, and each combination of their values
    has one effect; `state` is the one of them whose value changes.

    `gateway_id` is a JSON pointer, into the response or the notification, to the gateway's own id of the item. A write that
    makes no item of its own `acts_on` the item of that query. `about` is the query for a notification's item, and a JSON
    pointer to the query's key.
    """

    name: str
    _: KW_ONLY
    path: str | None
    envelope: str
    roles: tuple[str, str]
    request: str
    response: str
    sections: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    version: str | None = None
    inbound: bool = False
    data: str | None = None
    result: str | None = None
    request_headers: str | None = None
    response_headers: str | None = None
    discriminators: Mapping[str, str] = field(default_factory=dict)
    key: str | None = None
    key_ignores_case: bool = False
    resolution: Resolution | None = None
    echoes: tuple[str, ...] = ()
    each_echoes: tuple[tuple[str, str, str], ...] = ()
    shows: tuple[Shown, ...] = ()
    payloads: tuple[str, str] = ("", "")
    succeeds: tuple[str, str] | None = None
    message_at: str | None = None
    refusal_codes: frozenset[str] = frozenset()
    duplicate_codes: frozenset[str] = frozenset()
    not_found_codes: frozenset[str] = frozenset()
    clock_codes: frozenset[str] = frozenset()
    once_per: tuple[str, ...] = ()
    state: str | None = None
    decision: Decision | None = None
    guards: tuple[Guard, ...] = ()
    amount: Amount | None = None
    gateway_id: str | None = None
    acts_on: str | None = None
    about: tuple[str, str] | None = None
    gives_back: tuple[GivesBack, ...] = ()
    lists: tuple[Listed, ...] = ()

    @property
    def payload_paths(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the paths of the payloads of request and response; () is the whole."""
        asked, answered = self.payloads
        return (asked,) if asked else (), (answered,) if answered else ()

    @property
    def success_path(self) -> tuple[str, ...]:
        """Return the path of the member with the code, which shows success too; () if there is none."""
        return tuple(self.succeeds[0].split(".")) if self.succeeds is not None else ()

    @property
    def message_path(self) -> tuple[str, ...]:
        """Return the path of the member with the words for people; () if there is none."""
        return () if self.message_at is None else tuple(self.message_at.split("."))

    @property
    def write(self) -> bool:
        """True if it can move money: it has a key of the merchant's."""
        return self.key is not None

    def resolver(self, *, by_key: bool = False) -> str | None:
        """Return the call that settles its unknown outcome, as text: `client.orders.resolve(error)`; None without a query.

        `by_key`: the call to make without an error, `client.orders.resolve(out_trade_no=..., total_amount=..., currency=...)`.
        """
        resolution = self.resolution
        if resolution is None or resolution.resolver is None:
            return None
        named = [*resolution.asks, *([resolution.argument, *(shown.python for shown in self.shows)] if by_key else [])]
        given = [*([] if by_key else ["error"]), *(f"{name}=..." for name in named)]
        return f"{resolution.resolver}({', '.join(given)})"

    def message(self, role: str) -> str | None:
        """Return the struct of a message by its role (`request`, `response`, `notification`, `answer`), or None."""
        return self.request if role == self.roles[0] else self.response if role == self.roles[1] else None

    def __repr__(self) -> str:
        return f"<Operation {self.name}>"
