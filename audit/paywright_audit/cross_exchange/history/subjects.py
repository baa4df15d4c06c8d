"""Find the subject of an exchange, and the members that hold its key, state and amount, from the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.judging.operation_facts import OperationFacts, Path, facts_of, ignores_case, path_of
from paywright_runtime.contract.operation import Amount, GivesBack, Operation, SeenNotification
from paywright_runtime.contract.value_checks import within


class RefSpec(NamedTuple):
    """The payment that a refund is of: its kind, and the paths of its key and of the gateway's own id in the request."""

    kind: str
    ignores_case: bool
    key: Path | None
    token: Path | None


@dataclass(frozen=True, slots=True)
class SubjectSpec:
    """The main subject of an operation, whose `facts` name its codes, and the members that state something about it.

    All operations on the same kind of subject have the same `kind`; `ignores_case` is True if its keys are compared without case. A
    `write` makes the subject; an operation that `acts` changes it (a cancel). `key` is a member of the object at `asked` in the
    request and at `answered` in the answer; `state` is one of the latter. `amount` is that which a write asks for, or that an
    inquiry shows (in every state if `always`). `refs` are the payments that a refund may be of. `token` and `alias` are
    members with the gateway's own id: a refund may name its payment by `token`, an inquiry its subject by `alias`. `began` is the
    time at which the subject was made. `final` are the final states of the answer's own set.
    """

    facts: OperationFacts
    kind: str
    ignores_case: bool
    write: bool
    acts: bool
    key: str
    asked: Path
    answered: Path
    state: str | None
    amount: Amount | None
    refs: tuple[RefSpec, ...]
    always: bool
    token: Path | None
    alias: str | None
    began: Path | None
    states: frozenset[str]
    final: frozenset[str]


class ListedSpec(NamedTuple):
    """Subjects inside a message, at `items` (an array, or an object), each with its `key` and state.

    If it `ignores_case`, keys are compared without case. `known` are the states that the contract lists. `amount` is that of the
    subject, `token` is the gateway's id by which a refund may name it.
    """

    kind: str
    items: Path
    key: tuple[Path, ...]
    state: Path
    final: frozenset[str]
    known: frozenset[str]
    ignores_case: bool = False
    amount: Amount | None = None
    token: Path | None = None


def _operations() -> Iterator[Operation]:
    return map(CONTRACT.operation, CONTRACT.operations())


def _given_back() -> Iterator[tuple[Operation, GivesBack]]:
    return ((one, back) for one in _operations() for back in one.gives_back)


def _kind(operation: Operation) -> str:
    """Return the kind of an operation's subject, which is the name of the query that shows it."""
    settled = operation.resolution.operation if operation.resolution is not None else None
    return operation.acts_on or settled or operation.name


REFUNDS: Final = tuple(dict.fromkeys(_kind(one) for one, _ in _given_back()))
"""Kinds of subject that give money back."""
PAID: Final = tuple(dict.fromkeys(back.operation for _, back in _given_back() if back.gateway_id is not None))
"""Kinds of subject that a refund may name by the gateway's id alone."""


ACTED_ON: Final = tuple(dict.fromkeys(one.acts_on for one in _operations() if one.acts_on is not None))
"""Kinds of subject that a cancel changes."""


def subject_kind(name: str) -> str:
    """Return the kind of an operation's main subject; "" if it has none."""
    spec = subject_spec_of(name)
    return "" if spec is None else spec.kind


def _is_aliased(query: Operation) -> bool:
    """Return whether a query may name its subject by the gateway's own id."""
    if query.write or query.inbound or query.gateway_id is None:
        return False
    asked = CONTRACT.struct(query.data or query.request)
    return path_of(query.gateway_id)[-1] in asked.by_wire


ALIASED: Final = tuple(one.name for one in _operations() if _is_aliased(one))
"""Kinds of subject that queries may name by the gateway's id alone."""


def refund_window(operation: str) -> int | None:
    """Return the seconds within which a refund must be requested; None without a limit."""
    return next((back.within for back in CONTRACT.operation(operation).gives_back if back.within is not None), None)


