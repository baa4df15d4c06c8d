"""Check the contract as a whole: unused types, missing prose, questions, limits, moves and patterns."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence

from paywright_codegen.literals import CHECKS
from paywright_codegen.lookup import field_at
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Limit, Move
from paywright_codegen.model.rules import Restrict, Rule
from paywright_codegen.model.types import Field, Format
from paywright_codegen.pattern_cost import cost_of
from paywright_codegen.problems import Complaints, Problem, meant, problems_of

_LOOSE = {"d": "[0-9]", "D": "[^0-9]", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]", "s": "[ ]", "S": "[^ ]"}
_ANCHORS = "AbBZ"


def lint_words(contract: Contract) -> Iterator[Problem]:
    """Yield each operation, struct, value list and format without a line of prose."""
    kinds = (
        ("operation", contract.operations),
        ("type", contract.structs),
        ("value list", contract.sets),
        ("format", contract.formats),
        ("notification", contract.seen),
    )
    for kind, parts in kinds:
        for name, part in parts.items():
            if not part.prose.summary:
                do = "write a line of prose as a comment above it or behind it"
                yield Problem(part.place, f"{kind} `{name}` has no summary", do)


def lint_questions(contract: Contract) -> Iterator[Problem]:
    """Yield open questions that are cited and not written down, and those that nothing cites."""
    asked: set[str] = set()
    for part in _parts(contract):
        for question in part.open_questions:
            asked.add(question)
            if question not in contract.questions:
                do = f"{meant(question, contract.questions)}write it in `questions:`, or correct the name"
                for place in part.asked_at(question):
                    yield Problem(place, f"`?{question}` is cited and not written down", do)
    for name, each in contract.questions.items():
        if name not in asked:
            yield Problem(
                each.place, f"the question `{name}` is not cited", f"write `?{name}` where it arises, or remove it"
            )


def _parts(contract: Contract) -> Iterator[Cited]:
    """Yield all parts that can refer to a question."""
    groups: tuple[Iterable[Cited], ...] = (
        contract.formats.values(),
        contract.sets.values(),
        contract.operations.values(),
        contract.limits.values(),
        contract.moves,
        contract.seen.values(),
        contract.numbers.values(),
        contract.signatures.values(),
        contract.follows.values(),
    )
    for group in groups:
        yield from group
    for chosen in contract.sets.values():
        yield from chosen.values
    for struct in contract.all_structs():
        yield struct
        yield from struct.fields
        yield from struct.rules
    for operation in contract.operations.values():
        for message in operation.messages:
            yield from message.headers


def lint_reach(contract: Contract) -> Iterator[Problem]:
    """Yield types that no message uses."""
    reached = _reached(contract)
    for kind, parts in (("type", contract.structs), ("value list", contract.sets), ("format", contract.formats)):
        for name, part in parts.items():
            if name not in reached:
                yield Problem(part.place, f"no message uses the {kind} `{name}`", "use it, or remove it")


def _reached(contract: Contract) -> set[str]:
    structs = {struct.name: struct for struct in contract.all_structs()}
    reached: set[str] = set()
    names: list[str] = []
    for operation in contract.operations.values():
        for message in operation.messages:
            names += [field.type.name for field in message.headers]
            names += [name for name in (message.root.name, message.result) if name is not None]
    while names:
        name = names.pop()
        if name in reached:
            continue
        reached.add(name)
        struct = structs.get(name)
        if struct is not None:
            names += [field.type.name for field in struct.fields]
            names += [struct.parent] if struct.parent is not None else []
    return reached


def lint_circles(contract: Contract) -> Iterator[Problem]:
    """Yield structs that contain themselves, directly or through others."""
    inside = {
        name: [
            field.type.name
            for field in struct.fields
            if field.type.kind == "struct" and field.type.name in contract.structs
        ]
        for name, struct in contract.structs.items()
    }
    circles = _circles(inside)
    for name in inside:
        if name in circles:
            yield Problem(
                contract.structs[name].place, f"`{name}` contains itself", "make the inner one a type of its own"
            )


def _circles(inside: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the names that contain themselves, in time that grows with their number (Kosaraju)."""
    outside: dict[str, list[str]] = {name: [] for name in inside}
    for name, others in inside.items():
        for other in others:
            outside[other].append(name)
    ended: list[str] = []
    seen: set[str] = set()
    waiting = [(name, False) for name in inside]
    while waiting:
        name, is_done = waiting.pop()
        if is_done:
            ended.append(name)
        elif name not in seen:
            seen.add(name)
            waiting += [(name, True), *((other, False) for other in inside[name])]
    found: set[str] = set()
    for start in reversed(ended):
        group, open_names = [], [start]
        while open_names:
            name = open_names.pop()
            if name in seen:
                seen.remove(name)
                group.append(name)
                open_names += outside[name]
        if len(group) > 1 or start in inside[start]:
            found.update(group)
    return found


def lint_formats(contract: Contract) -> Iterator[Problem]:
    """Yield formats with an unknown check, or a regular expression that cannot be used."""
    for each in contract.formats.values():
        yield from problems_of(each, f"format `{each.name}`: ", (*_check(each), *_pattern(each)))


def _check(given: Format) -> Complaints:
    if given.check is not None and given.check not in CHECKS:
        do = f"{meant(given.check, CHECKS)}write one of the checks: {', '.join(CHECKS)}"
        yield "check", f"the runtime has no check `{given.check}`", do


def _pattern(given: Format) -> Complaints:
    pattern = given.pattern
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
    for what, do in _escapes(pattern):
        yield "pattern", what, do


