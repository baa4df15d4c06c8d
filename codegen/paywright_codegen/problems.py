"""Problems of a contract with their places, and the exception that carries them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from paywright_codegen.model.cited import Cited, SourcePlace

_MOST_COMPARED = 500

Complaint = tuple[str | Cited | SourcePlace, str, str]
"""Place, what is wrong, and what to do.

The place is a key of the part (`echoes`), a key and the wrong word behind it (`refuses: BAD`), "" for the part as a whole, another
part of the contract, such as a field, or a line.
"""

Complaints = Iterator[Complaint]


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: its place, what is wrong, and what to do about it."""

    place: SourcePlace
    what: str
    do: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}; {self.do}"


class ContractProblems(Exception):
    """Raised when the contract cannot be used. `problems` are all that were found, by file and line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def meant(word: str, known: Iterable[str]) -> str:
    """Return the beginning of an advice, with the known name nearest to a mistyped one; "" if none is near, or too many are known."""
    names = list(known)
    if len(names) > _MOST_COMPARED:
        return ""
    by_letters = {name.lower(): name for name in reversed(names)}
    found = get_close_matches(word.lower(), by_letters, n=1, cutoff=0.65)
    return f"did you mean `{by_letters[found[0]]}`? Else " if found and by_letters[found[0]] != word else ""


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems by file and line, each once."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda one: (one.place.file, one.place.line)))


def problems_of(part: Cited, subject: str, complaints: Iterable[Complaint]) -> Iterator[Problem]:
    """Yield a problem for each complaint about a part. Its text begins with `subject`, the part's name."""
    for at, what, do in complaints:
        place = part.at(at) if isinstance(at, str) else at.place if isinstance(at, Cited) else at
        yield Problem(place, f"{subject}{what}", do)
