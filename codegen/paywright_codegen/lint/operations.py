"""Check operations: versions, what their keys name, codes of success and refusal, money, and shared paths."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen import lookup, naming
from paywright_codegen.lint import members
from paywright_codegen.lint.notifications import complaints as notification_complaints
from paywright_codegen.literals import is_text, objection
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import GivesBack, Listed, MessageSpec, Operation, Resolution
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Struct
from paywright_codegen.problems import Complaints, Problem, meant, problems_of

_OF_BOTH = members.FIELD._replace(do="name a field of both messages")
_TEXT_OF_BOTH = members.TEXT._replace(is_not="is not a text in its {role}", do="name a text of both messages")


def lint_operations(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of all operations."""
    checks = (_version, _write, _references, _shown, _repeated, _answers, _money, notification_complaints)
    for operation in contract.operations.values():
        complaints = (one for check in checks for one in check(contract, operation))
        yield from problems_of(operation, f"`{operation.name}` ", complaints)
    yield from _addresses(contract)


def _version(contract: Contract, operation: Operation) -> Complaints:
    others = any(one.version is not None for one in contract.operations.values())
    if operation.version is None and not operation.inbound and others:
        yield "version", "has no version", "write `version:`"


def _references(contract: Contract, operation: Operation) -> Complaints:
    """Yield why a member or a query that a key names is not what the key needs."""
    asks, shows, amount = operation.asks, operation.asks if operation.inbound else operation.answers, operation.amount
    member, currency = (None, None) if amount is None else (amount.member, amount.currency)
    rows: list[tuple[str, str, MessageSpec, str | Path | None, tuple[members.Wanted, ...]]] = [
        ("key", "has the key", asks, operation.key, (members.FIELD, members.GIVEN, members.ANY_TEXT._replace(do="make it a string"), members.OURS)),
        ("amount", "has the amount", lookup.amount_message(operation), member, (members.NUMBER,)),
        ("amount", "has the currency", lookup.amount_message(operation), currency, members.COMPARED),
        ("gateway id", "has the gateway id", shows, operation.gateway_id, members.COMPARED),
        ("into", "is paid into", asks, operation.into, members.COMPARED),
        *(("echoes", "echoes", message, wire, (_OF_BOTH, _TEXT_OF_BOTH, members.SPELT_ONCE))
          for wire in operation.echoes for message in operation.messages),
        *(("shows", "shows", asks, shown.asked, (members.PLAIN,)) for shown in operation.shows),
        *((f"gives back/{back.operation}/{said}", "gives back by", asks, name, members.COMPARED)
          for back in operation.gives_back for said, name in (("key", back.key), ("gateway id", back.gateway_id))),
    ]  # fmt: skip
    if operation.about is not None:
        query, key = operation.about
        rows.append(("about", f"is about `{query}` by", asks, key, members.COMPARED))
        yield from members.query_named(contract, "about", "is about", query, shows_state=True)
    if operation.acts_on is not None:
        yield from members.query_named(contract, "acts on", "acts on", operation.acts_on)
    for at, said, message, path, wanted in rows:
        if path:
            yield from members.named(contract, at, said, message, (path,) if isinstance(path, str) else path, *wanted)


def _write(contract: Contract, operation: Operation) -> Complaints:
    key, resolution = operation.key, operation.resolution
    no_write = "is not a write, and"
    if key is None:
        if resolution is not None or operation.repeats:
            said = "repeats" if resolution is None else "resolved by"
            yield said, f"{no_write} speaks of repeated or unknown ones", "write `key:`, or remove the line"
        if operation.shows:
            yield "shows", f"{no_write} says `shows:`", "remove the line"
        if operation.acts_on is not None:
            yield "acts on", f"{no_write} says `acts on:`", "write `key:`, or remove the line"
    elif naming.variable(key) == "error":
        yield "key", "has the key `error`, and its resolver's error has that name", "give the key another name"
    if key is not None and resolution is None:
        do = "write `resolved by:`, or `resolved by: nothing`"
        yield "key", "is a write and does not say how an unknown outcome is settled", do
    if resolution is not None and resolution.operation is not None:
        yield from _resolved(contract, operation, resolution, resolution.operation)
    if operation.answers.result is None and not operation.inbound:
        yield "response", "is answered by something without a name", "give the answer a type of its own"


