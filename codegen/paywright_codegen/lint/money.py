"""Check what operations say about money: amounts, ids, what a refund gives back, lists, notifications seen elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen.lint.members import (
    NUMBER,
    SPELT_ONCE,
    TEXT,
    is_single_text,
    named,
    near,
    query_named,
    span_named,
    told,
)
from paywright_codegen.lookup import amount_message, is_state, settled_by
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Amount, GivesBack, Listed, Operation
from paywright_codegen.problems import Complaints, Problem, meant, problems_of

__all__ = ["complaints", "lint_seen"]

_COMPARED = (TEXT._replace(do="name one of its fields"), SPELT_ONCE)


def complaints(contract: Contract, operation: Operation) -> Complaints:
    """Yield the complaints about these keys of an operation."""
    asks, shows = operation.asks, operation.asks if operation.inbound else operation.answers
    if operation.amount is not None:
        yield from _amount(contract, operation, operation.amount)
    if operation.gateway_id is not None:
        struct = told(contract, shows)
        yield from named(
            contract, "gateway id", "has the gateway id", struct, operation.gateway_id, shows.role, *_COMPARED
        )
    if operation.about is not None:
        query, key = operation.about
        yield from named(contract, "about", f"is about `{query}` by", told(contract, asks), key, asks.role, *_COMPARED)
        yield from query_named(contract, "about", "is about", query, shows_state=True)
        if asks.role != "notification":
            yield "about", "is not a notification, and says `about:`", "remove the line"
    if operation.into:
        yield from named(contract, "into", "is paid into", told(contract, asks), operation.into, asks.role, *_COMPARED)
    if operation.acts_on is not None:
        if operation.key is None:
            yield "acts on", "is not a write, and says `acts on:`", "write `key:`, or remove the line"
        yield from query_named(contract, "acts on", "acts on", operation.acts_on)
    if operation.gives_back and (operation.key is None or operation.amount is None):
        lacks = "key" if operation.key is None else "amount"
        yield "gives back", f"gives back money, and has no `{lacks}:`", f"write `{lacks}:`, or remove the line"
    for back in operation.gives_back:
        yield from _gives_back(contract, operation, back)
    for listed in operation.lists:
        yield from _listed(contract, operation, listed)


def _amount(contract: Contract, operation: Operation, amount: Amount) -> Complaints:
    message = amount_message(operation)
    struct = told(contract, message)
    yield from named(contract, "amount", "has the amount", struct, amount.member, message.role, NUMBER)
    yield from named(contract, "amount", "has the currency", struct, amount.currency, message.role, *_COMPARED)
    decides = operation.decides
    if decides is not None and decides.amount is not None and amount.member != (decides.amount,):
        what = f"has the amount `{'.'.join(amount.member)}`, and decides by `{decides.amount}`"
        yield "amount", what, "name the same member in both"


def _gives_back(contract: Contract, operation: Operation, back: GivesBack) -> Complaints:
    at, asked = f"gives back/{back.operation}", told(contract, operation.asks)
    for said, name in (("key", back.key), ("gateway id", back.gateway_id)):
        if name is not None:
            yield from named(contract, f"{at}/{said}", "gives back by", asked, (name,), "request", *_COMPARED)
    target = contract.operations.get(back.operation)
    if target is None:
        do = f"{meant(back.operation, contract.operations)}name a query or a notification"
        yield at, f"gives back of `{back.operation}`, which is not an operation", do
        return
    why = "is a write" if target.key is not None else "does not say which member is its amount"
    if target.key is not None or target.amount is None:
        what = f"gives back of `{target.name}`, which {why}"
        yield at, what, "name a query or a notification, and write its `amount:`"
    if target.inbound and back.key is not None:
        what = f"gives back of the notification `{target.name}` by `key: {back.key}`"
        yield f"{at}/key", what, f"write `gateway id: {back.key}`"
    if back.gateway_id is not None and all(one.gateway_id is None for one in (target, *settled_by(contract, target))):
        what = f"gives back of `{target.name}` by the id `{back.gateway_id}`, and nothing shows that id"
        yield f"{at}/gateway id", what, "write `gateway id:` where it is shown: in the notification, or in the write that makes it"
    if back.within is not None:
        yield from span_named(contract, f"{at}/within", "gives back within", back.within, "refund-window")
        message = target.asks if target.inbound else target.answers
        field = told(contract, message).field(back.since or "")
        if not is_single_text(field) or (field is not None and field.also is not None):
            what = f"counts from `{back.since}` of `{target.name}`, which is not a text of its {message.role}"
            yield f"{at}/within", what, f"{near(told(contract, message), back.since or '')}name one of its fields"


def _listed(contract: Contract, operation: Operation, listed: Listed) -> Complaints:
    answer = told(contract, operation.answers)
    items = answer.field(listed.items)
    element = contract.structs.get(items.type.name) if items is not None and items.type.array else None
    if element is None:
        what = f"lists `{listed.items}`, which is not an array of objects of its answer"
        yield "lists", what, f"{near(answer, listed.items)}name one of its fields"
        return
    if not is_single_text(element.field(listed.key)):
        do = f"{near(element, listed.key)}name a text of `{element.name}`"
        yield "lists", f"lists `{listed.items}` by `{listed.key}`, which is not a text of its elements", do
    states = [field for field in element.fields if is_state(contract, field) and not field.type.array]
    if len(states) != 1:
        number = "no state" if not states else "several states"
        yield "lists", f"lists `{listed.items}`, whose elements have {number}", "remove it, or give them one state"


def lint_seen(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of notifications that were seen elsewhere."""
    shown = {one.when[1]: one for one in contract.operations.values() if one.inbound and one.when is not None}
    fields = {field.wire for struct in contract.all_structs() for field in struct.fields}
    for each in contract.seen.values():
        found = [*query_named(contract, "about", "is about", each.about, shows_state=True)]
        if not shown:
            found.append(("", "cannot be told from others", "show a notification with `when:`"))
        if each.kind in shown:
            found.append(("", f"is shown as `{shown[each.kind].name}`", "remove it here"))
        if each.address not in fields:
            do = f"{meant(each.address, fields)}name a field of a message"
            found.append(("address", f"is sent to `{each.address}`, which no message has", do))
        yield from problems_of(each, f"the notification `{each.kind}` ", found)
