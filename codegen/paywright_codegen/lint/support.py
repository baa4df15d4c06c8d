"""Find constructs that the grammar allows and generated code does not support, and suggest what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paywright_codegen import taken
from paywright_codegen.lint.members import all_filled, is_single_text
from paywright_codegen.literals import CHECKS, objection
from paywright_codegen.lookup import field_at
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
        if not is_single_text(field):
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