def _resolved(contract: Contract, operation: Operation, resolution: Resolution, name: str) -> Complaints:
    at, done, by = "resolved by/query", resolution.done, resolution.by or ""
    query = yield from members.query_named(contract, at, "is resolved by", name)
    if query is not None:
        if lookup.told(contract, query.asks).field(by) is None:
            yield at, f"is resolved by `{by}`, which is not a field of `{name}`", "name a field of its request"
        if done is not None:
            when = "resolved by/done when"
            answered = members.FIELD._replace(is_not=f"is not a field of the answer of `{name}`")
            wanted = (answered, members.ANY_TEXT, members.SPELT_ONCE)
            state = yield from members.named(contract, when, "is done by", query.answers, (done[0],), *wanted)
            for value in done[1] if state is not None else ():
                yield from members.value_named(contract, when, f"is done when `{done[0]}` is", state, value)
        if operation.key is not None:
            names = [naming.variable(operation.key), "error", "self"]
            others = yield from members.asked_by(contract, query, by, "resolve", names)
            for shown in operation.shows:
                if naming.content_argument(shown) in (names[0], *others):
                    yield "shows", f"shows `{shown.wire}`{_NO_ARGUMENT}", "rename one of them"
    earlier = [*contract.operations.values()]
    # The first operation needs no state: the query shows its values.
    for other in earlier[: [one.name for one in earlier].index(operation.name)] if done is None else ():
        if other.resolution is not None and other.resolution.operation == name and other.post != operation.post:
            what = f"is settled by `{name}`, which shows the key as soon as `{other.name}` took effect"
            yield at, what, "say by which state it took effect itself: `done when: FIELD in A B`; or `resolved by: nothing`"
    after = resolution.placed_again_after
    if after is not None:
        said = "placed again after"
        yield from members.span_named(contract, f"resolved by/{said}", f"is {said}", after, "not-exist-interval")


_NO_ARGUMENT = ", for which its resolver has no argument: the name is taken"


def _shown(contract: Contract, operation: Operation) -> Complaints:
    query = lookup.query_of(contract, operation)
    messages = (operation.answers, *(() if query is None else (query.answers,)))
    answers = [lookup.told(contract, message) for message in messages]
    names = [naming.content_argument(shown) for shown in operation.shows]
    for shown, name in zip(operation.shows, names, strict=True):
        if names.count(name) > 1 or name == "error" or shown.wire == operation.key:
            yield "shows", f"shows `{shown.wire}`{_NO_ARGUMENT}", "name it once, and leave the key to `echoes:`"
        fields = (lookup.field_at(contract, struct, shown.answered) for struct in answers)
        found = [field for field in fields if field is not None]
        said = f"shows `{'.'.join(shown.answered)}`"
        if not found:
            known = [field.wire for struct in answers for field in struct.fields]
            do = f"{meant(shown.answered[-1], known)}name a field of one of them"
            yield "shows", f"{said}, which is not a field of its answer, nor of its query's", do
        for field in found:
            yield from members.fits(contract, "shows", said, field, members.SPELT_ONCE)


def _elements(contract: Contract, message: MessageSpec, wire: str) -> Struct | None:
    listed = lookup.told(contract, message).field(wire)
    return contract.structs.get(listed.type.name) if listed is not None and listed.type.array else None


def _repeated(contract: Contract, operation: Operation) -> Complaints:
    request = lookup.told(contract, operation.asks)
    for said in operation.each_echoes:
        at, path, has = "each echoes", said.partition(" in ")[0], f"has `{said}` under `each echoes:`"
        elements, name, among = lookup.each_echo(said)
        each, others = _elements(contract, operation.answers, elements), _elements(contract, operation.asks, among)
        answered = None if each is None else each.field(name)
        listed, asked = request.field(among), request.field(name)
        is_texts = listed is not None and listed.type.array and is_text(listed)
        if answered is None:
            what = f"has `{path}` under `each echoes:`, which is not a field of a list of its answer"
            yield at, what, f"{members.near(each, name)}write LIST.FIELD"
        elif not among and asked is None and operation.asks.root.field(name) is None:
            yield at, f"has `{path}` under `each echoes:`, and its request has no `{name}`", "name a field of both"
        elif among and not (is_texts if others is None else others.field(name) is not None):
            what = f"{has}, and `{among}` is no list with `{name}` or of texts"
            yield at, what, f"{members.near(request, among)}name a list of its request"
        compared = others.field(name) if others is not None else asked if not among else None
        for field in filter(None, (compared, answered)):
            wanted = (members.ANY_TEXT._replace(do="name a text of both"), members.SPELT_ONCE)
            yield from members.fits(contract, at, has, field, *wanted)


