"""What identifies the thing that an exchange is about, and where its state, its amount and its keys stand.

Most of it follows from the contract: the key of a write, the query that settles it, what an answer echoes, the member
whose values are states. What the contract does not say is in the tables of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_runtime.facts import Operation
from paywright_tools.audit.plan import Path, folds_case, in_data

__all__ = [
    "NOTICES",
    "ORDERS",
    "PERIODS",
    "REFUNDS",
    "Notice",
    "Sight",
    "Trail",
    "ending",
    "sights_of",
    "states_of",
    "trail_of",
]


class Trail(NamedTuple):
    """What an operation says of its main subject.

    `family` is shared by all operations on the same kind of thing; keys of one that `folds` are compared without case. A `write`
    makes the thing, one that `acts` changes it (a cancel). `key` stands in the `data` of request and answer, or at their top
    (`asked_data`, `answered_data` False), as do `state`, the `amount` and `currency` that a write asks for, `ref` and `ref_token`
    (the thing that this one is of: a refund's order), `token`, `alias` (the service's own id of it) and `began`. `told` is where
    an inquiry tells amount and currency, of every state if `always`. `final` are the final states of the answer's own set.
    """

    operation: str
    family: str
    folds: bool
    write: bool
    acts: bool
    key: str
    asked_data: bool
    answered_data: bool
    state: str | None
    amount: str | None
    currency: str | None
    ref: str | None
    ref_token: str | None
    told: tuple[Path, Path] | None
    always: bool
    token: str | None
    alias: str | None
    began: str | None
    clock: str | None
    code: str
    success: str
    refuses: frozenset[str]
    repeats: frozenset[str]
    absent: frozenset[str]
    states: frozenset[str]
    final: frozenset[str]


class Sight(NamedTuple):
    """Things listed inside a message: at `items` (an array, or an object), each with its `key`s and its state. `paid` is where
    stand the id that a refund may name, the amount and the currency, of what can be refunded."""

    family: str
    items: Path
    key: tuple[Path, ...]
    state: Path
    final: frozenset[str]
    paid: tuple[Path, Path, Path] | None = None


class Notice(NamedTuple):
    """A notification that the contract does not show, as far as gateways of this kind send it (question
    `other-notifications`): which thing it is about, and where it says what."""

    family: str
    key: Path
    state: Path
    amount: Path
    currency: Path


NOTICES: Final[dict[str, Notice]] = {
    "PAYMENT": Notice(
        "orders.query", ("data", "outTradeNo"), ("data", "status"), ("data", "totalAmount"), ("data", "currency")
    ),
    "REFUND": Notice(
        "refunds.query",
        ("data", "outRefundNo"),
        ("data", "status"),
        ("data", "refundAmount"),
        ("data", "refundCurrency"),
    ),
    "WITHDRAW": Notice(
        "withdrawals.query",
        ("data", "outTradeNo"),
        ("data", "status"),
        ("data", "transactionAmount"),
        ("data", "transactionCurrency"),
    ),
}

# Where requests and answers tell an amount: (amount, currency).
_ASKED: Final[dict[str, tuple[str, str]]] = {
    "orders.checkout": ("totalAmount", "currency"),
    "orders.drop_in": ("totalAmount", "currency"),
    "refunds.create": ("refundAmount", "refundCurrency"),
}
_TOLD: Final[dict[str, tuple[Path, Path]]] = {
    "orders.query": (("data", "trade", "amount"), ("data", "trade", "currency")),
    "refunds.query": (("data", "refundAmount"), ("data", "refundCurrency")),
    "withdrawals.query": (("data", "transactionAmount"), ("data", "transactionCurrency")),
}
_TOLD_ALWAYS: Final = ("withdrawals.query",)
# What a write is of: the member with the other's key, the member with the service's own id of it, and its family.
_REFERS: Final[dict[str, tuple[str, str]]] = {"refunds.create": ("outTradeNo", "tradeToken")}
REFUNDS: Final = "refunds.query"
ORDERS: Final = "orders.query"
PERIODS: Final = "notifications.subscription_payment"
_DETAIL: Final = ("data", "subscriptionPaymentDetail")
_PAID: Final[dict[str, tuple[Path, Path, Path]]] = {
    PERIODS: (  # a period's payment can be refunded under its tradeToken [6.2]
        (*_DETAIL, "lastPaymentInfo", "tradeToken"), (*_DETAIL, "payAmount", "amount"), (*_DETAIL, "payAmount", "currency")
    ),
}  # fmt: skip
_ALIASES: Final = {"refunds.create": "refundTradeNo", "refunds.query": "refundTradeNo"}  # [2.4, 4.14]
_TOKENS: Final = ("orders.checkout", "orders.drop_in")
_ACTS_ON: Final = ("snap.cancel",)  # its key is not its own but that of what it acts on

_LISTED: Final[dict[str, tuple[tuple[str, str, Path, tuple[Path, ...], Path], ...]]] = {
    # (family, its states, where, keys, state)
    "payment_tokens.list": (
        ("tokens", "PaymentTokenStatus", ("data", "tokenList"), (("paymentTokenID",),), ("paymentTokenStatus",)),
    ),
    "payment_tokens.inquire": (
        ("tokens", "PaymentTokenStatus", ("data", "tokenList"), (("paymentTokenID",),), ("paymentTokenStatus",)),
    ),
    "payment_links.query": (
        ("links", "LinkTransactionStatus", ("data", "payByLinkInfo"), (("outTradeNo",),), ("status",)),
    ),
    "snap.status": (("snap refunds", "SnapRefundStatus", ("refundHistory",), (("refundNo",),), ("refundStatus",)),),
}


@cache
def sights_of(name: str) -> Sequence[Sight]:
    """What is listed in the answers of an operation; of a notification, what it is about, as the contract tells it."""
    operation = CONTRACT.operation(name)
    if operation.inbound:
        if operation.state is None:
            return ()
        _, field = list(CONTRACT.at(operation.asks, operation.state))[-1]
        keys = tuple(_path(pointer) for pointer in operation.once_per if pointer != operation.state)
        final = ending(field.of) if field is not None and field.of else frozenset[str]()
        return (Sight(name, (), keys, _path(operation.state), final, _PAID.get(name)),)
    return tuple(
        Sight(family, items, key, state, ending(values)) for family, values, items, key, state in _LISTED.get(name, ())
    )


def _path(pointer: str) -> Path:
    return tuple(pointer.split("/")[1:])


@cache
def trail_of(name: str) -> Trail | None:
    """What an operation says of its main subject; None where it is about none that has a history."""
    operation = CONTRACT.operation(name)
    if operation.inbound:
        return None
    key = operation.key or (operation.echoes[0] if operation.echoes else None)
    state = _state(operation)
    write = operation.key is not None and name not in _ACTS_ON
    if key is None or not (write or name in _ACTS_ON or (state is not None and final_states(name))):
        return None
    settled = operation.resolution.operation if operation.resolution is not None else None
    family = settled or name
    query = CONTRACT.operation(family)
    asked, told, refers = _ASKED.get(name), _TOLD.get(name), _REFERS.get(name)
    member, success = operation.succeeds or ("code", "")
    fields = CONTRACT.struct(operation.asks).fields
    return Trail(
        operation=name,
        family=family,
        folds=folds_case(operation) or folds_case(query),
        write=write,
        acts=name in _ACTS_ON,
        key=key,
        asked_data=in_data(operation.asks, key),
        answered_data=in_data(operation.answers, key),
        state=state,
        amount=asked[0] if asked else None,
        currency=asked[1] if asked else None,
        ref=refers[0] if refers else None,
        ref_token=refers[1] if refers else None,
        told=told,
        always=name in _TOLD_ALWAYS,
        token="tradeToken" if name in _TOKENS else None,
        alias=_ALIASES.get(name),
        began="transactionUtcTime" if name == ORDERS else None,
        clock=next((field.wire for field in fields if field.source == "clock"), None),
        code=member,
        success=success,
        refuses=operation.refuses,
        repeats=operation.repeats,
        absent=operation.absent,
        states=_states_of(operation),
        final=final_states(name),
    )


@cache
def final_states(name: str) -> frozenset[str]:
    """The states that nothing follows but what the contract's moves say, of those that an operation answers [3]."""
    states = _set_of(CONTRACT.operation(name)) if name in CONTRACT.operations() else None
    return ending(states) if states else frozenset()


