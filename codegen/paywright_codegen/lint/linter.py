"""The linter: what a contract says although it cannot be meant."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from paywright_codegen.guards import lint_guards
from paywright_codegen.lint_fields import lint_fields
from paywright_codegen.lint_names import lint_names
from paywright_codegen.lint_operations import lint_operations
from paywright_codegen.lint_rules import lint_rules
from paywright_codegen.lint_whole import (
    lint_circles,
    lint_formats,
    lint_limits,
    lint_moves,
    lint_questions,
    lint_reach,
    lint_words,
)
from paywright_codegen.model import Contract
from paywright_codegen.parsing import parse, read_documents
from paywright_codegen.problems import ContractProblems, Problem, in_order

_EACH = (
    lint_formats,
    lint_fields,
    lint_names,
    lint_rules,
    lint_guards,
    lint_operations,
    lint_circles,
    lint_limits,
    lint_moves,
    lint_words,
)
_WHOLE = (lint_questions, lint_reach)


def lint(contract: Contract) -> tuple[Problem, ...]:
    """Everything that is wrong with a contract that could be read, by file and line; empty if nothing is."""
    return in_order(problem for check in (*_EACH, *_WHOLE) for problem in check(contract))


def check(folder: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with the contract in a folder, from its bytes to its meaning; empty if nothing is.

    Where a line could not be understood, no more is said of that line, nor of what nothing seems to use.
    """
    try:
        contract, problems = parse(read_documents(folder))
    except ContractProblems as error:
        return error.problems
    if not problems:
        return lint(contract)
    broken = {problem.place for problem in problems}
    more: Iterable[Problem] = (problem for check in _EACH for problem in check(contract))
    return in_order((*problems, *(problem for problem in more if problem.place not in broken)))
