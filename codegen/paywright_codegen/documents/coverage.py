"""Claims of `spec/coverage.yaml`: the line, question or test that covers each statement of the specification.

The file lists every statement by its place and the hash of its text, so that it can be compared with a new edition, and the facts
of the contract (`documents.facts`). Without an edition, it is checked that every statement has a claim, that what a claim names
exists, and that the contract still has the facts.

    4.3:
      2 9a41c0d2be: orders.query.request.outTradeNo, ?inquiry-63
      3 0c6a8e4411: test tests/runtime/resolution/test_order.py::test_two_absences
      4 77be21f0aa: not ours (how the service finds the payer's country)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from paywright_codegen.documents.facts import (
    FACTS,
    changed_facts,
    contradictions,
    entries_of,
    facts_text,
    restated,
    reworded,
)
from paywright_codegen.documents.statements import Heading, Statement, read_specification
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.problems import Problem, in_order
from paywright_codegen.reader.document import Document, TreeEntry
from paywright_codegen.reader.yaml_reader import COVERAGE_FILE, read_file, read_folder

__all__ = [
    "Comparison",
    "StatementClaim",
    "check_contradictions",
    "check_facts",
    "claims_text",
    "compare",
    "read_claims",
    "summary",
]

UNCLAIMED = "unclaimed"
_KEY = re.compile(r"([0-9]+) ([0-9a-f]{10})")
_TEST = re.compile(r"test (\S+[.]py::\w+)")
_NOT_OURS = re.compile(r"not ours \((.+)\)")


@dataclass(frozen=True, slots=True)
class StatementClaim:
    """One statement of the file, and its claim as written."""

    section: str
    number: int
    digest: str
    text: str
    place: SourcePlace

    @property
    def kind(self) -> str:
        """Kind of the claim: the contract, a question, a test; or `not ours`, or `unclaimed`."""
        if self.text == UNCLAIMED:
            return UNCLAIMED
        if _NOT_OURS.fullmatch(self.text):
            return "not ours"
        names = self.names
        if any(name.startswith("test ") for name in names):
            return "a test"
        return "a question" if all(name.startswith("?") for name in names) else "the contract"

    @property
    def names(self) -> tuple[str, ...]:
        """Entries of the contract, `?questions` and `test ...` in the claim; none where it is not ours or unclaimed."""
        if self.text == UNCLAIMED or _NOT_OURS.fullmatch(self.text):
            return ()
        return tuple(part.strip() for part in self.text.split(","))

    @property
    def test(self) -> str | None:
        """The test in the claim, as pytest names it."""
        found = (_TEST.fullmatch(name) for name in self.names)
        return next((match[1] for match in found if match is not None), None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of the claims with an edition of the specification. `moved` are those claimed that stand elsewhere now."""

    claimed: tuple[tuple[Statement, StatementClaim], ...]
    moved: tuple[tuple[Statement, StatementClaim], ...]
    new: tuple[Statement, ...]
    gone: tuple[StatementClaim, ...]
    problems: tuple[Problem, ...]

    @property
    def statements(self) -> Mapping[str, Sequence[Statement]]:
        """The statements that each entry of the contract covers, by its name."""
        found: dict[str, list[Statement]] = {}
        for one, claim in self.claimed:
            for name in claim.names:
                found.setdefault(name, []).append(one)
        return found

    def text(self, file: str) -> str:
        """List new, lost and moved statements, and the contract's problems. `file` is the name of the edition."""
        lines = [f"+ {file}:{one.line}: {one.place} is new or changed: {one.text}" for one in self.new]
        for one in self.gone:
            before = [(was.number, now.line) for now, was in self.claimed if was.section == one.section]
            _, line = max((pair for pair in before if pair[0] < one.number), default=(0, 1))
            after = f"behind {file}:{line}"
            lines.append(f"- {one.place}: {one.section}:{one.number} is gone or changed, {after}: {one.text}")
        lines += [
            f"> {file}:{one.line}: {one.place} stood elsewhere ({claim.place}: {claim.section}:{claim.number}): {one.text}"
            for one, claim in self.moved
        ]
        lines += map(str, self.problems)
        lines.append(
            f"{len(self.claimed) + len(self.new)} statements: {len(self.claimed)} as listed, "
            f"{len(self.moved)} of them moved, {len(self.new)} new or changed, {len(self.gone)} gone"
        )
        return "\n".join(lines) + "\n"


