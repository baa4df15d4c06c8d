"""Run all checks of the linter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from paywright_codegen.examples import lint_examples, lint_whole_examples
from paywright_codegen.lint.fields import lint_fields
from paywright_codegen.lint.names import lint_names
from paywright_codegen.lint.notifications import lint_follows, lint_recognition
from paywright_codegen.lint.operations import lint_operations
from paywright_codegen.lint.rules import lint_rules
from paywright_codegen.lint.signatures import lint_signatures
from paywright_codegen.lint.whole import lint_circles, lint_limits, lint_moves, lint_questions, lint_reach, lint_words
from paywright_codegen.model.contract import Contract
from paywright_codegen.problems import ContractProblems, Problem, in_order
from paywright_codegen.reader.loader import parse, read_documents

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
