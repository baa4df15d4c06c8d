"""Check operations: versions, keys, resolution, codes of success and refusal, and shared paths."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen import naming
from paywright_codegen.lint.money import complaints as money_complaints
from paywright_codegen.lint.money import lint_seen
from paywright_codegen.lint.notifications import complaints as notification_complaints
from paywright_codegen.literals import is_text, objection
from paywright_codegen.lookup import each_echo, member, payload, payload_member, query_of, root_member
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Struct
from paywright_codegen.problems import Complaints, Problem, meant, problems_of


def lint_operations(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of all operations."""
    for operation in contract.operations.values():
        complaints = (
            *_versions(contract, operation),
            *_write(contract, operation),
            *_shown(contract, operation),
            *_answers(contract, operation),
            *notification_complaints(contract, operation),
            *money_complaints(contract, operation),
        )
        yield from problems_of(operation, f"`{operation.name}` ", complaints)
    for name, (_, place) in contract.versions.items():
        if name not in contract.operations:
            do = f"{meant(name, contract.operations)}remove it, or correct the name"
            yield Problem(place, f"`{name}` has a version and is not an operation", do)
    yield from _addresses(contract)
    yield from lint_seen(contract)


def _versions(contract: Contract, operation: Operation) -> Complaints:
    known = contract.versions.get(operation.name)
    if operation.version is None and not operation.inbound and contract.versions:
        yield "version", "has no version", "write `version:`"
    elif operation.version is not None and known is None:
        yield "version", f"has version {operation.version}, and `versions:` does not list it", "add it there"
    if known is not None and known[0] != operation.version:
        yield "version", f"has version {operation.version}, and {known[1]} says {known[0]}", "correct one of them"


def _wires(message: MessageSpec) -> list[str]:
    """Return the names of the fields of the operation itself in a message."""
    return [field.wire for field in (message.data or message.root).fields]


def _write(contract: Contract, operation: Operation) -> Complaints:
    key, resolution = operation.key, operation.resolution
    if key is not None:
        field = payload(operation.asks, key)
        if field is None:
            do = f"{meant(key, _wires(operation.asks))}name one of its fields"
            yield "key", f"has the key `{key}`, which is not a field of its request", do
        elif not field.required:
            yield "key", f"has the key `{key}`, which its request may leave out", "mark the field with `!`"
        if resolution is None:
            do = "write `resolved by:`, or `resolved by: nothing`"
            yield "key", "is a write and does not say how an unknown outcome is settled", do
    elif resolution is not None or operation.repeats:
        said = "repeats" if resolution is None else "resolved by"
        yield said, "is not a write, and speaks of repeated or unknown ones", "write `key:`, or remove the line"
    if resolution is None or resolution.operation is None:
        return
    query = contract.operations.get(resolution.operation)
    if query is None:
        do = f"{meant(resolution.operation, contract.operations)}name a query"
        yield "resolved by/query", f"is resolved by `{resolution.operation}`, which is not an operation", do
    elif query.key is not None or query.inbound:
        yield "resolved by/query", f"is resolved by `{query.name}`, which is not a query", "name an operation without a key"
    elif resolution.by is None or payload(query.asks, resolution.by) is None:
        yield "resolved by/query", f"is resolved by `{resolution.by}`, which is not a field of `{query.name}`", "name a field of its request"
    elif resolution.done is not None:
        wire, values = resolution.done
        state = payload(query.answers, wire)
        if state is None or not state.required:
            yield "resolved by/done when", f"is done by `{wire}`, which `{query.name}` need not answer", "name a required field of its answer"
        else:
            for value in values:
                why = objection(contract, state, value)
                if why is not None:
                    yield "resolved by/done when", f"is done when `{wire}` is {value}, and that {why}", "correct the value"
    if resolution.done is None:
        for other in contract.operations.values():
            if other.name == operation.name:
                break  # the first operation needs none: the query shows its values
            settled = other.resolution
            if settled is not None and settled.operation == resolution.operation and other.post != operation.post:
                what = (
                    f"is settled by `{resolution.operation}`, which shows the key as soon as `{other.name}` took effect"
                )
                yield "resolved by/query", what, "say by which state it took effect itself: `done when: FIELD in A B`"
    limit = contract.limits.get(resolution.placed_again_after or "")
    if resolution.placed_again_after is not None and (limit is None or limit.seconds is None):
        what = f"is placed again after `{resolution.placed_again_after}`, which is not a span of time in `limits:`"
        spans = (name for name, known in contract.limits.items() if known.seconds is not None)
        yield "resolved by/placed again after", what, f"{meant(resolution.placed_again_after, spans)}name one, such as not-exist-interval"


def _shown(contract: Contract, operation: Operation) -> Complaints:
    if operation.shows and operation.key is None:
        yield "shows", "is not a write, and says `shows:`", "remove the line"
    query = query_of(contract, operation)
    answers = [operation.answers] if query is None else [operation.answers, query.answers]
    names = [naming.variable("_".join(shown.asked)) for shown in operation.shows]
    for shown, name in zip(operation.shows, names, strict=True):
        if names.count(name) > 1 or name == "error" or shown.wire == operation.key:
            what = f"shows `{shown.wire}`, for which its resolver has no argument: the name is taken"
            yield "shows", what, "name it once, and leave the key to `echoes:`"
        asked = member(contract, operation.asks, shown.asked)
        if asked is None or asked.type.array or asked.type.kind in ("struct", "object", "boolean"):
            yield "shows", f"shows `{shown.wire}`, which is not a text or number of its request", "name one of its fields"
        if not any(member(contract, message, shown.answered) for message in answers):
            what = f"shows `{'.'.join(shown.answered)}`, which is not a field of its answer, nor of its query's"
            known = [wire for message in answers for wire in _wires(message)]
            yield "shows", what, f"{meant(shown.answered[-1], known)}name a field of one of them"


