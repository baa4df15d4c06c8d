"""Find the subject of an exchange, and the members that hold its key, state and amount.

Most of it follows from the contract: the key of a write, the query that resolves it, what a response echoes, the member
whose values are states. What the contract does not say is in the tables of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.judging.operation_facts import Path, folds_case, in_data
from paywright_runtime.contract.operation import Operation

__all__ = [
    "NOTICES",
    "ORDERS",
    "PERIODS",
    "REFUNDS",
    "ListedSpec",
    "Notice",
    "SubjectSpec",
    "ending",
    "listed_specs_of",
    "states_of",
    "subject_spec_of",
]


class SubjectSpec(NamedTuple):
    """What an operation says about its main subject.

    `family` is shared by all operations on the same kind of thing; keys of one that `folds` are compared without case. A `write`
    makes the thing, one that `acts` changes it (a cancel). `key` stands in the `data` of request and answer, or at their top
    (`asked_data`, `answered_data` False), as do `state`, the `amount` and `currency` that a write asks for, `ref` and `ref_token`
    (the thing that this one is of: a refund's order), `token`, `alias` (the service's own id of it) and `began`. `shows` is where
    an inquiry shows amount and currency, of every state if `always`. `final` are the final states of the answer's own set.
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
    shows: tuple[Path, Path] | None
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


class ListedSpec(NamedTuple):
    """Subjects listed inside a message, at `items` (an array, or an object), each with its `key` and state.

    `paid` is where to find the id that a refund may name, the amount and the currency of what can be refunded.
    """

    family: str
    items: Path
    key: tuple[Path, ...]
    state: Path
    final: frozenset[str]
    paid: tuple[Path, Path, Path] | None = None


class Notice(NamedTuple):
    """A notification that the specification does not show, as such gateways send it (question `other-notifications`).

    It says which subject the notification is about, and which members say what.
    """

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

# Members with an amount in requests and responses: (amount, currency).
_ASKED: Final[dict[str, tuple[str, str]]] = {
    "orders.checkout": ("totalAmount", "currency"),
    "orders.drop_in": ("totalAmount", "currency"),
    "refunds.create": ("refundAmount", "refundCurrency"),
}
_SHOWS: Final[dict[str, tuple[Path, Path]]] = {
    "orders.query": (("data", "trade", "amount"), ("data", "trade", "currency")),
    "refunds.query": (("data", "refundAmount"), ("data", "refundCurrency")),
    "withdrawals.query": (("data", "transactionAmount"), ("data", "transactionCurrency")),
}
_SHOWS_ALWAYS: Final = ("withdrawals.query",)
# The other subject that a write belongs to: the member with its key, the member with the gateway's id of it, its family.
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
_ACTS_ON: Final = ("snap.cancel",)  # its key is that of the subject it changes

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
def listed_specs_of(name: str) -> Sequence[ListedSpec]:
    """Return the subjects listed in the responses of an operation; for a notification, the subject that it is about."""
    operation = CONTRACT.operation(name)
    if operation.inbound:
        if operation.state is None:
            return ()
        _, field = list(CONTRACT.at(operation.request, operation.state))[-1]
        keys = tuple(_path(pointer) for pointer in operation.once_per if pointer != operation.state)
        final = ending(field.of) if field is not None and field.of else frozenset[str]()
        return (ListedSpec(name, (), keys, _path(operation.state), final, _PAID.get(name)),)
    return tuple(
        ListedSpec(family, items, key, state, ending(values))
        for family, values, items, key, state in _LISTED.get(name, ())
    )


def _path(pointer: str) -> Path:
    return tuple(pointer.split("/")[1:])


@cache
def subject_spec_of(name: str) -> SubjectSpec | None:
    """Return what an operation says about its main subject; None if it has no subject with a history."""
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
    asked, shows, refers = _ASKED.get(name), _SHOWS.get(name), _REFERS.get(name)
    member, success = operation.succeeds or ("code", "")
    fields = CONTRACT.struct(operation.request).fields
    return SubjectSpec(
        operation=name,
        family=family,
        folds=folds_case(operation),
        write=write,
        acts=name in _ACTS_ON,
        key=key,
        asked_data=in_data(operation.request, key),
        answered_data=in_data(operation.response, key),
        state=state,
        amount=asked[0] if asked else None,
        currency=asked[1] if asked else None,
        ref=refers[0] if refers else None,
        ref_token=refers[1] if refers else None,
        shows=shows,
        always=name in _SHOWS_ALWAYS,
        token="tradeToken" if name in _TOKENS else None,
        alias=_ALIASES.get(name),
        began="transactionUtcTime" if name == ORDERS else None,
        clock=next((field.wire for field in fields if field.source == "clock"), None),
        code=member,
        success=success,
        refuses=operation.refusal_codes,
        repeats=operation.duplicate_codes,
        absent=operation.not_found_codes,
        states=_states_of(operation),
        final=final_states(name),
    )


@cache
def final_states(name: str) -> frozenset[str]:
    """Return the states of an operation's response that only the contract's moves lead out of [3]."""
    states = _set_of(CONTRACT.operation(name)) if name in CONTRACT.operations() else None
    return ending(states) if states else frozenset()


def ending(states: str) -> frozenset[str]:
    """Return the states of a set that no state follows, or only by the contract's moves."""
    known = CONTRACT.set(states)
    return frozenset((*known.final, *known.settled))


@cache
def states_of(family: str) -> str | None:
    """Return the name of the set of states of a family; None for a family without states."""
    for listed in _LISTED.values():
        for name, states, *_ in listed:
            if name == family:
                return states
    operation = CONTRACT.operation(family) if family in CONTRACT.operations() else None
    if operation is None or not operation.inbound:
        return None if operation is None else _set_of(operation)
    if operation.state is None:
        return None
    _, field = list(CONTRACT.at(operation.request, operation.state))[-1]
    return field.of if field is not None else None


def _states_of(operation: Operation) -> frozenset[str]:
    name = _set_of(operation)
    return frozenset(CONTRACT.set(name).values) if name else frozenset()


def _state(operation: Operation) -> str | None:
    """Return the member of a response that holds the state; None if there is none."""
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
