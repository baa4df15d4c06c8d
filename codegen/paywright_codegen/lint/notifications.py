"""Check what the gateway sends by itself (recognition, effect, acknowledgement, decisions), and how items are followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from paywright_codegen import naming
from paywright_codegen.examples import Example, broken_rule
from paywright_codegen.lint.members import (
    SPELT_ONCE,
    asked_by,
    fits,
    is_single_text,
    query_named,
    span_named,
    value_named,
)
from paywright_codegen.lookup import field_at, is_state, required_at, told, write_of
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.model.operations import Decision, Operation
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Complaints, Problem, meant, problems_of


def complaints(contract: Contract, operation: Operation) -> Complaints:
    """Yield the complaints about `once per:` and `decides:`."""
    if operation.asks.role == "notification":
        yield from _once(contract, operation)
    elif operation.once_per:
        yield "once per", "is not a notification, and says `once per:`", "remove the line"
    if operation.inbound and operation.asks.role == "request":
        if operation.decides is None:
            yield "decides", "asks the merchant, and does not say how the answer decides", "write `decides:`"
        else:
            yield from _decision(contract, operation, operation.decides)
    elif operation.decides is not None:
        yield "decides", "asks nothing of the merchant, and says `decides:`", "remove the line"


def _once(contract: Contract, operation: Operation) -> Complaints:
    at, struct = "once per", told(contract, operation.asks)
    if not operation.once_per:
        yield at, "does not say what it has one effect for", "write `once per:` and the fields of its data"
        return
    if not struct.named:
        yield "notification", "tells of something without a name", "give its data a type of its own"
    states = 0
    for path in operation.once_per:
        field, said = required_at(contract, struct, path), f"is once per `{'.'.join(path)}`"
        if field is None or field.type.kind in ("struct", "object", "boolean"):
            yield at, f"{said}, which is not a required text or number of its data", "name one that always comes"
            continue
        yield from fits(contract, at, said, field, SPELT_ONCE)
        states += is_state(contract, field)
    if len(set(operation.once_per)) < len(operation.once_per):
        yield at, "names a field twice in `once per:`", "name each once"
    if states > 1:
        yield at, "is once per more than one state", "keep the one that the notification tells of"
    if states == len(operation.once_per):
        yield at, "is once per a state of nothing", "name also what the state is of"


def _decision(contract: Contract, operation: Operation, decides: Decision) -> Complaints:
    if operation.when is not None:
        what = "asks the merchant, and says `when:`, by which notifications alone are recognised"
        yield "when", what, "remove the line: a question is recognised by its address and its fields"
    struct, asked = told(contract, operation.answers), told(contract, operation.asks)
    chosen, reason = struct.field(decides.member), struct.field(decides.reason)
    for said, value in (("yes", decides.yes), ("no", decides.no)):
        yield from value_named(contract, f"decides/{said}", f"decides by `{decides.member}` being", chosen, value)
    if chosen is not None and (not is_single_text(chosen) or not chosen.required or chosen.filled):
        yield "decides/answer", f"decides by `{decides.member}`, which is not a required text", "make it a required text"
    why_not = f"gives its reason in `{decides.reason}`"
    if reason is None or reason.required or reason.type.kind != "string":
        yield "decides/why not", f"{why_not}, which is not an optional text", "name a field of its answer"
    if reason is not None and (reason.type.array or reason.filled or reason.values):
        yield "decides/why not", f"{why_not}, which is not a free text", "make it an optional string"
    for said, name in (("answer", decides.member), ("why not", decides.reason)):
        if asked.field(name) is not None:
            yield f"decides/{said}", f"answers `{name}`, which is also a field of the question", "rename one of them"
    limits = (("amount", decides.amount, asked), ("from", decides.least, struct), ("to", decides.most, struct))
    for said, limit, place in limits if decides.amount is not None else ():
        field = place.field(limit or "")
        if field is None or field.type.kind != "number":
            of = "of the question" if place is asked else "of its answer"
            yield f"decides/{said}", f"limits its decision by `{limit}`, which is not a number {of}", "name one"
    if operation.asks.result is None or not struct.named:
        at = "request" if operation.asks.result is None else "response"
        yield at, "asks and decides in messages without a name", "give both a type of their own"
    if not operation.asks.root.named:
        yield "envelope", "asks inside an envelope that has members of its own", "give it an envelope of headers alone"
    for field in struct.fields:
        repeated = asked.field(field.wire)
        if field.wire in (decides.member, decides.reason):
            continue
        if repeated is not None and (repeated.type != field.type or (field.required and not repeated.required)):
            yield field, f"repeats `{field.wire}` of the question, which is of another type there", "make both the same"
        elif repeated is None and field.required and field.type.array:
            yield field, f"must answer the array `{field.wire}` also when it refuses", "make it optional"
        elif repeated is None and field.required and field.type.kind != "number":
            what = f"must answer `{field.wire}` also when it refuses, and nothing says with what"
            yield field, what, "ask for a field of that name, or make it a number or optional"


def lint_recognition(contract: Contract) -> Iterator[Problem]:
    """Yield what no handler would get, questions that could be taken for others, and what is wrong with what was seen elsewhere."""
    inbound = [operation for operation in contract.operations.values() if operation.inbound]
    notifications = [operation for operation in inbound if operation.asks.role == "notification"]
    asked = [operation for operation in inbound if operation.decides is not None]
    members = {operation.when[0] for operation in notifications if operation.when is not None}
    for operation in notifications:
        yield from problems_of(operation, f"`{operation.name}` ", _unrecognised(contract, operation, notifications))
        yield from _acknowledged(contract, operation)
    for number, operation in enumerate(asked):
        yield from problems_of(operation, f"`{operation.name}` ", _mistaken(operation, members, asked, number))
    shown = {one.when[1]: one for one in inbound if one.when is not None}
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


def _mistaken(operation: Operation, members: Set[str], asked: Sequence[Operation], number: int) -> Complaints:
    """Yield the reasons why a question could be taken for a notification or another question."""
    needed = {field.wire for field in operation.asks.root.fields if field.required}
    for field in operation.asks.root.fields:
        if field.wire in members:
            yield field, f"asks with `{field.wire}`, which tells notifications apart", "rename the field"
    for other in asked:
        if other is not operation and needed <= {field.wire for field in other.asks.root.fields}:
            what = f"requires nothing that `{other.name}` could not have, so that nothing tells them apart"
            yield "request", what, "require a field that only one of them has"
    for other in asked[:number]:
        if other.asks.result == operation.asks.result:
            yield "request", f"asks with the type of `{other.name}`", "give it a type of its own"


def _constants(contract: Contract, struct: Struct, missing: list[Field], above: tuple[str, ...] = ()) -> Example:
    """Return the constants of an acknowledgement; required members without one are added to `missing`."""
    constants: Example = {}
    for field in struct.fields:
        constant = field.sends if field.sends is not None else field.values[0] if field.fixed else None
        inner = contract.structs.get(field.type.name) if not field.type.array else None
        if inner is not None and inner.name not in above:
            lacking: list[Field] = []
            said = _constants(contract, inner, lacking, (*above, struct.name))
            if said and not lacking:  # else it is left out as a whole
                constants[field.wire] = said
                continue
        elif constant is not None:
            constants[field.wire] = constant
        if constant is None and field.required:
            missing.append(field)
    return constants


def _acknowledged(contract: Contract, operation: Operation) -> Iterator[Problem]:
    """Yield a problem for an acknowledgement that needs more than constants."""
    struct = contract.structs.get(operation.answers.root.name, operation.answers.root)
    missing: list[Field] = []
    constants = _constants(contract, struct, missing)
    for field in missing:
        what = f"`{field.wire}` is what `{operation.name}` is acknowledged with, and nothing says its value"
        yield Problem(field.place, what, "write `is` or `sends`, or make it optional")
    rule = broken_rule(struct, constants)
    if rule is not None:
        what = f"rule `{rule.id}` is broken by what `{operation.name}` is acknowledged with"
        yield Problem(rule.place, what, "remove the rule, or write what keeps it with `is` or `sends`")


def _from(contract: Contract) -> dict[str, dict[str, dict[str, Field]]]:
    """Return the fields of whole notifications that come from a source, by source, notification and name."""
    found: dict[str, dict[str, dict[str, Field]]] = {}
    for operation in contract.operations.values():
        root = contract.structs.get(operation.asks.root.name, operation.asks.root)
        for field in root.fields if operation.asks.role == "notification" else ():
            found.setdefault(field.source or "", {}).setdefault(operation.name, {})[field.wire] = field
    return found


def _unrecognised(contract: Contract, operation: Operation, notifications: Sequence[Operation]) -> Complaints:
    if operation.when is None:
        yield "when", "has nothing to be recognised by, so its handler would never be called", "write `when: FIELD is VALUE`"
        return
    told_by = operation.when[0]
    when = contract.structs.get(operation.asks.root.name, operation.asks.root).field(told_by)
    if when is not None and not when.required:
        yield when, f"is recognised by `{told_by}`, which may be left out", "mark the field with `!`"
    for other in notifications:
        if other is operation or other.when is None:
            continue
        if other.when[0] != told_by:
            yield "when", f"is recognised by `{told_by}`, and `{other.name}` by `{other.when[0]}`", "use one field for both"
        elif other.when == operation.when:
            yield "when", f"is recognised like `{other.name}`, whatever the address", "give each a value of its own"
    for field in operation.asks.headers:
        if field.source == "clock":
            what = f"has its time in the header `{field.wire}`, and the language reads times of the body alone"
            yield field, what, "mark a field of the whole message with `from clock`"
    main = [f"merchant.{number.name}" for number in contract.numbers.values() if number.required]
    for source, what in (("clock", "the time by which it is fresh"), *((one, "its addressee") for one in main)):
        found = [*contract.once(_from).get(source, {}).get(operation.name, {}).values()]
        if len(found) > 1:
            yield found[1], f"has more than one field `from {source}`, {what}", "keep one"
        elif source == "clock" and not found:
            yield "notification", "does not say when it was sent", "mark a field of the whole message with `from clock`"
        elif source == "clock" and not found[0].required:
            yield found[0], f"may leave out `{found[0].wire}`, the time by which it is fresh", "mark the field with `!`"
    for source in ("clock", *(f"merchant.{name}" for name in contract.numbers)):
        named = contract.once(_from).get(source, {})
        mine = named.get(operation.name, {})
        if source in main and not mine and named:
            what = f"does not name its addressee, `{source}`, as `{min(named)}` does, and would never be taken for ours"
            yield "notification", what, f"write a field `from {source}`"
        for name in named if mine else ():
            if mine.keys() != named[name].keys():
                at = next(iter(mine.values()))
                yield at, f"and `{name}` have different fields `from {source}`", "use one field for both"


def lint_follows(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each operation, member or limit of a follow that does not exist or does not fit."""
    resources = {operation.resource for operation in contract.operations.values() if not operation.inbound}
    for kind, following in contract.follows.items():
        if kind not in resources:
            do = f"{meant(kind, resources)}name a resource of the client"
            yield Problem(following.place, f"no resource is called `{kind}`", do)
        operation = contract.operations.get(following.operation)
        if operation is not None:
            yield from problems_of(following, "", _followed(contract, following, operation))
        else:
            do = f"{meant(following.operation, contract.operations)}name a query, or a notification"
            yield Problem(following.at("shown by"), f"no operation is called `{following.operation}`", do)


