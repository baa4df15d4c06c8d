"""Check what operations say about money: amounts, ids, what a refund gives back, lists, notifications seen elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from paywright_codegen.lint.asking import single_text
from paywright_codegen.lookup import amount_message, is_state, payload_member, payload_struct, settled_by
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Amount, GivesBack, Listed, MessageSpec, Operation, SeenNotification
from paywright_codegen.model.rules import Path
from paywright_codegen.problems import Complaints, Problem, meant, problems_of
from paywright_codegen.python_types import kind

__all__ = ["complaints", "lint_seen"]


def complaints(contract: Contract, operation: Operation) -> Complaints:
    """Yield the complaints about these keys of an operation."""
    if operation.amount is not None:
        yield from _amount(contract, operation, operation.amount)
    if operation.gateway_id is not None:
        message = operation.asks if operation.inbound else operation.answers
        why = _no_text(contract, message, operation.gateway_id)
        if why is not None:
            said = ".".join(operation.gateway_id)
            yield "gateway id", f"has the gateway id `{said}`, which {why}", _near(
                contract, message, operation.gateway_id
            )
    if operation.about is not None:
        query, key = operation.about
        why = _no_text(contract, operation.asks, key)
        if why is not None:
            what = f"is about `{query}` by `{'.'.join(key)}`, which {why}"
            yield "about", what, _near(contract, operation.asks, key)
        yield from _about(contract, query)
        if operation.asks.role != "notification":
            yield "about", "is not a notification, and says `about:`", "remove the line"
    yield from _acts_on(contract, operation)
    yield from _gives_back(contract, operation)
    for listed in operation.lists:
        yield from _listed(contract, operation, listed)


def _amount(contract: Contract, operation: Operation, amount: Amount) -> Complaints:
    message = amount_message(operation)
    number = payload_member(contract, message, amount.member)[1]
    said = ".".join(amount.member)
    if number is None or number.type.array or kind(contract, number) not in ("number", "decimal") or number.also:
        what = f"has the amount `{said}`, which is not a number or decimal text of its {message.role}"
        yield "amount", what, _near(contract, message, amount.member)
    if _no_text(contract, message, amount.currency) is not None:
        what = f"has the currency `{'.'.join(amount.currency)}`, which is not a text of its {message.role}"
        yield "amount", what, _near(contract, message, amount.currency)
    decides = operation.decides
    if decides is not None and decides.amount is not None and amount.member != (decides.amount,):
        yield "amount", f"has the amount `{said}`, and decides by `{decides.amount}`", "name the same member in both"


def _acts_on(contract: Contract, operation: Operation) -> Complaints:
    if operation.acts_on is None:
        return
    query = contract.operations.get(operation.acts_on)
    if operation.key is None:
        yield "acts on", "is not a write, and says `acts on:`", "write `key:`, or remove the line"
    if query is None:
        do = f"{meant(operation.acts_on, contract.operations)}name a query"
        yield "acts on", f"acts on `{operation.acts_on}`, which is not an operation", do
    elif query.key is not None or query.inbound:
        yield "acts on", f"acts on `{query.name}`, which is not a query", "name an operation without a key"


def _gives_back(contract: Contract, operation: Operation) -> Complaints:
    if operation.gives_back and (operation.key is None or operation.amount is None):
        lacks = "key" if operation.key is None else "amount"
        yield "gives back", f"gives back money, and has no `{lacks}:`", f"write `{lacks}:`, or remove the line"
    for back in operation.gives_back:
        at = f"gives back/{back.operation}"
        for said, name in (("key", back.key), ("gateway id", back.gateway_id)):
            why = None if name is None else _no_text(contract, operation.asks, (name,))
            if why is not None:
                do = _near(contract, operation.asks, (name or "",))
                yield f"{at}/{said}", f"gives back by `{name}`, which {why}", do
        target = contract.operations.get(back.operation)
        if target is None:
            do = f"{meant(back.operation, contract.operations)}name a query or a notification"
            yield at, f"gives back of `{back.operation}`, which is not an operation", do
            continue
        if target.key is not None or target.amount is None:
            what = f"gives back of `{target.name}`, which " + (
                "is a write" if target.key is not None else "does not say which member is its amount"
            )
            yield at, what, "name a query or a notification, and write its `amount:`"
        if target.inbound and back.key is not None:
            what = f"gives back of the notification `{target.name}` by `key: {back.key}`"
            yield f"{at}/key", what, f"write `gateway id: {back.key}`"
        if back.gateway_id is not None and not _has_gateway_id(contract, target):
            what = f"gives back of `{target.name}` by the id `{back.gateway_id}`, and nothing shows that id"
            yield f"{at}/gateway id", what, "write `gateway id:` where it is shown: in the notification, or in the write that makes it"
        if back.within is not None:
            yield from _within(contract, target, f"{at}/within", back)


def _within(contract: Contract, target: Operation, at: str, back: GivesBack) -> Complaints:
    within, since = back.within or "", back.since or ""
    limit = contract.limits.get(within)
    if limit is None or limit.seconds is None:
        spans = (name for name, known in contract.limits.items() if known.seconds is not None)
        what = f"gives back within `{within}`, which is not a span of time in `limits:`"
        yield at, what, f"{meant(within, spans)}name one, such as refund-window"
    message = target.asks if target.inbound else target.answers
    why = _no_text(contract, message, (since,))
    if why is not None:
        yield at, f"counts from `{since}` of `{target.name}`, which {why}", _near(contract, message, (since,))


def _has_gateway_id(contract: Contract, target: Operation) -> bool:
    """Return whether an operation, or a write that it settles, shows the gateway's own id."""
    return any(one.gateway_id is not None for one in (target, *settled_by(contract, target)))