@cache
def listed_specs_of(name: str) -> Sequence[ListedSpec]:
    """Return the subjects listed in the responses of an operation, or the subject of a notification."""
    operation = CONTRACT.operation(name)
    if operation.inbound:
        spec = _notified(operation)
        return () if spec is None else (spec,)
    return tuple(
        ListedSpec(
            each.states,
            path_of(each.items),
            ((each.key,),),
            (each.state,),
            ending(each.states),
            frozenset(CONTRACT.set(each.states).values),
        )
        for each in operation.lists
    )


@cache
def _seen() -> Sequence[tuple[Sequence[tuple[Path, str]], ListedSpec]]:
    specs = ((seen.discriminators, _notified(seen)) for seen in CONTRACT.seen().values())
    return [
        ([(path_of(pointer), value) for pointer, value in marks.items()], spec)
        for marks, spec in specs
        if spec is not None
    ]


def seen_spec_of(body: object) -> ListedSpec | None:
    """Return the subject of a notification that the specification does not show; None for an unknown kind."""
    return next((spec for marks, spec in _seen() if all(within(body, place) == value for place, value in marks)), None)


def _notified(notification: Operation | SeenNotification) -> ListedSpec | None:
    if notification.state is None:
        return None
    state = path_of(notification.state)
    if notification.about is not None:
        about, key = notification.about
        of = subject_spec_of(about)
        if of is None:
            return None
        spec = ListedSpec(about, (), (path_of(key),), state, of.final, of.states, of.ignores_case)
    else:
        assert isinstance(notification, Operation)  # a SeenNotification always has `about`
        _, field = list(CONTRACT.at(notification.request, notification.state))[-1]
        keys = tuple(path_of(pointer) for pointer in notification.once_per if pointer != notification.state)
        states = field.of if field is not None else None
        final = ending(states) if states else frozenset[str]()
        known = frozenset(CONTRACT.set(states).values) if states else frozenset[str]()
        token = path_of(notification.gateway_id) if notification.gateway_id and notification.name in PAID else None
        spec = ListedSpec(notification.name, (), keys, state, final, known, token=token)
    return spec._replace(amount=notification.amount)


@cache
def subject_spec_of(name: str) -> SubjectSpec | None:
    """Return the main subject of an operation; None if it has no subject with a history."""
    operation = CONTRACT.operation(name)
    if operation.inbound:
        return None
    key = operation.key or (operation.echoes[0] if operation.echoes else None)
    state = _state(operation)
    acts = operation.acts_on is not None
    write = operation.key is not None and not acts
    if key is None or not (write or acts or (state is not None and final_states(name))):
        return None
    kind = _kind(operation)
    gateway_id = path_of(operation.gateway_id) if operation.gateway_id is not None else None
    since = next((back.since for _, back in _given_back() if back.operation == name), None)
    return SubjectSpec(
        facts=facts_of(name),
        kind=kind,
        ignores_case=ignores_case(operation),
        write=write,
        acts=acts,
        key=key,
        asked=operation.payload_paths[0],
        answered=operation.payload_paths[1],
        state=state,
        amount=None if acts else operation.amount,
        refs=tuple(map(_ref, operation.gives_back)),
        always=not any(one.write and _kind(one) == kind for one in _operations()),
        token=gateway_id if write and kind in PAID else None,
        alias=gateway_id[-1] if gateway_id is not None and kind in ALIASED else None,
        began=None if since is None else path_of(since),
        states=_states_of(operation),
        final=final_states(name),
    )


def _ref(back: GivesBack) -> RefSpec:
    return RefSpec(
        back.operation,
        ignores_case(CONTRACT.operation(back.operation)),
        None if back.key is None else path_of(back.key),
        None if back.gateway_id is None else path_of(back.gateway_id),
    )


@cache
def final_states(name: str) -> frozenset[str]:
    """Return the states in an operation's response that only the contract's moves lead out of [3]."""
    states = _set_of(CONTRACT.operation(name)) if name in CONTRACT.operations() else None
    return ending(states) if states else frozenset()


def ending(states: str) -> frozenset[str]:
    """Return the states of a set that only the contract's moves lead out of, if any."""
    return frozenset(CONTRACT.set(states).ends)


@cache
def states_of(kind: str) -> str | None:
    """Return the name of the set of states of a kind of subject; None for one without states."""
    if kind in CONTRACT.sets():
        return kind
    if kind not in CONTRACT.operations():
        return None
    operation = CONTRACT.operation(kind)
    if operation.state is None:  # no notification: the state is in the response
        return _set_of(operation)
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