def ending(states: str) -> frozenset[str]:
    """The states of a set that nothing follows, or nothing but what the contract's moves say."""
    known = CONTRACT.set(states)
    return frozenset((*known.final, *known.settled))


@cache
def states_of(family: str) -> str | None:
    """The name of the set of states that the things of a family have; None for a family without states."""
    for listed in _LISTED.values():
        for name, states, *_ in listed:
            if name == family:
                return states
    operation = CONTRACT.operation(family) if family in CONTRACT.operations() else None
    if operation is None or not operation.inbound:
        return None if operation is None else _set_of(operation)
    if operation.state is None:
        return None
    _, field = list(CONTRACT.at(operation.asks, operation.state))[-1]
    return field.of if field is not None else None


def _states_of(operation: Operation) -> frozenset[str]:
    name = _set_of(operation)
    return frozenset(CONTRACT.set(name).values) if name else frozenset()


def _state(operation: Operation) -> str | None:
    """The member of an answer that tells the state."""
    name = _set_of(operation)
    if name is None or operation.result is None:
        return None
    return next(field.wire for field in CONTRACT.struct(operation.result).fields if field.of == name)


def _set_of(operation: Operation) -> str | None:
    if operation.result is None:
        return None
    for field in CONTRACT.struct(operation.result).fields:
        if field.kind == "set" and field.of and not field.array and CONTRACT.set(field.of).states:
            return field.of
    return None