def _escapes(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield classes and anchors that do not mean what they seem to."""
    first = -1  # position of the first character of the current class; -1 outside
    escaped = False
    for at, character in enumerate(pattern):
        if escaped:
            escaped = False
            if character in _LOOSE:
                yield f"`\\{character}` matches more than ASCII", f"write {_LOOSE[character]}"
            elif character in _ANCHORS and first < 0:
                yield f"`\\{character}` in a pattern that is for the whole text", "remove it"
        elif character == "\\":
            escaped = True
        elif first >= 0:
            if character == "]" and at > first:
                first = -1
        elif character == "[":
            first = at + (2 if pattern[at + 1 : at + 2] == "^" else 1)
        elif character in "^$":
            yield f"`{character}` in a pattern that is for the whole text", "remove it"


def lint_limits(contract: Contract) -> Iterator[Problem]:
    """Yield limits of section 8 that the fields and rules named do not carry, and a second limit of decimals."""
    for second in [limit for limit in contract.limits.values() if limit.decimals is not None][1:]:
        yield Problem(second.place, f"limit `{second.name}`: another limit says how many decimals are sent", "keep one")
    rules: dict[str, list[Rule]] = {}
    for struct in contract.all_structs():
        for rule in struct.rules:
            rules.setdefault(rule.id, []).append(rule)
    for limit in contract.limits.values():
        for carrier in limit.carried_by:
            what = _carries(contract, limit, carrier, rules)
            if what is not None:
                yield Problem(limit.place, f"limit `{limit.name}`: {what}", "correct the limit or what carries it")


def _carries(contract: Contract, limit: Limit, carrier: str, rules: Mapping[str, Sequence[Rule]]) -> str | None:
    """Return the mistake of a field or rule that should carry a limit; None if there is none."""
    if "." not in carrier:
        if carrier not in rules:
            return f"no rule is called `{carrier}`"
        for rule in rules[carrier]:
            wanted = [f"max {demand.max}" for demand in rule.demands if isinstance(demand, Restrict)]
            if limit.facet not in wanted:
                return f"rule `{carrier}` ({rule.place}) does not say `{limit.facet}`"
        return None
    field = _field_at(contract, carrier)
    if field is None:
        return f"there is no field `{carrier}`"
    if limit.facet not in _facets(field):
        return f"`{carrier}` ({field.place}) does not say `{limit.facet}`"
    return None


def _field_at(contract: Contract, path: str) -> Field | None:
    """Return the field at `orders.checkout.request.expireTime`: of the operation, or inside one of its objects."""
    resource, _, rest = path.partition(".")
    verb, _, rest = rest.partition(".")
    role, _, rest = rest.partition(".")
    operation = contract.operations.get(f"{resource}.{verb}")
    if operation is None:
        return None
    message = next((each for each in operation.messages if each.role == role), None)
    return None if message is None else field_at(contract, message.data or message.root, rest.split("."), lists=True)


def _facets(field: Field) -> set[str]:
    facets = {f"min {field.min}", f"max {field.max}"}
    if field.min == field.max:
        facets.add(f"exactly {field.max}")
    if field.range is not None:
        facets.add(f"range {field.range[0]}..{field.range[1]}")
    return facets


_OPERATION = re.compile(r"[a-z][a-z0-9_]*[.][a-z][a-z0-9_]*")


def lint_moves(contract: Contract) -> Iterator[Problem]:
    """Yield moves between states that do not exist, do not fit the states, or have an unknown trigger."""
    moved = {(move.set, move.before) for move in contract.moves}
    for each in contract.sets.values():
        for value in each.values:
            if value.settled and (each.name, value.wire) not in moved:
                what = f"`{value.wire}` is settled and no move leads out of it"
                yield Problem(value.place, what, "write `final`, or the move")
    for move in contract.moves:
        chosen = contract.sets.get(move.set)
        if chosen is None or not chosen.states:
            yield Problem(move.place, f"`{move.set}` is not a list of states", "name one of the section `states:`")
            continue
        states = {value.wire: value for value in chosen.values}
        for state in (move.before, *move.after):
            if state not in states and not (state == move.before and state in ("none", "any")):
                do = f"{meant(state, states)}name one of its states"
                yield Problem(move.place, f"`{state}` is not a state of `{move.set}`", do)
        if move.before in states and states[move.before].final:
            yield Problem(move.place, f"`{move.before}` is final and moves on", "remove `final`, or the move")
        yield from _trigger(contract, move)


def _trigger(contract: Contract, move: Move) -> Iterator[Problem]:
    """Yield the complaints about `operation answered CODE`; other words are prose."""
    name, verb, code, *_ = (*move.trigger.split(), "", "", "")
    if _OPERATION.fullmatch(name) is None:
        return
    operation = contract.operations.get(name)
    if operation is None:
        do = f"{meant(name, contract.operations)}name the operation that brings the move about"
        yield Problem(move.place, f"`{name}` is not an operation", do)
    elif verb and verb != "answered":
        do = f"{meant(verb, ('answered',))}write `{name}` alone, or `{name} answered CODE`"
        yield Problem(move.place, f"`{verb}` behind `{name}`", do)
    elif verb:
        known = [operation.succeeds[1]] if operation.succeeds is not None else []
        known += [*operation.refuses, *operation.repeats, *operation.absent]
        if code not in known:
            do = f"{meant(code, known)}name one of its codes: {', '.join(known)}"
            yield Problem(move.place, f"`{code}` is not a code of `{name}`", do)