def _answers(contract: Contract, operation: Operation) -> Complaints:
    # what the gateway tells, and not what the merchant answers
    says = operation.asks if operation.inbound else operation.answers
    equations = (
        ("when", "is recognised by", operation.asks, operation.when),
        ("succeeds", "succeeds when", says, operation.succeeds),
    )
    for key, how, message, equation in equations:
        if equation is None:
            continue
        told_in = lookup.root_member(contract, message, equation[0])
        if told_in is None:
            what = f"{how} `{equation[0]}`, which is not a field of its {message.role}"
            yield key, what, "name a field of the whole message"
            continue
        yield from members.value_named(contract, key, f"{how} `{equation[0]}` is", told_in, equation[1])
        said = f"has `{key}:` with `{told_in.wire}`"
        yield from members.fits(contract, key, said, told_in, members.ANY_TEXT, members.SPELT_ONCE)
    if operation.inbound:
        return
    if operation.succeeds is None:
        yield "succeeds", "does not say which answer means yes", "write `succeeds: FIELD is VALUE` here or in its envelope"
        return
    words = None if operation.message is None else lookup.root_member(contract, operation.answers, operation.message)
    if operation.message is not None and not members.is_single_text(words):
        what = f"has `message: {operation.message}` in its envelope, and that is not a text of its answer"
        yield "message", what, "name a text of the whole answer, such as `msg` or `result.words`"
    field = lookup.root_member(contract, operation.answers, operation.succeeds[0])
    for code in operation.stale:
        if code not in operation.refuses:
            yield f"stale: {code}", f"has {code} under `stale:` of its envelope and not under `refuses:`", "add it there: nothing happened"
    seen = {operation.succeeds[1]: "succeeds"}
    groups = (("refuses", operation.refuses), ("repeats", operation.repeats), ("absent", operation.absent))
    for name, code in ((name, code) for name, codes in groups for code in codes):
        if seen.setdefault(code, name) != name:
            yield f"{name}: {code}", f"has {code} under `{name}:` and under `{seen[code]}:`", "keep one"
        why = None if field is None else objection(contract, field, code)
        if why is not None:
            yield f"{name}: {code}", f"has {code} under `{name}:`, and that {why}", "correct the code"


def _money(contract: Contract, operation: Operation) -> Complaints:
    amount, decides = operation.amount, operation.decides
    if amount is not None and decides is not None and decides.amount is not None and amount.member != (decides.amount,):
        what = f"has the amount `{'.'.join(amount.member)}`, and decides by `{decides.amount}`"
        yield "amount", what, "name the same member in both"
    if operation.about is not None and operation.asks.role != "notification":
        yield "about", "is not a notification, and says `about:`", "remove the line"
    if operation.gives_back and (operation.key is None or amount is None):
        lacks = "key" if operation.key is None else "amount"
        yield "gives back", f"gives back money, and has no `{lacks}:`", f"write `{lacks}:`, or remove the line"
    for back in operation.gives_back:
        yield from _gives_back(contract, back)
    for listed in operation.lists:
        yield from _listed(contract, operation, listed)


def _gives_back(contract: Contract, back: GivesBack) -> Complaints:
    at, target = f"gives back/{back.operation}", contract.operations.get(back.operation)
    if target is None:
        do = f"{meant(back.operation, contract.operations)}name a query or a notification"
        yield at, f"gives back of `{back.operation}`, which is not an operation", do
        return
    of = f"gives back of `{target.name}`"
    if target.write or target.amount is None:
        why = "is a write" if target.write else "does not say which member is its amount"
        yield at, f"{of}, which {why}", "name a query or a notification, and write its `amount:`"
    if target.inbound and back.key is not None:
        what = f"gives back of the notification `{target.name}` by `key: {back.key}`"
        yield f"{at}/key", what, f"write `gateway id: {back.key}`"
    shows = (target, *lookup.settled_by(contract, target))
    if back.gateway_id is not None and all(one.gateway_id is None for one in shows):
        what = f"{of} by the id `{back.gateway_id}`, and nothing shows that id"
        yield f"{at}/gateway id", what, "write `gateway id:` where it is shown: in the notification, or in the write that makes it"
    if back.within is not None:
        yield from members.span_named(contract, f"{at}/within", "gives back within", back.within, "refund-window")
        message, since = target.asks if target.inbound else target.answers, back.since or ""
        field = lookup.told(contract, message).field(since)
        if not members.is_single_text(field) or (field is not None and field.also is not None):
            what = f"counts from `{since}` of `{target.name}`, which is not a text of its {message.role}"
            yield f"{at}/within", what, f"{members.near(lookup.told(contract, message), since)}name one of its fields"


def _listed(contract: Contract, operation: Operation, listed: Listed) -> Complaints:
    element = _elements(contract, operation.answers, listed.items)
    if element is None:
        what = f"lists `{listed.items}`, which is not an array of objects of its answer"
        yield "lists", what, f"{members.near(lookup.told(contract, operation.answers), listed.items)}name one of its fields"
        return
    if not members.is_single_text(element.field(listed.key)):
        do = f"{members.near(element, listed.key)}name a text of `{element.name}`"
        yield "lists", f"lists `{listed.items}` by `{listed.key}`, which is not a text of its elements", do
    states = [field for field in element.fields if lookup.is_state(contract, field) and not field.type.array]
    if len(states) != 1:
        number = "no state" if not states else "several states"
        yield "lists", f"lists `{listed.items}`, whose elements have {number}", "remove it, or give them one state"


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
    mine, theirs = one.when, other.when
    return mine is not None and (theirs is None or (mine[0] == theirs[0] and mine[1] != theirs[1]))


def _fixed_differs(one: Operation, other: Operation) -> bool:
    pairs = [(one.asks.root, other.asks.root)]
    if one.asks.data is not None and other.asks.data is not None:
        pairs.append((one.asks.data, other.asks.data))
    return any(
        field.fixed and (same := theirs.field(field.wire)) is not None and same.fixed and field.values != same.values
        for mine, theirs in pairs
        for field in mine.fields
    )
