"""Rules: sentences about the members of one struct, as conditions and demands."""

from __future__ import annotations

from dataclasses import dataclass

from paywright_codegen.model.cited import Cited

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IsGiven:
    """`f is given` (or, negated, `f is empty`)."""

    path: Path
    negated: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """`f in V W`, `f is V`."""

    path: Path
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unknowable:
    """`?name`: a condition that no field shows. The rule is documented, not checked."""

    question: str


Condition = IsGiven | OneOf | Unknowable


@dataclass(frozen=True, slots=True)
class Need:
    """`need f or g`: at least one of them is given."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Refuse:
    """`refuse f`: absent or null."""

    path: Path


@dataclass(frozen=True, slots=True)
class Blank:
    """`f is empty`: absent, null, empty text or empty array."""

    path: Path


@dataclass(frozen=True, slots=True)
class AnyIs:
    """`f is V or g in W X`: at least one holds."""

    choices: tuple[OneOf, ...]


@dataclass(frozen=True, slots=True)
class Restrict:
    """`f max 43`, `f in A B`: a value that is present and not null must obey. `""` is none of the values."""

    path: Path
    max: int | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Differs:
    """`f differs from g`: if both are given and texts, they are not equal."""

    path: Path
    other: Path


@dataclass(frozen=True, slots=True)
class Joined:
    """`f is g then h`: if all three are given and texts, the first is the second followed by the third."""

    path: Path
    parts: tuple[Path, Path]


Demand = Need | Refuse | Blank | AnyIs | Restrict | Differs | Joined


def paths_of(part: Condition | Demand) -> tuple[Path, ...]:
    """Return the members that a condition or demand names, in the order of its sentence."""
    if isinstance(part, Unknowable):
        return ()
    if isinstance(part, Need):
        return part.paths
    if isinstance(part, AnyIs):
        return tuple(choice.path for choice in part.choices)
    others = (part.other,) if isinstance(part, Differs) else part.parts if isinstance(part, Joined) else ()
    return (part.path, *others)


@dataclass(frozen=True, slots=True)
class Rule(Cited):
    """A sentence about the fields of one struct. `text` is the sentence as written, with white space folded."""

    id: str = ""
    text: str = ""
    when: tuple[Condition, ...] = ()
    demands: tuple[Demand, ...] = ()

    @property
    def open_questions(self) -> tuple[str, ...]:
        """Return the questions that the conditions are, and those behind the sentence."""
        return (*(one.question for one in self.when if isinstance(one, Unknowable)), *self.questions)

    @property
    def checked(self) -> bool:
        """Return whether validators can check the rule."""
        return not any(isinstance(condition, Unknowable) for condition in self.when)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the members that the sentence names, in its order."""
        return tuple(path for part in (*self.when, *self.demands) for path in paths_of(part))
