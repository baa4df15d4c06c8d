"""What is wrong with a contract, and where: values that are collected, and the one exception that carries them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paywright_codegen.model import Place


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where it stands, what it is, and what to do about it."""

    place: Place
    what: str
    do: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}; {self.do}"


class ContractProblems(Exception):
    """The contract cannot be used. `problems` are all that were found, in the order of files and lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems by file and line, each once."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda one: (one.place.file, one.place.line)))
