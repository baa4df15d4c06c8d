"""Run all checks of the linter, and those of the contract as a whole: unused types, missing prose, questions, limits, moves and circles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from paywright_codegen.examples import lint_examples, lint_whole_examples
from paywright_codegen.lint.fields import lint_fields, lint_rules
from paywright_codegen.lint.names import lint_names
from paywright_codegen.lint.notifications import lint_follows, lint_recognition
from paywright_codegen.lint.operations import lint_operations
from paywright_codegen.lint.signatures import lint_signatures
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Move
from paywright_codegen.model.types import Field
from paywright_codegen.problems import ContractProblems, Problem, in_order, meant
from paywright_codegen.reader.loader import parse, read_documents


def lint_words(contract: Contract) -> Iterator[Problem]:
    """Yield each operation, struct, value list and format without a line of prose."""
    kinds: dict[str, Mapping[str, Cited]] = {
        "operation": contract.operations, "type": contract.structs, "value list": contract.sets, "format": contract.formats,
        "notification": contract.seen,
    }  # fmt: skip
    for kind, parts in kinds.items():
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
            do = f"write `?{name}` where it arises, or remove it"
            yield Problem(each.place, f"the question `{name}` is not cited", do)


def _parts(contract: Contract) -> Iterator[Cited]:
    """Yield all parts that can refer to a question."""
    groups: tuple[Mapping[str, Cited], ...] = (
        contract.formats, contract.sets, contract.operations, contract.limits, contract.seen, contract.numbers,
        contract.signatures, contract.follows,
    )  # fmt: skip
    yield from (part for group in groups for part in group.values())
    yield from contract.moves
    yield from (value for chosen in contract.sets.values() for value in chosen.values)
    for struct in contract.all_structs():
        yield from (struct, *struct.fields, *struct.rules)
    yield from (one for each in contract.operations.values() for message in each.messages for one in message.headers)


def lint_reach(contract: Contract) -> Iterator[Problem]:
    """Yield types that no message uses."""
    structs = {struct.name: struct for struct in contract.all_structs()}
    messages = [message for operation in contract.operations.values() for message in operation.messages]
    names = [name for message in messages for name in (message.root.name, message.result) if name is not None]
    reached = {field.type.name for message in messages for field in message.headers}
    while names:
        name = names.pop()
        struct = structs.get(name) if name not in reached else None
        reached.add(name)
        if struct is not None:
            names += [field.type.name for field in struct.fields]
            names += [struct.parent] if struct.parent is not None else []
    for kind, parts in (("type", contract.structs), ("value list", contract.sets), ("format", contract.formats)):
        for name, part in parts.items():
            if name not in reached:
                yield Problem(part.place, f"no message uses the {kind} `{name}`", "use it, or remove it")


def lint_circles(contract: Contract) -> Iterator[Problem]:
    """Yield structs that contain themselves, directly or through others, and files whose validators would import one another."""
    inside: dict[str, list[str]] = {}
    uses: dict[str, list[str]] = {}
    crossing: dict[tuple[str, str], Field] = {}
    for struct in contract.all_structs():
        fields = (field for field in struct.fields if field.type.name in contract.structs)
        named = [(field, contract.structs[field.type.name]) for field in fields]
        if struct.name in contract.structs:
            inside[struct.name] = [used.name for _, used in named]
        file = struct.place.file
        for field, used in named:
            if used.place.file != file:
                crossing.setdefault((file, used.place.file), field)
        uses.setdefault(file, [])
    for file, other in crossing:
        uses[file].append(other)
    circles = _circles(inside)
    for name in (name for name in inside if name in circles):
        yield Problem(contract.structs[name].place, f"`{name}` contains itself", "make the inner one a type of its own")
    circles = _circles(uses)
    for (file, other), field in crossing.items():
        if {file, other} <= circles:
            what = f"`{field.wire}` has a type of {other}, which uses types of {file}: neither could be imported first"
            yield Problem(field.place, what, "move what both use into a file of its own")


def _circles(inside: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the names on a circle, and those on a way from one circle to another."""
    outside: dict[str, list[str]] = {name: [] for name in inside}
    for name, others in inside.items():
        for other in others:
            outside[other].append(name)
    left = set(inside)
    for graph in (inside, outside):
        sorter = TopologicalSorter(graph)
        with suppress(CycleError):
            sorter.prepare()
        while ready := sorter.get_ready():
            left -= {*ready}
            sorter.done(*ready)
    return left


def lint_limits(contract: Contract) -> Iterator[Problem]:
    """Yield a second limit of decimals."""
    for second in [limit for limit in contract.limits.values() if limit.decimals is not None][1:]:
        yield Problem(second.place, f"limit `{second.name}`: another limit says how many decimals are sent", "keep one")


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


_EACH = (
    lint_fields, lint_names, lint_rules, lint_operations, lint_signatures, lint_circles, lint_limits, lint_moves, lint_follows,
    lint_words, lint_recognition, lint_examples,
)  # fmt: skip
_WHOLE = (lint_questions, lint_reach)


def lint(contract: Contract) -> tuple[Problem, ...]:
    """Return all problems of a contract that could be read, by file and line."""
    return _all(contract, (*_EACH, *_WHOLE)) or _all(contract, (lint_whole_examples,))


def _all(contract: Contract, checks: Iterable[Callable[[Contract], Iterable[Problem]]]) -> tuple[Problem, ...]:
    try:
        return in_order(problem for check in checks for problem in check(contract))
    except RecursionError:  # no message is nested as deep as that
        place = next(iter(contract.structs.values())).place
        return (Problem(place, "types are nested too deep in one another", "nest fewer of them"),)


def check(folder: Path) -> tuple[Problem, ...]:
    """Return all problems of the contract in a folder, from bytes to meaning.

    If a line cannot be understood, no further problems of that line are reported, nor types that seem unused.
    """
    try:
        contract, problems = parse(read_documents(folder))
    except ContractProblems as error:
        return error.problems
    if not problems:
        return lint(contract)
    broken = {problem.place for problem in problems}
    more = _all(contract, _EACH)
    return in_order((*problems, *(problem for problem in more if problem.place not in broken)))