def _elements(contract: Contract, message: MessageSpec, wire: str) -> Struct | None:
    listed = payload(message, wire)
    return contract.structs.get(listed.type.name) if listed is not None and listed.type.array else None


def _asked_among(contract: Contract, operation: Operation, wire: str, name: str) -> bool:
    """Return whether a request has a list of texts, or one whose elements have the field."""
    listed, each = payload(operation.asks, wire), _elements(contract, operation.asks, wire)
    if each is not None:
        return each.field(name) is not None
    return listed is not None and listed.type.array and is_text(listed)


def _answers(contract: Contract, operation: Operation) -> Complaints:
    for wire in operation.echoes:
        for message in operation.messages:
            if payload_member(contract, message, (wire,))[1] is None:
                do = f"{meant(wire, _wires(message))}name a field of both messages"
                yield "echoes", f"echoes `{wire}`, which is not a field of its {message.role}", do
    for said in operation.each_echoes:
        path = said.partition(" in ")[0]
        elements, name, among = each_echo(said)
        each = _elements(contract, operation.answers, elements)
        if each is None or each.field(name) is None:
            do = f"{meant(name, () if each is None else (one.wire for one in each.fields))}write LIST.FIELD"
            yield "each echoes", f"has `{path}` under `each echoes:`, which is not a field of a list of its answer", do
        elif not among and payload(operation.asks, name) is None and operation.asks.root.field(name) is None:
            yield "each echoes", f"has `{path}` under `each echoes:`, and its request has no `{name}`", "name a field of both"
        elif among and not _asked_among(contract, operation, among, name):
            do = f"{meant(among, _wires(operation.asks))}name a list of its request"
            yield "each echoes", f"has `{said}` under `each echoes:`, and `{among}` is no list with `{name}` or of texts", do
    if operation.when is not None:
        yield from _equation(contract, operation.asks, operation.when, "when", "is recognised by")
    if operation.succeeds is None:
        if not operation.inbound:
            yield "succeeds", "does not say which answer means yes", "write `succeeds: FIELD is VALUE` here or in its envelope"
        return
    if operation.inbound:  # what the gateway tells, and not what the merchant answers
        yield from _equation(contract, operation.asks, operation.succeeds, "succeeds", "succeeds when")
        return
    yield from _equation(contract, operation.answers, operation.succeeds, "succeeds", "succeeds when")
    at = operation.message
    told = None if at is None else root_member(contract, operation.answers, at)
    if at is not None and (told is None or not is_text(told) or told.type.array):
        what = f"has `message: {at}` in its envelope, and that is not a text of its answer"
        yield "message", what, "name a text of the whole answer, such as `msg` or `result.words`"
    field = root_member(contract, operation.answers, operation.succeeds[0])
    groups = (("refuses", operation.refuses), ("repeats", operation.repeats), ("absent", operation.absent))
    for code in operation.stale:
        if code not in operation.refuses:
            yield f"stale: {code}", f"has {code} under `stale:` of its envelope and not under `refuses:`", "add it there: nothing happened"
    seen = {operation.succeeds[1]: "succeeds"}
    for name, codes in groups:
        for code in codes:
            if seen.setdefault(code, name) != name:
                yield f"{name}: {code}", f"has {code} under `{name}:` and under `{seen[code]}:`", "keep one"
            why = None if field is None else objection(contract, field, code)
            if why is not None:
                yield f"{name}: {code}", f"has {code} under `{name}:`, and that {why}", "correct the code"


def _equation(contract: Contract, message: MessageSpec, equation: tuple[str, str], key: str, how: str) -> Complaints:
    wire, value = equation
    field = root_member(contract, message, wire)
    if field is None:
        yield key, f"{how} `{wire}`, which is not a field of its {message.role}", "name a field of the whole message"
        return
    why = objection(contract, field, value)
    if why is not None:
        yield key, f"{how} `{wire}` is {value}, and that {why}", "correct the value"


def _addresses(contract: Contract) -> Iterator[Problem]:
    """Check that operations at one path can be told apart: calls by a fixed value, notifications by `when`."""
    shared: dict[tuple[bool, str], list[Operation]] = {}
    for operation in contract.operations.values():
        if operation.post is not None:
            shared.setdefault((operation.inbound, operation.post), []).append(operation)
    for (inbound, post), operations in shared.items():
        for operation in operations:
            others = [other for other in operations if other is not operation]
            for other in others:
                apart = _when_differs(operation, other) if inbound else _fixed_differs(operation, other)
                if not apart:
                    what = f"`{operation.name}` shares {post} with `{other.name}`, and nothing tells them apart"
                    do = (
                        "write `when: FIELD is VALUE`"
                        if inbound
                        else "give both a field with `is`, of different values"
                    )
                    yield Problem(operation.at("post"), what, do)
                    break


def _when_differs(one: Operation, other: Operation) -> bool:
    if one.when is None:
        return False
    return other.when is None or (one.when[0] == other.when[0] and one.when[1] != other.when[1])


def _fixed_differs(one: Operation, other: Operation) -> bool:
    pairs = [(one.asks.root, other.asks.root)]
    if one.asks.data is not None and other.asks.data is not None:
        pairs.append((one.asks.data, other.asks.data))
    for mine, theirs in pairs:
        for field in mine.fields:
            same = theirs.field(field.wire)
            if field.fixed and same is not None and same.fixed and field.values != same.values:
                return True
    return False
