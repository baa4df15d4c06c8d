"""Check formats, fields and rules: facets that do not fit, values that a field may not have, what the client fills in, rules that cannot be met."""

from __future__ import annotations

import re
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping

from paywright_codegen import naming
from paywright_codegen.lint.members import is_single_text, near
from paywright_codegen.literals import is_text, objection
from paywright_codegen.lookup import all_filled, field_at, is_decimal, told
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import AnyIs, Differs, Joined, OneOf, Path, Refuse, Restrict, Rule, paths_of
from paywright_codegen.model.types import Field, Format, Struct
from paywright_codegen.patterns import ambiguous, cost_of, loose
from paywright_codegen.problems import Complaints, Problem, meant, problems_of
from paywright_codegen.python_types import Directions
from paywright_runtime.contract.formats import FORMS

_DIGITS = re.compile(r"digits[.][1-9][0-9]?")
_BODY_SOURCES = re.compile(r"merchant[.].+|clock|operation[.]version|digits[.].+")
_AMOUNTS = ("0", "1", "10", "1.5", "10.50", "0.01", "100.000")

Advice = Iterator[tuple[str, str]]


def lint_fields(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of formats, and of all fields in types, messages and headers."""
    for form in contract.formats.values():
        yield from problems_of(form, f"format `{form.name}`: ", _format(form))
    written = contract.once(Directions).written
    for struct in contract.all_structs():
        for field in struct.fields:
            yield from _told(field, _field(contract, field))
            if field.also is not None and struct.name in written:
                what = f"the merchant writes a `{struct.name}`, and `also {field.also}` is for answers"
                do = "write a type `from` this one for the answers, with the second spelling"
                yield from _told(field, [(what, do)])
    for operation in contract.operations.values():
        for message in operation.messages:
            ours = not operation.inbound and message.role == "request"
            for field in message.headers:
                yield from _told(field, _field(contract, field))
            yield from _headers(contract, operation, message, ours)
            yield from _sources(contract, operation, message)
            for field in (*message.root.fields, *(() if message.data is None else message.data.fields)):
                yield from _told(field, _in_body(contract, operation, field, ours))
        if not operation.inbound:
            yield from _given(contract, operation)


def _told(field: Field, advice: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    return (Problem(field.place, f"`{field.wire}`: {what}", do) for what, do in advice)


def _field(contract: Contract, field: Field) -> Advice:
    yield from ((what, do) for holds, what, do in _facets(field) if holds)
    yield from _limits(contract, field)
    named = (
        ("is" if field.fixed else "in", field.values),
        ("eg", field.examples),
        ("sends", (field.sends,)),
        ("default", (field.default,)),
    )
    values = [(f"`{facet} {value}`", value) for facet, values in named for value in values if value is not None]
    if field.type.kind == "set" and not field.type.array:
        name = field.type.name
        values += [(f"`{value.wire}` of `{name}`", value.wire) for value in contract.sets[name].values]
    for said, value in values:
        why = objection(contract, field, value)
        if why is not None:
            yield f"{said} {why}", "correct the value or the limit"


def _facets(field: Field) -> Iterator[tuple[bool, str, str]]:
    """Yield what facets there may not be of this type, or not beside each other: whether they are, what is wrong, and what to do."""
    text, array, kind, values = is_text(field), field.type.array, field.type.kind, bool(field.values)
    said, limited = field.type.name + ("[]" if array else ""), field.min is not None or field.max is not None
    gives = {"is": field.fixed, "sends": field.sends is not None, "from": field.source is not None}
    default, is_plain = field.default is not None, kind == "string" and not array
    for name, there in {"in": values and not field.fixed, **gives}.items():
        yield there and not text, f"`{name}` is for text, not for a {said}", "remove it"
    for name, there in gives.items():
        yield there and array, f"`{name}` gives one value, and a {said} has many", "remove it"
    yield from (
        (not text and not array and limited, f"min and max count characters or elements, and a {said} has none", "take them away"),
        (field.range is not None and not is_plain, f"range is for digits in a string, not for a {said}", "remove it, or make the field a string"),
        (values and kind == "set", f"`{field.type.name}` has its own list of values", "remove the values, or make the field a string"),
        (field.blank and not (text and (kind != "string" or values or field.range)), "`blank` where nothing would refuse the empty string", "remove it"),
        ([*gives.values()].count(True) > 1, "more than one of is, sends and from says what we write", "keep one of them"),
        (default and field.required, "a required field has a default, which never applies", "remove the `!` or the default"),
        (default and array, "an array has a default", "say it in the prose"),
        (field.also == field.wire, f"`also {field.also}` is its own name", "remove it"),
        (field.blank and array, f"`blank` is for a text, not for a {said}", "remove it"),
        (field.also is not None and array, f"`also` is for a single value, not for a {said}", "write the second spelling as a field of its own"),
    )  # fmt: skip


def _limits(contract: Contract, field: Field) -> Advice:
    form = contract.formats.get(field.type.name) if field.type.kind == "format" else None
    if form is not None and form.pattern is not None and cost_of(form.pattern) == "power":
        what = f"the pattern of `{form.name}` has repetitions of the same characters in a row, and takes long with a long text"
        if field.type.array:
            yield f"{what}, which no `max` of a list refuses", "write the pattern with one of them"
        elif field.max is None:
            yield what, "write `max`, or the pattern with one of them"
    if field.min is not None and field.max is not None and field.min > field.max:
        yield f"min {field.min} is more than max {field.max}", "change one of them"
    if field.max == 0:
        yield "max 0 leaves nothing to write", "drop the field, or raise the limit"
    if field.range is not None:
        low, high = field.range
        if low > high:
            yield f"the range {low}..{high} begins above its end", "change one of its ends"
        elif field.max is not None and len(str(high)) > field.max:
            yield f"{high}, the end of the range, is longer than max {field.max}", "change one of them"


def _sources(contract: Contract, operation: Operation, message: MessageSpec) -> Iterator[Problem]:
    signatures = (f"signature.{each.name}" for each in contract.signatures.values() if each.chosen_by is None)
    known = ("clock", "digits.N", *(f"merchant.{name}" for name in contract.numbers), "operation.version", *signatures)
    for field in message.fields:
        source = field.source
        if source is not None and source not in known and _DIGITS.fullmatch(source) is None:
            do = f"{meant(source, known)}write one of the sources: {', '.join(known)}"
            yield from _told(field, [(f"nothing is called `from {source}`", do)])
        if source == "operation.version" and operation.version is None:
            what = f"`{operation.name}` has no version, and `{field.wire}` is filled with it"
            yield Problem(operation.place, what, "write `version:`")


def _in_body(contract: Contract, operation: Operation, field: Field, ours: bool) -> Advice:
    """Yield the reasons why a field of a body cannot be filled in."""
    if field.source is None:
        return
    number = contract.numbers.get(field.source.removeprefix("merchant."))
    if not _BODY_SOURCES.fullmatch(field.source) or (number is not None and number.kind == "signer"):
        yield f"`from {field.source}` is for a header", "move it to the headers, or remove it"
    yield from _written(contract, operation, field, ours)


def _written(contract: Contract, operation: Operation, field: Field, ours: bool) -> Advice:
    """Yield the values of a source that the field refuses."""
    form, source = contract.formats.get(field.type.name), field.source or ""
    plain = field.type.kind == "string" or (form is not None and form.pattern is not None and form.python == "str")
    if source.startswith("merchant.") and not plain:
        yield f"`from {source}` gives plain text, and a {field.type.name} is none", "make it a string"
    if source == "clock":
        written = FORMS.get((form.check if form is not None else None) or "", FORMS["request_time"]).example
        why = objection(contract, field, written)
        if why is not None:
            yield f"`from clock` writes times like {written}, and that {why}", "give it a type that takes them"
        elif ours and (form is None or form.python != "datetime"):
            yield "`from clock`, and nothing says how the time is written", "give it a format with `python: datetime`"
    digits = re.fullmatch(r"digits[.]([0-9]{1,4})", source)
    version = operation.version if source == "operation.version" else None
    for words, value in (("digits", digits and "1" * int(digits[1])), (version, version)):
        why = objection(contract, field, value) if value is not None else None
        if why is not None:
            yield f"`from {source}` writes {words}, and that {why}", "correct one of them"


def _headers(contract: Contract, operation: Operation, message: MessageSpec, ours: bool) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for field in message.headers:
        other = seen.setdefault(field.wire.lower(), field.wire)
        rows = (
            (other != field.wire, f"is the header `{other}` in other letters", "keep one of them"),
            (not is_single_text(field), "is a header and no text", "make it a string or a format"),
            (field.also is not None, "is a header with a second spelling", "remove `also`"),
            (
                ours and field.wire.lower() in naming.HEADERS,
                "is a header that the client writes by itself",
                "remove it",
            ),
            (ours and not field.filled, "is a header that nothing fills in", "write `is`, `sends` or `from`"),
            (field.source == "operation.version", "is a header with the version", "send the version in the body"),
        )
        found = [(what, do) for holds, what, do in rows if holds]
        if ours and field.source != "operation.version":
            found += _written(contract, operation, field, ours=True)
        yield from (Problem(field.place, f"`{field.wire}` {what}", do) for what, do in found)


def _given(contract: Contract, operation: Operation) -> Iterator[Problem]:
    """Yield a problem for what no argument gives beside the payload, and for sources in an object that the merchant writes as a whole."""
    asks = operation.asks
    roots = [asks.root, *([asks.data] if asks.data is not None else [])]
    for field in asks.root.fields if asks.data is not None else ():
        if field.wire != asks.payload and not field.filled and not all_filled(contract, field):
            what = f"`{field.wire}` stands beside `{asks.payload}` in the request of `{operation.name}`, and no argument gives it"
            yield Problem(field.place, what, "write `is`, `sends` or `from`, or move it into the request")
    for struct in contract.reached_from(*roots).values():
        for field in struct.fields if struct not in roots else ():
            if field.source is not None:
                what = f"`from {field.source}` stands in an object inside the request of `{operation.name}`"
                yield from _told(field, [(what, "write `sends`, or move it into the request itself")])


def _format(given: Format) -> Complaints:
    """Yield an unknown check, a regular expression that cannot be used, and a type of Python that neither reads."""
    pattern, python = given.pattern, given.python
    if given.check is not None and given.check not in FORMS:
        do = f"{meant(given.check, FORMS)}write one of the checks: {', '.join(FORMS)}"
        yield "check", f"the runtime has no check `{given.check}`", do
    checks = [name for name, one in FORMS.items() if one.python == python]
    if python in ("date", "datetime") and given.check not in checks:
        yield "python", f"`python: {python}` without a check that reads and writes one", f"the checks are {', '.join(checks)}"
    if python == "Decimal" and (given.check is not None or not _matches_amount(pattern or "")):
        yield "python", "`python: Decimal` and no pattern of decimal text", "write a pattern such as [0-9]+([.][0-9]+)?"
    if pattern is None:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, Warning, RecursionError, OverflowError) as error:
        yield "pattern", f"the pattern does not compile ({error})", "correct it"
    else:
        if cost_of(pattern) == "doubling":
            what = "the pattern repeats a group that has a repetition in it, or alternatives that begin alike: its time doubles with each"
            do = "repeat characters alone, such as [A-Z0-9]+, and begin alternatives with different characters"
            yield "pattern", f"{what} character of a hostile text", do
    if not pattern.isascii():
        yield "pattern", "the pattern is not ASCII", "write other characters as \\u escapes"
    if "(?" in pattern.replace("(?:", ""):
        yield "pattern", "the pattern has a group that is more than a group", "use classes, repetition, alternatives and groups"
    for what, do in loose(pattern):
        yield "pattern", what, do
    if rest := ambiguous(pattern):
        what = f"`{rest}` begins with a sign or class, which Python and JSON Schema read differently"
        yield "pattern", what, "write it with classes, repetition and groups"


def _matches_amount(pattern: str) -> bool:
    try:
        return any(re.fullmatch(pattern, amount) for amount in _AMOUNTS)
    except (re.error, RecursionError, OverflowError):
        return True  # the pattern itself is checked with its format


_NO_TEXT = "is not a text, so that it cannot be compared"


def lint_rules(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of the rules of all types, and of the guards of all operations."""
    structs = {struct.name: struct for struct in contract.all_structs()}
    for struct in structs.values():
        for rule in struct.rules:
            for what, do in _Sentence(contract, structs, struct).complaints(rule):
                yield Problem(rule.place, f"rule `{rule.id}`: {what}", do)
    for operation in contract.operations.values():
        asked = told(contract, operation.asks)
        for guard in operation.guards:
            if guard.id in {rule.id for rule in asked.rules}:
                what = f"guard `{guard.id}` has the name of a rule of `{operation.name}`"
                yield Problem(guard.place, what, "give it a name of its own: names are error codes")
            for demand in guard.demands:
                said, field = ".".join(demand.path), field_at(contract, asked, demand.path)
                what, do = f"`{said}` is neither a number nor an amount", "name one that is"
                if field is None:
                    what, do = f"`{said}` is not a field of the request", "name a field that stands in no array"
                    do = f"{near(asked, said)}{do}"
                if field is None or field.type.array or not is_decimal(contract, field):
                    yield Problem(guard.place, f"guard `{guard.id}`: {what}", do)


class _Sentence:
    def __init__(self, contract: Contract, structs: Mapping[str, Struct], struct: Struct) -> None:
        self._contract, self._structs, self._struct = contract, structs, struct

    def complaints(self, rule: Rule) -> Advice:
        for part in (*rule.when, *rule.demands):
            if isinstance(part, OneOf | AnyIs):
                for choice in part.choices if isinstance(part, AnyIs) else (part,):
                    yield from self._compared(choice)
            elif isinstance(part, Refuse):
                field = yield from self._found(part.path)
                if field is not None and field.required and len(part.path) == 1:
                    yield f"`{part.path[0]}` is required and refused", "remove the `!` or the demand"
            elif isinstance(part, Differs | Joined):
                yield from self._texts(*paths_of(part))
            elif isinstance(part, Restrict):
                yield from self._restricted(part)
            else:
                for path in paths_of(part):
                    yield from self._found(path)
        for path in dict.fromkeys(rule.paths):
            field = field_at(self._contract, self._struct, path, lists=True)
            if field is not None and field.also is not None:
                what = f"`{'.'.join(path)}` has a second spelling, which rules do not see"
                yield what, "say it in the prose, or remove `also`"

    def _found(self, path: Path) -> Generator[tuple[str, str], None, Field | None]:
        """Yield the mistake in a path, and return the field at its end."""
        struct: Struct | None = self._struct
        field: Field | None = None
        for depth, name in enumerate(path):
            said = ".".join(path[:depth])
            if struct is None:
                yield f"`{said}` is not an object with known fields", "name a field that the contract lists"
                return None
            if field is not None and field.type.array:
                yield f"`{said}` is an array", "write the rule for the type of its elements"
                return None
            field = struct.field(name)
            if field is None:
                yield f"`{struct.name}` has no field `{name}`", f"{near(struct, name)}name one of its fields"
                return None
            struct = self._structs.get(field.type.name) if field.type.kind == "struct" else None
        return field

    def _compared(self, one: OneOf) -> Advice:
        field, said = (yield from self._found(one.path)), ".".join(one.path)
        if field is not None and not is_single_text(field):
            yield f"`{said}` {_NO_TEXT}", "compare a text, or ask whether it is given"
        elif field is not None:
            for value in one.values:
                why = objection(self._contract, field, value)
                if why is not None:
                    yield f"`{said}` is never {value}: it {why}", "correct the value"

    def _texts(self, *paths: Path) -> Advice:
        """Check that members that are compared with each other are texts."""
        for path in paths:
            field = yield from self._found(path)
            if field is not None and not is_single_text(field):
                yield f"`{'.'.join(path)}` {_NO_TEXT}", "compare texts"
        if len(set(paths[:2])) < 2:
            yield f"`{'.'.join(paths[0])}` is compared with itself", "name another member"

    def _restricted(self, demand: Restrict) -> Advice:
        field, said = (yield from self._found(demand.path)), ".".join(demand.path)
        if field is not None and demand.values:
            yield from self._compared(OneOf(demand.path, demand.values))
        if demand.max is None:
            return
        end = field_at(self._contract, self._struct, demand.path, lists=True)
        if end is not None and end.type.array:
            yield f"`max` of the array `{said}`", "write `max` behind the field itself"
        if field is not None and not (field.type.array or is_text(field)):
            yield f"`{said}` has no length", "take `max` away"
        elif field is not None and field.max is not None and demand.max >= field.max:
            yield f"max {demand.max} is no less than the max {field.max} of `{said}`", "correct one of them"