def _followed(contract: Contract, following: Following, operation: Operation) -> Complaints:
    at, struct = "shown by", told(contract, operation.asks if operation.inbound else operation.answers)
    if operation.write:
        yield at, f"`{operation.name}` is a write", "name a query, or a notification: a write cannot be asked"
    if told(contract, operation.asks).field(following.by) is None:
        yield at, f"`{following.by}` is not a member of `{operation.name}`", "name the member that is the key"
    elif not operation.inbound:
        write = write_of(contract, following)
        shown = [naming.content_argument(one) for one in write.shows] if write is not None else []
        taken = ("unknown", "after") if write is not None else ()
        names = [naming.variable(following.by), "self", "expires_at", *taken]
        for where, what, do in asked_by(contract, operation, following.by, "follow", [*names, *shown]):
            yield where, f"`{following.kind}` {what}", do
        for name in {*names} & {*shown}:
            do = "rename the member of the write's request, or of the query's"
            yield at, f"`{following.kind}` cannot be followed: `{name}` is an argument of `follow`", do
    for said, path, is_wanted in (
        ("state", following.state, True), ("each", following.each, True), ("amount", following.amount, False),
        ("amount", following.currency, False), ("open until", following.open_until, False),
    ):  # fmt: skip
        field = field_at(contract, struct, path, lists=True) if path else None
        if path and is_wanted and (field is None or not is_state(contract, field)):
            do = "name a member whose type stands under `states:`"
            yield said, f"`{'.'.join(path)}` is not a state in `{operation.name}`", do
        elif path and field is None:
            what = f"`{'.'.join(path)}` is not a member of what `{operation.name}` shows"
            yield said, what, "name a member that it shows"
    if following.open_for is not None:
        said = f"`{following.kind}` is open for"
        yield from span_named(contract, "open for", said, following.open_for, "order-lifetime")
