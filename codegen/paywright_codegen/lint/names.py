"""Check names: two names that become one in Python, and names that Python reserves.

The schema of contract files requires names to be ASCII, so that none can clash by Unicode normalisation, and to begin with a
letter, but for values of enumerations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from pathlib import PurePosixPath

from paywright_codegen import naming
from paywright_codegen.model.cited import Cited, SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import Set, Struct
from paywright_codegen.problems import Problem

CODES = frozenset(["required", "type", "max", "min", "exact", "range", "value", "format", "json", "duplicate"])

_LONGEST = 100  # a file of the package is named after a resource

Named = tuple[str, str, SourcePlace]  # the Python name, the contract's name, where


def lint_names(contract: Contract) -> Iterator[Problem]:
    """Yield the names that clash in generated Python or with Python itself."""
    for struct in contract.all_structs():
        yield from _fields(struct)
        for rule in struct.rules:
            if rule.id in CODES:
                yield Problem(rule.place, f"`{rule.id}` is the code of a limit", "give the rule another name")
    for chosen in contract.sets.values():
        members = [(naming.member(one), one.wire, one.place) for one in chosen.values]
        yield from _clashes(members, f"in `{chosen.name}`")
        for name, wire, place in members:
            if name.startswith("_"):
                do = f"write a member name behind it, such as `{wire} SOME_NAME`"
                yield Problem(place, f"`{wire}` becomes `{name}`, which is not a name for a member", do)
    yield from _classes(contract)
    yield from _operations(contract)
    shared = [(naming.function(each), each.name, each.place) for each in contract.structs.values()]
    first: dict[str, SourcePlace] = {}
    for each in contract.operations.values():
        first.setdefault(each.resource, each.place)
    groups: list[tuple[Iterable[Named], str]] = [
        (shared, "among the validators"),
        *_by_file(contract, shared),
        ([(naming.constant(name), name, each.place) for name, each in contract.formats.items()], "among the formats"),
        ([(naming.resource_class(name), name, place) for name, place in first.items()], "among the resources"),
        ([(naming.constant(name), name, each.place) for name, each in contract.operations.items() if not each.inbound], "among the operations"),
    ]  # fmt: skip
    for names, where in groups:
        yield from _clashes(names, where)
    handlers = {f"on_{each.verb}" for each in contract.operations.values() if each.inbound}
    for number in contract.numbers.values():
        if number.name in naming.NUMBERS | handlers:
            what = f"`{number.name}` is an argument or attribute that every merchant or receiver has"
            yield Problem(number.place, what, "give the number another name")
    parts: tuple[Mapping[str, Cited], ...] = (
        contract.structs, contract.sets, contract.operations, contract.formats, contract.signatures, contract.numbers,
    )  # fmt: skip
    for name, part in (item for each in parts for item in each.items()):
        if len(name) > _LONGEST:
            what = f"`{name[:20]}...` has {len(name)} characters, more than {_LONGEST}"
            yield Problem(part.place, what, "shorten the name")
    for file in dict.fromkeys(part.place.file for each in parts[:3] for part in each.values()):
        stem = PurePosixPath(file).stem
        sound = stem.isidentifier() and stem.isascii() and not iskeyword(stem) and not stem.startswith("_")
        if not sound or stem in naming.FILES:
            do = "rename the file, such as orders.yaml"
            yield Problem(SourcePlace(file, 1), f"`{stem}` is not a name for a module", do)


def _clashes(names: Iterable[Named], where: str, do: str = "rename one of them") -> Iterator[Problem]:
    seen: dict[str, Named] = {}
    for python, name, place in names:
        first = seen.setdefault(python, (python, name, place))
        if first[2] != place or first[1] != name:
            what = f"`{name}` and `{first[1]}` ({first[2]}) both become `{python}` {where}"
            yield Problem(place, what, do)


def _fields(struct: Struct) -> Iterator[Problem]:
    names = [(naming.variable(field.wire), field.wire, field.place) for field in struct.fields]
    for python, wire, place in names:
        if python in naming.FIELDS:
            do = "the generated code needs that name; ask for a way to spell it otherwise"
            yield Problem(place, f"`{wire}` becomes `{python}`, which is taken", do)
    do = "leave one of them out: `extra=` sends it and `answer.raw` has it"
    yield from _clashes(names, f"in `{struct.name}`", do)
    wires = {field.wire: field.wire for field in struct.fields}
    spoken: dict[str, str] = {}
    for field in struct.fields:
        if field.also is None or field.also == field.wire:
            continue
        other = wires.get(field.also, spoken.get(field.also))
        if other is not None:
            what = f"`{field.wire}` has `also {field.also}`, which is `{other}` in `{struct.name}`"
            yield Problem(field.place, what, "remove the second spelling")
        spoken[field.also] = field.wire


def _classes(contract: Contract) -> Iterator[Problem]:
    asked = {f"{each.asks.result}Question": each for each in contract.operations.values() if each.decides is not None}
    resources = {naming.resource_class(each.resource): each for each in reversed(contract.operations.values())}
    types: tuple[Struct | Set, ...] = (*contract.structs.values(), *contract.sets.values())
    for part in types:
        name, found = part.name, []
        if name in naming.CLASSES:
            found.append("a name that the generated code needs")
        elif name in naming.EXPORTS:
            found.append("also what every generated package exports")
        if name in asked:
            found.append(f"also the class of what `{asked[name].name}` asks")
        if name in resources:
            found.append(f"also the class of the resource `{resources[name].resource}` ({resources[name].place})")
        yield from (Problem(part.place, f"`{name}` is {what}", "rename the type") for what in found)


def _by_file(contract: Contract, shared: Iterable[Named]) -> Iterator[tuple[Iterable[Named], str]]:
    """Yield the names of validators, which are functions in one module for each file."""
    by_file: dict[str, list[Named]] = {}
    for struct in contract.all_structs():
        by_file.setdefault(struct.place.file, []).append((naming.function(struct), struct.name, struct.place))
    for file, names in by_file.items():
        here, own = set(names), {python for python, name, _ in names if "." in name}
        elsewhere = [one for one in shared if one[0] in own and one not in here]
        yield [*names, *elsewhere], f"among the validators of {file}"


def _operations(contract: Contract) -> Iterator[Problem]:
    handlers: dict[str, Operation] = {}
    for operation in contract.operations.values():
        resource, verb, called = operation.resource, operation.verb, not operation.inbound
        rows = (
            (iskeyword(resource), resource, "is Python's own"),
            (iskeyword(verb), verb, "is Python's own"),
            (called and naming.variable(resource) in naming.CLIENT, resource, "is an attribute that every client has"),
            (called and naming.resource_class(resource) in naming.CLASSES, resource, "becomes a class that the generated code needs"),
            (called and verb in naming.METHODS | naming.ANNOTATIONS, verb, "is a name that the generated code needs"),
            (called and verb.startswith("resolve"), verb, "is what settles an unknown outcome"),
            (verb == "follow" and resource in contract.follows, verb, "is what follows the resource's items"),
        )  # fmt: skip
        for clashes, word, what in rows:
            if clashes:
                yield Problem(operation.place, f"`{word}` in `{operation.name}` {what}", "use another word")
        if called:
            continue
        first = handlers.setdefault(verb, operation)
        if first is not operation:
            what = f"`{operation.name}` and `{first.name}` ({first.place}) both become `on_{verb}` among the handlers"
            do = f"a handler is called by the word behind the dot: give each its own, such as `{resource}.{resource}_{verb}`"
            yield Problem(operation.place, what, do)
        if verb in naming.HANDLERS:
            yield Problem(operation.place, f"`on_{verb}` is a method that every receiver has", "use another verb")