def read_claims(folder: Path, contract: Contract) -> tuple[Sequence[StatementClaim], Sequence[Problem]]:
    """Read the claims of a contract's folder, and their problems: a statement without a claim, or a claim that names what does not exist."""
    document, problems = _read(folder)
    if document is None:
        return (), problems
    known = _names(read_folder(folder)[0])
    claims: list[StatementClaim] = []
    for section in document.block:
        for entry in section.block if section.key.text != FACTS else ():
            key = _KEY.fullmatch(entry.key.text)
            if key is None:
                do = "write its number in the section and ten digits of its hash, as `--write` does"
                problems.append(Problem(entry.place, f"`{entry.key.text}` names no statement", do))
                continue
            claim = StatementClaim(section.key.text, int(key[1]), key[2], entry.text or UNCLAIMED, entry.place)
            claims.append(claim)
            problems.extend(_wrong(claim, known, contract))
    return claims, in_order(problems)


def check_facts(folder: Path, found: Comparison | None = None) -> Sequence[Problem]:
    """Find where the contract is not as recorded; with an edition's comparison, also where the record does not show what it states."""
    document, problems = _read(folder)
    if document is None:
        return problems
    documents, unreadable = read_folder(folder)
    if unreadable:
        return unreadable
    entries = entries_of(documents)
    problems += changed_facts(_recorded(document), entries)
    if found is not None:
        problems += restated(_recorded(document), entries, found.statements)
    return in_order(problems)


def check_contradictions(folder: Path, found: Comparison) -> tuple[Problem, ...]:
    """Find where the contract says other than the statements of an edition that it covers."""
    return in_order(contradictions(_recorded(_read(folder)[0]), entries_of(read_folder(folder)[0]), found.statements))


def compare(contract: Contract, claims: Sequence[StatementClaim], markdown_text: str) -> Comparison:
    """Compare the claims with an edition. A statement keeps its claim by its text, in its own section before any other.

    One that changed its section, or its order among those of its section, is moved: rows change their table so.
    """
    headings, statements = read_specification(markdown_text)
    left = list(claims)
    claimed: dict[str, StatementClaim] = {}
    for alike in (
        lambda one, claim: (one.section, one.number) == (claim.section, claim.number),
        lambda one, claim: one.section == claim.section,
        lambda one, claim: True,
    ):
        for one in statements:
            found = one.place not in claimed and next(
                (claim for claim in left if claim.digest == one.digest and alike(one, claim)), None
            )
            if found:
                claimed[one.place] = found
                left.remove(found)
    pairs = tuple((one, claimed[one.place]) for one in statements if one.place in claimed)
    return Comparison(
        pairs,
        tuple(_moved(pairs)),
        tuple(one for one in statements if one.place not in claimed),
        tuple(left),
        in_order(_missing_sections(contract, headings)),
    )


def claims_text(folder: Path, comparison: Comparison) -> str:
    """Return the file with every statement of the edition, and the facts: claims stay, new statements are `unclaimed`, those that are gone are left out."""
    carried = {one.place: claim.text for one, claim in comparison.claimed}
    lines: list[str] = [*_HEADER.splitlines()]
    section = None
    for one in sorted((*(one for one, _ in comparison.claimed), *comparison.new), key=_order):
        if one.section != section:
            section = one.section
            lines += ["", f"{section}:"]
        text = carried.get(one.place, UNCLAIMED)
        lines.append(f"  {one.number} {one.digest}: {_quoted(text)}")
    lines += ["", f"{FACTS}:"]
    for entry in entries_of(read_folder(folder)[0]):
        lines.append(f"  {entry.name}: {_quoted(facts_text(entry, comparison.statements))}")
    return "\n".join(lines) + "\n"


def reworded_text(folder: Path) -> str | None:
    """Return the file with the words of the contract's prose as they are now, and all else as recorded; None if nothing is."""
    recorded = _recorded(_read(folder)[0])
    if not recorded:
        return None
    known = {entry.name: entry for entry in entries_of(read_folder(folder)[0])}
    lines = (folder / COVERAGE_FILE).read_text(encoding="utf-8").split("\n")
    for line in recorded:
        name = line.key.text
        text = reworded(known[name], line.text) if name in known else None
        if text is not None:
            lines[line.place.line - 1] = f"  {name}: {_quoted(text)}"
    return "\n".join(lines)


def summary(claims: Sequence[StatementClaim]) -> str:
    """Count the statements by the kind of their claim, in one line."""
    kinds = Counter(claim.kind for claim in claims)
    parts = ", ".join(f"{kinds[kind]} by {kind}" for kind in ("the contract", "a question", "a test") if kinds[kind])
    return f"{len(claims)} statements: {parts}; {kinds['not ours']} are not ours, {kinds[UNCLAIMED]} are unclaimed"


