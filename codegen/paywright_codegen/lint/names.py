"""Check names: two names that become one in Python, and names that Python reserves.

The schema of contract files requires names to be ASCII, so that none can clash by Unicode normalisation, and to begin with a
letter, but for values of enumerations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from keyword import iskeyword
from pathlib import PurePosixPath

from paywright_codegen import naming, taken
from paywright_codegen.model.cited import SourcePlace
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
        yield from _members(chosen)
    yield from _classes(contract)
    yield from _functions(contract)
    yield from _formats(contract)
    yield from _operations(contract)
    yield from _numbers(contract)
    yield from _long(contract)
    yield from _files(contract)


def _clashes(names: Iterable[Named], where: str, do: str = "rename one of them") -> Iterator[Problem]:
    seen: dict[str, Named] = {}
    for python, name, place in names:
        first = seen.setdefault(python, (python, name, place))
        if first[2] != place or first[1] != name:
            what = f"`{name}` and `{first[1]}` ({first[2]}) both become `{python}` {where}"
            yield Problem(place, what, do)


def _fields(struct: Struct) -> Iterator[Problem]:
    names: list[Named] = []
    for field in struct.fields:
        python = naming.variable(field.wire)
        names.append((python, field.wire, field.place))
        if python in taken.FIELDS:
            do = "the generated code needs that name; ask for a way to spell it otherwise"
            yield Problem(field.place, f"`{field.wire}` becomes `{python}`, which is taken", do)
    do = "leave one of them out: `extra=` sends it and `answer.raw` has it"
    yield from _clashes(names, f"in `{struct.name}`", do)
    wires = {field.wire: field for field in struct.fields}
    spoken: dict[str, str] = {}
    for field in struct.fields:
        if field.also is None or field.also == field.wire:
            continue
        other = field.also if field.also in wires else spoken.get(field.also)
        if other is not None:
            what = f"`{field.wire}` has `also {field.also}`, which is `{other}` in `{struct.name}`"
            yield Problem(field.place, what, "remove the second spelling")
        spoken[field.also] = field.wire


def _members(chosen: Set) -> Iterator[Problem]:
    yield from _clashes(((naming.member(one), one.wire, one.place) for one in chosen.values), f"in `{chosen.name}`")
    for one in chosen.values:
        name = naming.member(one)
        if name.startswith("_"):
            do = f"write a member name behind it, such as `{one.wire} SOME_NAME`"
            yield Problem(one.place, f"`{one.wire}` becomes `{name}`, which is not a name for a member", do)


def _classes(contract: Contract) -> Iterator[Problem]:
    asked = {f"{each.asks.result}Question": each for each in contract.operations.values() if each.decides is not None}
    resources = {
        naming.resource_class(operation.resource): (operation.resource, operation.place)
        for operation in reversed(contract.operations.values())
    }
    types: tuple[Struct | Set, ...] = (*contract.structs.values(), *contract.sets.values())
    for part in types:
        name, found = part.name, []
        if name in taken.CLASSES:
            found.append("a name that the generated code needs")
        elif name in taken.EXPORTS:
            found.append("also what every generated package exports")
        if name in asked:
            found.append(f"also the class of what `{asked[name].name}` asks")
        if name in resources:
            resource, first = resources[name]
            found.append(f"also the class of the resource `{resource}` ({first})")
        yield from (Problem(part.place, f"`{name}` is {what}", "rename the type") for what in found)


def _functions(contract: Contract) -> Iterator[Problem]:
    """Check the names of validators, which are functions in one module for each file."""
    by_file: dict[str, list[Named]] = {}
    for struct in contract.all_structs():
        by_file.setdefault(struct.place.file, []).append((naming.function(struct), struct.name, struct.place))
    shared = [(naming.function(each), each.name, each.place) for each in contract.structs.values()]
    yield from _clashes(shared, "among the validators")
    for file, names in by_file.items():
        here = set(names)
        own = {python for python, name, _ in names if "." in name}
        elsewhere = (one for one in shared if one[0] in own and one not in here)
        yield from _clashes([*names, *elsewhere], f"among the validators of {file}")


def _formats(contract: Contract) -> Iterator[Problem]:
    formats = contract.formats.values()
    yield from _clashes(((naming.constant(each.name), each.name, each.place) for each in formats), "among the formats")


def _operations(contract: Contract) -> Iterator[Problem]:
    for operation in contract.operations.values():
        for part in (operation.resource, operation.verb):
            if iskeyword(part):
                yield Problem(operation.place, f"`{part}` in `{operation.name}` is Python's own", "use another word")
        if not operation.inbound and naming.variable(operation.resource) in taken.CLIENT:
            what = f"`{operation.resource}` in `{operation.name}` is an attribute that every client has"
            yield Problem(operation.place, what, "use another word")
        if not operation.inbound and naming.resource_class(operation.resource) in taken.CLASSES:
            what = f"`{operation.resource}` in `{operation.name}` becomes a class that the generated code needs"
            yield Problem(operation.place, what, "use another word")
        if not operation.inbound and operation.verb in taken.METHODS | taken.ANNOTATIONS:
            what = f"`{operation.verb}` in `{operation.name}` is a name that the generated code needs"
            yield Problem(operation.place, what, "use another word")
        if operation.verb.startswith("resolve") and not operation.inbound:
            what = f"`{operation.verb}` in `{operation.name}` is what settles an unknown outcome"
            yield Problem(operation.place, what, "use another word")
        if operation.verb == "follow" and operation.resource in contract.follows:
            what = f"`{operation.verb}` in `{operation.name}` is what follows the resource's items"
            yield Problem(operation.place, what, "use another word")
    operations = contract.operations.values()
    yield from _clashes(
        ((naming.resource_class(each.resource), each.resource, _first(contract, each.resource)) for each in operations),
        "among the resources",
    )
    called = [each for each in operations if not each.inbound]
    yield from _clashes(
        ((naming.constant(each.name), each.name, each.place) for each in called), "among the operations"
    )
    inbound = [each for each in operations if each.inbound]
    handlers: dict[str, Operation] = {}
    for each in inbound:
        first = handlers.setdefault(each.verb, each)
        if first is not each:
            what = f"`{each.name}` and `{first.name}` ({first.place}) both become `on_{each.verb}` among the handlers"
            own = f"{each.resource}.{each.resource}_{each.verb}"
            yield Problem(
                each.place, what, f"a handler is called by the word behind the dot: give each its own, such as `{own}`"
            )
        if each.verb in taken.HANDLERS:
            yield Problem(each.place, f"`on_{each.verb}` is a method that every receiver has", "use another verb")


def _numbers(contract: Contract) -> Iterator[Problem]:
    for number in contract.numbers.values():
        handler = number.name.removeprefix("on_") in {
            each.verb for each in contract.operations.values() if each.inbound
        }
        if number.name in taken.NUMBERS or (handler and number.name.startswith("on_")):
            what = f"`{number.name}` is an argument or attribute that every merchant or receiver has"
            yield Problem(number.place, what, "give the number another name")


def _long(contract: Contract) -> Iterator[Problem]:
    for parts in (
        contract.structs,
        contract.sets,
        contract.formats,
        contract.signatures,
        contract.operations,
        contract.numbers,
    ):
        for name, part in parts.items():
            if len(name) > _LONGEST:
                what = f"`{name[:20]}...` has {len(name)} characters, more than {_LONGEST}"
                yield Problem(part.place, what, "shorten the name")


def _first(contract: Contract, resource: str) -> SourcePlace:
    return next(each.place for each in contract.operations.values() if each.resource == resource)


def _files(contract: Contract) -> Iterator[Problem]:
    parts = (*contract.structs.values(), *contract.sets.values(), *contract.operations.values())
    for file in dict.fromkeys(part.place.file for part in parts):
        stem = PurePosixPath(file).stem
        if (
            not stem.isidentifier()
            or not stem.isascii()
            or iskeyword(stem)
            or stem.startswith("_")
            or stem in taken.FILES
        ):
            yield Problem(
                SourcePlace(file, 1), f"`{stem}` is not a name for a module", "rename the file, such as orders.yaml"
            )
