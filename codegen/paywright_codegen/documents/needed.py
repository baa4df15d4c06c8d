"""The members without which a message is not believed, derived from the contract: what carries identity, state or money.

Needed are numbers, amounts and their currencies; states; members that are a key or a gateway's id anywhere; those that an answer
repeats, and by which it is compared with its request; what tells what a notification is about, and which account was paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paywright_codegen.lookup import amount_message, each_echo, is_state, members_on, query_of, required_at, told
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import Struct
from paywright_codegen.python_types import kind

_Named = tuple[Struct, Sequence[str], str]
"""An object, a path into it, and what the member there is: a `key`, a `currency`, or "" for another member."""


def needed_members(contract: Contract) -> set[tuple[str, str]]:
    """Return object and name of such members, in all objects that the gateway writes. Ask for it by `once`."""
    places: set[tuple[str, str]] = set()
    keys, currencies = {one.key for one in contract.operations.values()}, set[str]()
    for struct, path, role in _named(contract):
        found = members_on(contract, struct, path)
        if found and len(found) == len(path):
            inside, field = found[-1]
            places.add((inside.name, field.wire))
            keys |= {field.wire} if role == "key" else set()
            currencies |= {field.type.name} if role == "currency" else set()
    needed: set[tuple[str, str]] = set()
    for struct in contract.reached_from(*(_payload(contract, one) for one in contract.operations.values())).values():
        for field in struct.fields:
            word, place = kind(contract, field), (struct.name, field.wire)
            own = word in ("number", "decimal") or is_state(contract, field)
            never_blank = word in ("boolean", "any") and field.required
            currency = word == "text" and field.type.kind == "format" and field.type.name in currencies
            if word != "struct" and (own or never_blank or currency or field.wire in keys or place in places):
                needed.add(place)
    return needed


def _payload(contract: Contract, operation: Operation) -> Struct:
    """Return the object with the operation's own members in an answer, a notification or a question."""
    result = operation.answers.result if not operation.inbound else None
    return _whole(contract, operation) if result is None else contract.struct_named(result)


def _whole(contract: Contract, operation: Operation) -> Struct:
    return told(contract, operation.asks if operation.inbound else operation.answers)


def _named(contract: Contract) -> Iterator[_Named]:
    """Yield the members that operations and followings name."""
    for one in contract.operations.values():
        whole, answered = _whole(contract, one), _payload(contract, one)
        query, resolution = query_of(contract, one), one.resolution
        settled = answered if query is None else _payload(contract, query)
        fields = ((path, required_at(contract, whole, path)) for path in one.once_per)
        states = [path for path, field in fields if field is not None and is_state(contract, field)][:1]
        yield from ((whole, path, "" if path in states else "key") for path in one.once_per)
        yield from ((whole, (listed.items, listed.key), "key") for listed in one.lists)
        yield whole, one.gateway_id or (), "key"
        yield whole, one.about[1] if one.about is not None else (), ""
        if one.amount is not None:
            message = told(contract, amount_message(one))
            yield from ((message, one.amount.member, ""), (message, one.amount.currency, "currency"))
        yield from ((answered, (name,), "") for name in one.echoes)
        yield from ((answered, each_echo(said)[:2], "") for said in one.each_echoes)
        yield from ((struct, shown.answered, "") for shown in one.shows for struct in (answered, settled))
        if resolution is not None:
            named = (resolution.by, resolution.done and resolution.done[0])
            yield from ((settled, (name,), "") for name in named if name)
        yield answered, one.into, ""
    for following in contract.follows.values():
        answered = _payload(contract, contract.operations[following.operation])
        yield answered, (following.by,), "key"
        yield from ((answered, path, "") for path in (following.state, following.each, following.amount))
        yield answered, following.currency, "currency"