def _listed(contract: Contract, operation: Operation, listed: Listed) -> Complaints:
    items = payload_struct(contract, operation.answers)[1].field(listed.items)
    element = contract.structs.get(items.type.name) if items is not None and items.type.array else None
    if element is None:
        what = f"lists `{listed.items}`, which is not an array of objects of its answer"
        yield "lists", what, _near(contract, operation.answers, (listed.items,))
        return
    key = element.field(listed.key)
    if not single_text(key):
        do = f"{meant(listed.key, (field.wire for field in element.fields))}name a text of `{element.name}`"
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
        complaints = (*_told_apart(each, shown), *_about(contract, each.about), *_addressed(each, fields))
        yield from problems_of(each, f"the notification `{each.kind}` ", complaints)


def _told_apart(seen: SeenNotification, shown: Mapping[str, Operation]) -> Complaints:
    if not shown:
        yield "", "cannot be told from others", "show a notification with `when:`"
    if seen.kind in shown:
        yield "", f"is shown as `{shown[seen.kind].name}`", "remove it here"


def _addressed(seen: SeenNotification, fields: set[str]) -> Complaints:
    if seen.address not in fields:
        do = f"{meant(seen.address, fields)}name a field of a message"
        yield "address", f"is sent to `{seen.address}`, which no message has", do


def _about(contract: Contract, name: str) -> Complaints:
    query = contract.operations.get(name)
    if query is None or query.inbound or query.key is not None:
        queries = (name for name, one in contract.operations.items() if not one.inbound and one.key is None)
        yield "about", f"is about `{name}`, which is not a query", f"{meant(name, queries)}name the query that shows the same"
    elif not any(is_state(contract, field) for field in payload_struct(contract, query.answers)[1].fields):
        yield "about", f"is about `{name}`, which shows no state", "name another query"


def _no_text(contract: Contract, message: MessageSpec, path: Path) -> str | None:
    """Return why a member is not a text that can be compared; None if it is one."""
    field = payload_member(contract, message, path)[1]
    if field is None or not single_text(field):
        return f"is not a text of its {message.role}"
    return "has a second spelling" if field.also is not None else None


def _near(contract: Contract, message: MessageSpec, path: Path) -> str:
    struct = payload_struct(contract, message)[1]
    return f"{meant(path[0], (field.wire for field in struct.fields))}name one of its fields"