_HEADER = """\
# Cover of each statement of the specification: its number in its section and the hash of its text, then, parted by commas,
#
#   orders.query.request.outTradeNo     an entry of the contract, by its keys from its own name on
#   ?inquiry-63                         a question
#   test tests/...py::test_name         a test that shows it
#   not ours (why)                      nothing that a client, a receiver or the sandbox could do or break
#
# Number 0 is the heading of the section. `facts:` lists what each entry of the contract says: first what the statements state that
# it covers, then what is ours; `~1a2b` marks the words of prose. Claims are written by hand, facts only by the command.
#
# `paywright contract coverage SPECIFICATION --write` brings it up to a new edition; `paywright contract coverage` checks it."""


def _read(folder: Path) -> tuple[Document | None, list[Problem]]:
    file = f"{folder.resolve().name}/{COVERAGE_FILE}"
    try:
        return read_file(file, (folder / COVERAGE_FILE).read_bytes())
    except FileNotFoundError:
        do = "write it with `paywright contract coverage SPECIFICATION --write`"
        return None, [Problem(SourcePlace(file, 1), "the file does not exist", do)]


def _recorded(document: Document | None) -> Sequence[TreeEntry]:
    recorded = document.block.get(FACTS) if document is not None else None
    return recorded.block.entries if recorded is not None else ()


def _moved(
    pairs: Sequence[tuple[Statement, StatementClaim]],
) -> Iterator[tuple[Statement, StatementClaim]]:
    """Yield the pairs of another section, and in each section those outside of the longest row of pairs that kept its order."""
    sections: dict[str, list[tuple[Statement, StatementClaim]]] = {}
    for pair in pairs:
        one, claim = pair
        if one.section != claim.section:
            yield pair
        else:
            sections.setdefault(one.section, []).append(pair)
    for group in sections.values():
        before = sorted(group, key=lambda pair: pair[1].number)
        kept = SequenceMatcher(None, [id(pair) for pair in before], [id(pair) for pair in group], autojunk=False)
        in_place = {block.b + step for block in kept.get_matching_blocks() for step in range(block.size)}
        yield from (pair for at, pair in enumerate(group) if at not in in_place)


def _order(one: Statement) -> tuple[Sequence[int], int]:
    return [int(part) for part in one.section.split(".") if part], one.number


def _quoted(text: str) -> str:
    plain = ": " not in text and " #" not in text and text[:1] not in "?*&!|>'\"%@`[{"
    return text if plain else "'" + text.replace("'", "''") + "'"


def _wrong(claim: StatementClaim, known: Mapping[str, SourcePlace], contract: Contract) -> Iterator[Problem]:
    if claim.text == UNCLAIMED:
        what = f"nothing covers statement {claim.section}:{claim.number}"
        yield Problem(
            claim.place, what, "name the entry, the question or the test that does, or say why it is not ours"
        )
    for name in claim.names:
        if name.startswith("?"):
            if name[1:] not in contract.questions:
                yield Problem(claim.place, f"no question is called `{name[1:]}`", "name a question of the contract")
        elif name.startswith("test "):
            if _TEST.fullmatch(name) is None:
                yield Problem(
                    claim.place, f"`{name}` names no test", "write `test tests/folder/test_file.py::test_name`"
                )
        elif name not in known:
            do = "write its keys from its own name on, such as orders.query.request.outTradeNo"
            yield Problem(claim.place, f"the contract has no entry `{name}`", do)


def _names(documents: Iterable[Document]) -> dict[str, SourcePlace]:
    """Name every entry of the contract by its keys, which begin with the section; those of operations and types begin with their own name."""
    names: dict[str, SourcePlace] = {}
    for document in documents:
        for section in document.block:
            above = section.key.text if section.key.text in ("rules", "moves", "follows", "limits", "versions") else ""
            values = section.key.text in ("enums", "states")
            for entry in section.block:
                _collect(entry, f"{above}.{entry.key.name}" if above else entry.key.name, values, names)
    return names


def _collect(entry: TreeEntry, name: str, values: bool, names: dict[str, SourcePlace]) -> None:
    """Add the entry and those under it. An entry of a value list has the name of the value, without its meaning."""
    names[name] = entry.place
    for inner in entry.block:
        _collect(inner, f"{name}.{inner.key.name.split()[0] if values else inner.key.name}", values, names)


def _missing_sections(contract: Contract, headings: Sequence[Heading]) -> Iterator[Problem]:
    """Find citations of sections that the edition does not have. `[5.3]` is point 3 of the list in section 5, if 5.3 is no heading."""
    known = {heading.number: heading for heading in headings}
    for section, place in contract.citations:
        above, _, point = section.rpartition(".")
        listed = above in known and point.isdecimal() and len(point) <= 4 and 1 <= int(point) <= known[above].items
        if section not in known and not listed:
            yield Problem(place, f"the specification has no section {section}", "correct the citation")
