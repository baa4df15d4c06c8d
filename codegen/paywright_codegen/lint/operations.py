"""Check operations: versions, keys, resolution, members that answers repeat, codes of success and refusal, and shared paths."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen import naming
from paywright_codegen.lint.asking import asked_by
from paywright_codegen.lint.members import (
    FIELD,
    GIVEN,
    OURS,
    PLAIN,
    SPELT_ONCE,
    TEXT,
    fits,
    named,
    near,
    own,
    query_named,
    span_named,
    told,
    value_named,
)
from paywright_codegen.lint.money import complaints as money_complaints
from paywright_codegen.lint.money import lint_seen
from paywright_codegen.lint.notifications import complaints as notification_complaints
from paywright_codegen.literals import is_text, objection
from paywright_codegen.lookup import each_echo, field_at, payload, query_of, root_member
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation, Resolution
from paywright_codegen.model.types import Struct
from paywright_codegen.problems import Complaints, Problem, meant, problems_of

_OF_BOTH = FIELD._replace(do="name a field of both messages")
_TEXT_OF_BOTH = TEXT._replace(is_not="is not a text in its {role}", do="name a text of both messages")
_MADE_TEXT = TEXT._replace(is_not="is not a text", do="make it a string")
_ANY_TEXT = TEXT._replace(is_not="is not a text", do="name a text")


def lint_operations(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of all operations."""
    for operation in contract.operations.values():
        complaints = (
            *_versions(contract, operation),
            *_write(contract, operation),
            *_shown(contract, operation),
            *_repeated(contract, operation),
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


def _write(contract: Contract, operation: Operation) -> Complaints:
    key, resolution = operation.key, operation.resolution
    if key is None:
        if resolution is not None or operation.repeats:
            said = "repeats" if resolution is None else "resolved by"
            yield said, "is not a write, and speaks of repeated or unknown ones", "write `key:`, or remove the line"
    else:
        yield from named(
            contract, "key", "has the key", own(operation.asks), (key,), "request", FIELD, GIVEN, _MADE_TEXT, OURS
        )
        if naming.variable(key) == "error":
            yield "key", "has the key `error`, and its resolver's error has that name", "give the key another name"
        if resolution is None:
            do = "write `resolved by:`, or `resolved by: nothing`"
            yield "key", "is a write and does not say how an unknown outcome is settled", do
    if resolution is not None and resolution.operation is not None:
        yield from _resolved(contract, operation, resolution, resolution.operation)
    if operation.answers.result is None and not operation.inbound:
        yield "response", "is answered by something without a name", "give the answer a type of its own"


def _resolved(contract: Contract, operation: Operation, resolution: Resolution, name: str) -> Complaints:
    at, done, by = "resolved by/query", resolution.done, resolution.by or ""
    query = yield from query_named(contract, at, "is resolved by", name)
    if query is not None:
        if payload(query.asks, by) is None:
            yield at, f"is resolved by `{by}`, which is not a field of `{name}`", "name a field of its request"
        if done is not None:
            when, answer = "resolved by/done when", own(query.answers)
            wanted = (FIELD._replace(is_not=f"is not a field of the answer of `{name}`"), _ANY_TEXT, SPELT_ONCE)
            state = yield from named(contract, when, "is done by", answer, (done[0],), "", *wanted)
            for value in done[1] if state is not None else ():
                yield from value_named(contract, when, f"is done when `{done[0]}` is", state, value)
        if operation.key is not None:
            names = [naming.variable(operation.key), "error", "self"]
            others = yield from asked_by(contract, query, by, "resolve", names)
            for shown in operation.shows:
                if naming.variable("_".join(shown.asked)) in (names[0], *others):
                    what = f"shows `{shown.wire}`, for which its resolver has no argument: the name is taken"
                    yield "shows", what, "rename one of them"
    earlier = [*contract.operations.values()]
    # The first operation needs no state: the query shows its values.
    for other in earlier[: [one.name for one in earlier].index(operation.name)] if done is None else ():
        if other.resolution is not None and other.resolution.operation == name and other.post != operation.post:
            what = f"is settled by `{name}`, which shows the key as soon as `{other.name}` took effect"
            yield at, what, "say by which state it took effect itself: `done when: FIELD in A B`; or `resolved by: nothing`"
    if resolution.placed_again_after is not None:
        yield from span_named(
            contract,
            "resolved by/placed again after",
            "is placed again after",
            resolution.placed_again_after,
            "not-exist-interval",
        )


def _shown(contract: Contract, operation: Operation) -> Complaints:
    if operation.shows and operation.key is None:
        yield "shows", "is not a write, and says `shows:`", "remove the line"
    query = query_of(contract, operation)
    answers = [own(message) for message in (operation.answers, *(() if query is None else (query.answers,)))]
    names = [naming.variable("_".join(shown.asked)) for shown in operation.shows]
    for shown, name in zip(operation.shows, names, strict=True):
        if names.count(name) > 1 or name == "error" or shown.wire == operation.key:
            what = f"shows `{shown.wire}`, for which its resolver has no argument: the name is taken"
            yield "shows", what, "name it once, and leave the key to `echoes:`"
        yield from named(contract, "shows", "shows", own(operation.asks), shown.asked, "request", PLAIN)
        found = [field for struct in answers if (field := field_at(contract, struct, shown.answered)) is not None]
        said = f"shows `{'.'.join(shown.answered)}`"
        if not found:
            known = [field.wire for struct in answers for field in struct.fields]
            do = f"{meant(shown.answered[-1], known)}name a field of one of them"
            yield "shows", f"{said}, which is not a field of its answer, nor of its query's", do
        for field in found:
            yield from fits(contract, "shows", said, field, SPELT_ONCE)


def _elements(contract: Contract, message: MessageSpec, wire: str) -> Struct | None:
    listed = payload(message, wire)
    return contract.structs.get(listed.type.name) if listed is not None and listed.type.array else None


def _repeated(contract: Contract, operation: Operation) -> Complaints:
    for wire in operation.echoes:
        for message in operation.messages:
            wanted = (_OF_BOTH, _TEXT_OF_BOTH, SPELT_ONCE)
            yield from named(contract, "echoes", "echoes", told(contract, message), (wire,), message.role, *wanted)
    for said in operation.each_echoes:
        at, path = "each echoes", said.partition(" in ")[0]
        elements, name, among = each_echo(said)
        each = _elements(contract, operation.answers, elements)
        answered = None if each is None else each.field(name)
        listed, asked = payload(operation.asks, among), payload(operation.asks, name)
        others = _elements(contract, operation.asks, among)
        is_texts = listed is not None and listed.type.array and is_text(listed)
        if answered is None:
            what = f"has `{path}` under `each echoes:`, which is not a field of a list of its answer"
            yield at, what, f"{near(each, name)}write LIST.FIELD"
        elif not among and asked is None and operation.asks.root.field(name) is None:
            yield at, f"has `{path}` under `each echoes:`, and its request has no `{name}`", "name a field of both"
        elif among and not (is_texts if others is None else others.field(name) is not None):
            what = f"has `{said}` under `each echoes:`, and `{among}` is no list with `{name}` or of texts"
            yield at, what, f"{near(own(operation.asks), among)}name a list of its request"
        compared = others.field(name) if others is not None else asked if not among else None
        for field in (compared, answered):
            if field is not None:
                text = _ANY_TEXT._replace(do="name a text of both")
                yield from fits(contract, at, f"has `{said}` under `each echoes:`", field, text, SPELT_ONCE)


def _answers(contract: Contract, operation: Operation) -> Complaints:
    if operation.when is not None:
        yield from _equation(contract, operation.asks, operation.when, "when", "is recognised by")
    if operation.succeeds is None:
        if not operation.inbound:
            yield "succeeds", "does not say which answer means yes", "write `succeeds: FIELD is VALUE` here or in its envelope"
        return
    # what the gateway tells, and not what the merchant answers
    says = operation.asks if operation.inbound else operation.answers
    yield from _equation(contract, says, operation.succeeds, "succeeds", "succeeds when")
    if operation.inbound:
        return
    words = None if operation.message is None else root_member(contract, operation.answers, operation.message)
    if operation.message is not None and (words is None or not is_text(words) or words.type.array):
        what = f"has `message: {operation.message}` in its envelope, and that is not a text of its answer"
        yield "message", what, "name a text of the whole answer, such as `msg` or `result.words`"
    field = root_member(contract, operation.answers, operation.succeeds[0])
    for code in operation.stale:
        if code not in operation.refuses:
            yield f"stale: {code}", f"has {code} under `stale:` of its envelope and not under `refuses:`", "add it there: nothing happened"
    seen = {operation.succeeds[1]: "succeeds"}
    groups = (("refuses", operation.refuses), ("repeats", operation.repeats), ("absent", operation.absent))
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
    yield from value_named(contract, key, f"{how} `{wire}` is", field, value)
    yield from fits(contract, key, f"has `{key}:` with `{field.wire}`", field, _ANY_TEXT, SPELT_ONCE)


def _addresses(contract: Contract) -> Iterator[Problem]:
    """Check that operations at one path can be told apart: calls by a fixed value, notifications by `when`."""
    shared: dict[tuple[bool, str], list[Operation]] = {}
    for operation in contract.operations.values():
        if operation.post is not None:
            shared.setdefault((operation.inbound, operation.post), []).append(operation)
    for (inbound, post), operations in shared.items():
        differs = _when_differs if inbound else _fixed_differs
        do = "write `when: FIELD is VALUE`" if inbound else "give both a field with `is`, of different values"
        for operation in operations:
            alike = [one for one in operations if one is not operation and not differs(operation, one)]
            for other in alike[:1]:
                what = f"`{operation.name}` shares {post} with `{other.name}`, and nothing tells them apart"
                yield Problem(operation.at("post"), what, do)


def _when_differs(one: Operation, other: Operation) -> bool:
    if one.when is None:
        return False
    return other.when is None or (one.when[0] == other.when[0] and one.when[1] != other.when[1])


def _fixed_differs(one: Operation, other: Operation) -> bool:
    pairs = [(one.asks.root, other.asks.root)]
    if one.asks.data is not None and other.asks.data is not None:
        pairs.append((one.asks.data, other.asks.data))
    return any(
        field.fixed and (same := theirs.field(field.wire)) is not None and same.fixed and field.values != same.values
        for mine, theirs in pairs
        for field in mine.fields
    )
