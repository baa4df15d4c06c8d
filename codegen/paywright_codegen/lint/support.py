"""Find constructs that the grammar allows and generated code does not support, and suggest what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paywright_codegen import naming, taken
from paywright_codegen.lint.asking import all_filled, asked_by, single_text
from paywright_codegen.literals import CHECKS, is_text, objection
from paywright_codegen.lookup import (
    decision_struct,
    each_echo,
    field_at,
    member,
    payload,
    payload_member,
    payload_struct,
    query_of,
    root_member,
)
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import Restrict, Rule
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.pattern_dialects import ambiguous
from paywright_codegen.problems import Complaint, Complaints, Problem, problems_of

__all__ = ["lint_support"]

_AMOUNTS = ("0", "1", "10", "1.5", "10.50", "0.01", "100.000")
_DIGITS = re.compile(r"digits[.]([0-9]{1,4})")
_BODY_SOURCES = re.compile(r"merchant[.].+|clock|operation[.]version|digits[.].+")


def lint_support(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each part from which wrong code, or code that cannot be imported, would be generated."""
    for form in contract.formats.values():
        yield from problems_of(form, f"format `{form.name}`: ", _format(form.python, form.check, form.pattern))
    for struct in contract.all_structs():
        for field in struct.fields:
            yield from problems_of(field, f"`{field.wire}`: ", _field(field))
        for rule in struct.rules:
            yield from problems_of(rule, f"rule `{rule.id}`: ", _rule(contract, struct, rule))
    for operation in contract.operations.values():
        for message in operation.messages:
            yield from _headers(contract, operation, message)
            yield from _beside_data(contract, operation, message)
            ours = not operation.inbound and message.role == "request"
            for field in (
                message.root.fields if message.data is None else (*message.root.fields, *message.data.fields)
            ):
                yield from problems_of(field, f"`{field.wire}`: ", _source(contract, operation, field, ours=ours))
        yield from _inside_request(contract, operation)
        complaints = (
            *_key(contract, operation),
            *_repeated(contract, operation),
            *_compared(contract, operation),
            *_answer(contract, operation),
            *_decision(contract, operation),
        )
        yield from problems_of(operation, f"`{operation.name}` ", complaints)
    yield from _circles(contract)


