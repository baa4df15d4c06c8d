"""Which headings of the specification the contract cites, and which it does not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paywright_codegen.model import Contract, Place
from paywright_codegen.problems import Problem, in_order

_HEADING = re.compile(r"(#{1,6}) +([0-9]+(?:[.][0-9]+)*)[.]? +(.+)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_ITEM = re.compile(r"([0-9]+)[.] ")


@dataclass(frozen=True, slots=True)
class Heading:
    """A numbered heading of a specification. `items` is how many points its numbered lists count."""

    number: str
    title: str
    line: int
    items: int = 0


@dataclass(frozen=True, slots=True)
class Covered:
    """A heading, the lines of the contract that cite it or one of its points, and those that cite its parts."""

    heading: Heading
    places: tuple[Place, ...]
    parts: tuple[Place, ...]

    @property
    def said(self) -> str:
        if self.places:
            return "cited"
        return "only its parts are cited" if self.parts else "NOT CITED"


@dataclass(frozen=True, slots=True)
class Coverage:
    """All headings in order; `problems` are the citations of headings that do not exist."""

    headings: tuple[Covered, ...]
    problems: tuple[Problem, ...]

    @property
    def uncited(self) -> tuple[Heading, ...]:
        """The headings that nothing cites, not even by their parts."""
        return tuple(one.heading for one in self.headings if not one.places and not one.parts)

    def text(self) -> str:
        """One line for each heading with the places that cite it, then what nothing cites."""
        lines = []
        for one in self.headings:
            title = f"{one.heading.number} {one.heading.title}"
            lines.append(f"{title}: {one.said}")
            lines += [f"    {line}" for line in _by_file(one.places)]
        lines += ["", f"{len(self.headings)} headings, {len(self.uncited)} of them cited by nothing"]
        lines += [f"    {heading.number} {heading.title} (line {heading.line})" for heading in self.uncited]
        if self.problems:
            lines += ["", *map(str, self.problems)]
        return "\n".join(lines) + "\n"


def headings(markdown_text: str) -> tuple[Heading, ...]:
    """The numbered headings of a document in Markdown, in order: `## 8. Limits`, `### 4.13 Refund application`."""
    found: list[Heading] = []
    fenced = False
    for number, line in enumerate(markdown_text.split("\n"), 1):
        line = line.rstrip("\r")
        if _FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        heading = _HEADING.fullmatch(line.rstrip())
        item = _ITEM.match(line)
        if heading is not None:
            found.append(Heading(heading[2], heading[3].strip(), number))
        elif item is not None and found and len(item[1]) <= 4:
            last = found[-1]
            found[-1] = Heading(last.number, last.title, last.line, max(last.items, int(item[1])))
    return tuple(found)


def coverage(contract: Contract, markdown_text: str) -> Coverage:
    """What of a specification the contract cites.

    `[5.3]` is point 3 of the numbered list in section 5, if 5.3 is no heading.
    """
    known = {heading.number: heading for heading in headings(markdown_text)}
    places: dict[str, list[Place]] = {number: [] for number in known}
    problems: list[Problem] = []
    for section, place in contract.citations:
        number = _heading_of(section, known)
        if number is None:
            problems.append(Problem(place, f"the specification has no section {section}", "correct the citation"))
        else:
            places[number].append(place)
    covered = []
    for number, heading in known.items():
        parts = [place for other, found in places.items() if other.startswith(f"{number}.") for place in found]
        covered.append(Covered(heading, _unique(places[number]), _unique(parts)))
    return Coverage(tuple(covered), in_order(problems))


def _heading_of(section: str, known: dict[str, Heading]) -> str | None:
    """The heading that a citation means, as itself or as one of its points."""
    if section in known:
        return section
    above, _, point = section.rpartition(".")
    if above in known and point.isdecimal() and len(point) <= 4 and 1 <= int(point) <= known[above].items:
        return above
    return None


def _unique(places: list[Place]) -> tuple[Place, ...]:
    return tuple(sorted(dict.fromkeys(places), key=lambda place: (place.file, place.line)))


def _by_file(places: tuple[Place, ...]) -> list[str]:
    """`spec/orders.yaml:4,17,30`, a line for each file."""
    lines: dict[str, list[str]] = {}
    for place in places:
        lines.setdefault(place.file, []).append(str(place.line))
    return [f"{file}:{','.join(numbers)}" for file, numbers in lines.items()]
