"""What a check finds wrong with a part of the contract, as problems that name the line of the key that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paywright_codegen.model.cited import Cited, Place
from paywright_codegen.problems import Problem

__all__ = ["Complaint", "Complaints", "problems"]

Complaint = tuple[str | Cited | Place, str, str]
"""Where, what is wrong, and what to do.

Where is a key of the part (`echoes`), a key and the word behind it that is wrong (`refuses: BAD`), "" for the part as a whole, another
part of the contract, such as a field, or a place.
"""

Complaints = Iterator[Complaint]


def problems(part: Cited, said: str, complaints: Iterable[Complaint]) -> Iterator[Problem]:
    """Yield a problem for each complaint about a part, which `said` calls by its name at the beginning of what is wrong."""
    for at, what, do in complaints:
        place = part.at(at) if isinstance(at, str) else at.place if isinstance(at, Cited) else at
        yield Problem(place, f"{said}{what}", do)