def _circles(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for files whose validators would import one another."""
    uses: dict[str, dict[str, Field]] = {}
    for struct in contract.all_structs():
        for field in struct.fields:
            used = contract.structs.get(field.type.name) if field.type.kind == "struct" else None
            if used is not None and used.place.file != struct.place.file:
                uses.setdefault(struct.place.file, {}).setdefault(used.place.file, field)
    for file, others in uses.items():
        for other, field in others.items():
            reached, left = {other}, [other]
            while left:
                more = uses.get(left.pop(), {}).keys() - reached
                reached |= more
                left += more
            if file in reached:
                what = (
                    f"`{field.wire}` has a type of {other}, which uses types of {file}: neither could be imported first"
                )
                yield Problem(field.place, what, "move what both use into a file of its own")


def _format(python: str, check: str | None, pattern: str | None) -> Complaints:
    checks = [name for name, one in CHECKS.items() if one.python == python]
    if python in ("date", "datetime") and check not in checks:
        yield "python", f"`python: {python}` without a check that reads and writes one", f"the checks are {', '.join(checks)}"
    if python == "Decimal" and (check is not None or not _matches_amount(pattern or "")):
        yield "python", "`python: Decimal` and no pattern of decimal text", "write a pattern such as [0-9]+([.][0-9]+)?"
    for what in ambiguous(pattern or ""):
        yield "pattern", f"{what}, which Python and JSON Schema read differently", "write it with classes, repetition and groups"


def _matches_amount(pattern: str) -> bool:
    try:
        return any(re.fullmatch(pattern, amount) for amount in _AMOUNTS)
    except (re.error, RecursionError, OverflowError):
        return True  # the pattern itself is checked with its format


def _field(field: Field) -> Complaints:
    if not field.type.array:
        return
    said = f"{field.type.name}[]"
    for name, there in (("is", field.fixed), ("sends", field.sends is not None), ("from", field.source is not None)):
        if there:
            yield "", f"`{name}` gives one value, and a {said} has many", "remove it"
    if field.blank:
        yield "", f"`blank` is for a text, not for a {said}", "remove it"
    if field.also is not None:
        yield "", f"`also` is for a single value, not for a {said}", "write the second spelling as a field of its own"


def _source(contract: Contract, operation: Operation, field: Field, *, ours: bool) -> Complaints:
    """Yield the reasons why a field refuses the value that the client would fill in."""
    if field.source is None:
        return
    number = contract.numbers.get(field.source.removeprefix("merchant."))
    if not _BODY_SOURCES.fullmatch(field.source) or (number is not None and number.kind == "signer"):
        yield "", f"`from {field.source}` is for a header", "move it to the headers, or remove it"
    yield from _written(contract, operation, field, ours=ours)


def _written(contract: Contract, operation: Operation, field: Field, *, ours: bool) -> Complaints:
    """Yield the values of a source that the field refuses."""
    form = contract.formats.get(field.type.name)
    plain = field.type.kind == "string" or (form is not None and form.pattern is not None and form.python == "str")
    if (field.source or "").startswith("merchant.") and not plain:
        yield "", f"`from {field.source}` gives plain text, and a {field.type.name} is none", "make it a string"
    if field.source == "clock":
        written = CHECKS.get((form.check if form is not None else None) or "", CHECKS["request_time"]).example
        why = objection(contract, field, written)
        if why is not None:
            yield "", f"`from clock` writes times like {written}, and that {why}", "give it a type that takes them"
        elif ours and (form is None or form.python != "datetime"):
            yield "", "`from clock`, and nothing says how the time is written", "give it a format with `python: datetime`"
    digits = _DIGITS.fullmatch(field.source or "")
    if digits is not None:
        why = objection(contract, field, "1" * int(digits[1]))
        if why is not None:
            yield "", f"`from {field.source}` writes digits, and that {why}", "correct one of them"
    if field.source == "operation.version" and operation.version is not None:
        why = objection(contract, field, operation.version)
        if why is not None:
            yield "", f"`from operation.version` writes {operation.version}, and that {why}", "correct one of them"


def _rule(contract: Contract, struct: Struct, rule: Rule) -> Complaints:
    for path in dict.fromkeys(rule.paths):
        field = field_at(contract, struct, path, lists=True)
        if field is not None and field.also is not None:
            what = f"`{'.'.join(path)}` has a second spelling, which rules do not see"
            yield "", what, "say it in the prose, or remove `also`"
    for demand in rule.demands:
        if isinstance(demand, Restrict) and demand.max is not None:
            field = field_at(contract, struct, demand.path, lists=True)
            if field is not None and field.type.array:
                yield "", f"`max` of the array `{'.'.join(demand.path)}`", "write `max` behind the field itself"


def _beside_data(contract: Contract, operation: Operation, message: MessageSpec) -> Iterator[Problem]:
    """Yield a problem for each member of an envelope that no argument gives."""
    if operation.inbound or message.role != "request" or message.data is None:
        return
    for field in message.root.fields:
        if field.wire != message.payload and not field.filled and not all_filled(contract, field):
            what = f"`{field.wire}` stands beside `{message.payload}` in the request of `{operation.name}`, and no argument gives it"
            yield Problem(field.place, what, "write `is`, `sends` or `from`, or move it into the request")


def _inside_request(contract: Contract, operation: Operation) -> Iterator[Problem]:
    """Yield a problem for each source in an object that the merchant writes as a whole."""
    if operation.inbound:
        return
    roots = [operation.asks.root, *([operation.asks.data] if operation.asks.data is not None else [])]
    for struct in contract.reached_from(*roots).values():
        for field in struct.fields:
            if field.source is not None and struct not in roots:
                what = f"`{field.wire}`: `from {field.source}` stands in an object inside the request of `{operation.name}`"
                yield Problem(field.place, what, "write `sends`, or move it into the request itself")


def _headers(contract: Contract, operation: Operation, message: MessageSpec) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    ours = not operation.inbound and message.role == "request"
    for field in message.headers:
        other = seen.setdefault(field.wire.lower(), field.wire)
        complaints: list[Complaint] = []
        if other != field.wire:
            complaints.append(("", f"is the header `{other}` in other letters", "keep one of them"))
        if not is_text(field) or field.type.array:
            complaints.append(("", "is a header and no text", "make it a string or a format"))
        if field.also is not None:
            complaints.append(("", "is a header with a second spelling", "remove `also`"))
        if ours and field.wire.lower() in taken.HEADERS:
            complaints.append(("", "is a header that the client writes by itself", "remove it"))
        if ours and not field.filled:
            complaints.append(("", "is a header that nothing fills in", "write `is`, `sends` or `from`"))
        if field.source == "operation.version":
            complaints.append(("", "is a header with the version", "send the version in the body"))
        elif ours:
            complaints += _written(contract, operation, field, ours=True)
        yield from problems_of(field, f"`{field.wire}` ", complaints)


def _key(contract: Contract, operation: Operation) -> Complaints:
    """Yield keys that the client could not store, and queries that it could not make."""
    if operation.key is None:
        return
    key = payload(operation.asks, operation.key)
    if key is not None and not single_text(key):
        yield "key", f"has the key `{operation.key}`, which is not a text", "make it a string"
    if key is not None and key.filled:
        yield "key", f"has the key `{operation.key}`, which the client fills in", "let the merchant give it"
    resolution = operation.resolution
    query = query_of(contract, operation)
    if resolution is None or query is None or query.inbound:
        return
    names = [naming.variable(operation.key), "error", "self"]
    if names[0] == "error":
        yield "key", "has the key `error`, and its resolver's error has that name", "give the key another name"
    names += yield from asked_by(contract, query, resolution.by or "", "resolve", names)
    for shown in operation.shows:
        name = naming.variable("_".join(shown.asked))
        if name in names[3:] or name == names[0]:
            yield "shows", f"shows `{shown.wire}`, for which its resolver has no argument: the name is taken", "rename one of them"
    if resolution.done is not None:
        state = payload(query.answers, resolution.done[0])
        if state is not None and not single_text(state):
            yield "resolved by/done when", f"is done by `{state.wire}`, which is not a text", "name a text of the answer"
        if state is not None and state.also is not None:
            yield "resolved by/done when", f"is done by `{state.wire}`, which has a second spelling", "remove `also`"


def _repeated(contract: Contract, operation: Operation) -> Complaints:
    for wire in operation.echoes:
        for message in operation.messages:
            field = payload_member(contract, message, (wire,))[1]
            if field is not None and not single_text(field):
                yield "echoes", f"echoes `{wire}`, which is not a text in its {message.role}", "name a text of both messages"
            if field is not None and field.also is not None:
                yield "echoes", f"echoes `{wire}`, which has a second spelling", "remove `also`"


def _compared(contract: Contract, operation: Operation) -> Complaints:
    """Yield members that are compared though they are no text, or have a second spelling."""
    for name, equation, message in (
        ("when", operation.when, operation.asks),
        ("succeeds", operation.succeeds, operation.asks if operation.inbound else operation.answers),
    ):
        field = root_member(contract, message, equation[0]) if equation is not None else None
        if field is not None and not single_text(field):
            yield name, f"has `{name}:` with `{field.wire}`, which is not a text", "name a text"
        if field is not None and field.also is not None:
            yield name, f"has `{name}:` with `{field.wire}`, which has a second spelling", "remove `also`"
    for path in operation.once_per:
        field = field_at(contract, payload_struct(contract, operation.asks)[1], path, lists=True)
        if field is not None and field.also is not None:
            yield "once per", f"is once per `{'.'.join(path)}`, which has a second spelling", "remove `also`"
    for said in operation.each_echoes:
        elements, name, among = each_echo(said)
        listed = payload(operation.answers, elements)
        struct = contract.structs.get(listed.type.name) if listed is not None else None
        answered = struct.field(name) if struct is not None else None
        one_of = payload(operation.asks, among)
        other = contract.structs.get(one_of.type.name) if one_of is not None else None
        asked = other.field(name) if other is not None else payload(operation.asks, name) if not among else None
        if any(field is not None and not single_text(field) for field in (asked, answered)):
            yield "each echoes", f"has `{said}` under `each echoes:`, which is not a text", "name a text of both"
        if any(field is not None and field.also is not None for field in (asked, answered)):
            yield "each echoes", f"has `{said}` under `each echoes:`, which has a second spelling", "remove `also`"
    for shown in operation.shows:
        query = query_of(contract, operation)
        for message in (operation.answers, *((query.answers,) if query is not None else ())):
            field = member(contract, message, shown.answered)
            if field is not None and field.also is not None:
                yield "shows", f"shows `{'.'.join(shown.answered)}`, which has a second spelling", "remove `also`"


def _answer(contract: Contract, operation: Operation) -> Complaints:
    if operation.inbound:
        return
    answers = operation.answers
    if answers.result is None:
        yield "response", "is answered by something without a name", "give the answer a type of its own"


def _decision(contract: Contract, operation: Operation) -> Complaints:
    decides = operation.decides
    if decides is None:
        return
    struct, asked = decision_struct(contract, operation), payload_struct(contract, operation.asks)[1]
    chosen, reason = struct.field(decides.member), struct.field(decides.reason)
    if not operation.asks.root.named:
        yield "envelope", "asks inside an envelope that has members of its own", "give it an envelope of headers alone"
    if chosen is not None and (not single_text(chosen) or not chosen.required or chosen.filled):
        yield "decides/answer", f"decides by `{decides.member}`, which is not a required text", "make it a required text"
    if reason is not None and (reason.type.array or reason.filled or reason.values):
        yield "decides/why not", f"gives its reason in `{decides.reason}`, which is not a free text", "make it an optional string"
    for said, name in (("answer", decides.member), ("why not", decides.reason)):
        if asked.field(name) is not None:
            yield f"decides/{said}", f"answers `{name}`, which is also a field of the question", "rename one of them"
    for field in struct.fields:
        repeated = asked.field(field.wire)
        if field.wire in (decides.member, decides.reason):
            continue
        if repeated is None:
            if field.required and field.type.array:
                yield field, f"must answer the array `{field.wire}` also when it refuses", "make it optional"
        elif repeated.type != field.type or (field.required and not repeated.required):
            yield field, f"repeats `{field.wire}` of the question, which is of another type there", "make both the same"
