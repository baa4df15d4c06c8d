"""Claims of `spec/coverage.yaml`: the line, question or test that covers each statement of the specification.

The file lists every statement by its place and the hash of its text, so that it can be compared with a new edition. Without
one, it is checked that every statement has a claim, and that what a claim names exists.

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
from pathlib import Path

from paywright_codegen.documents.statements import Heading, Statement, read_specification
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.problems import Problem, in_order
from paywright_codegen.reader.document import Document, TreeEntry
from paywright_codegen.reader.yaml_reader import COVERAGE_FILE, read_file, read_folder

__all__ = ["Comparison", "StatementClaim", "claims_text", "compare", "read_claims", "summary"]

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
    """Comparison of the claims with an edition of the specification."""

    claimed: tuple[tuple[Statement, StatementClaim], ...]
    new: tuple[Statement, ...]
    gone: tuple[StatementClaim, ...]
    problems: tuple[Problem, ...]

    def text(self) -> str:
        """List new statements with their text, lost ones with their claim, and citations of sections that do not exist."""
        lines = [f"+ {one.place} (line {one.line}): {one.text}" for one in self.new]
        lines += [f"- {one.section}:{one.number} ({one.place}): {one.text}" for one in self.gone]
        lines += map(str, self.problems)
        moved = sum((one.section, one.number) != (claim.section, claim.number) for one, claim in self.claimed)
        lines.append(
            f"{len(self.claimed) + len(self.new)} statements: {len(self.claimed)} as listed"
            f"{f', {moved} of them in another place' if moved else ''}, {len(self.new)} new or changed, {len(self.gone)} gone"
        )
        return "\n".join(lines) + "\n"


def read_claims(folder: Path, contract: Contract) -> tuple[Sequence[StatementClaim], Sequence[Problem]]:
    """Read the claims of a contract's folder, and their problems: a statement without a claim, or a claim that names what does not exist."""
    path = folder / COVERAGE_FILE
    file = f"{folder.resolve().name}/{COVERAGE_FILE}"
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        do = "write it with `paywright contract coverage SPECIFICATION --write`"
        return (), [Problem(SourcePlace(file, 1), "the file does not exist", do)]
    document, problems = read_file(file, raw)
    if document is None:
        return (), problems
    documents, _ = read_folder(folder)
    known = _names(documents)
    claims: list[StatementClaim] = []
    for section in document.block:
        for entry in section.block:
            key = _KEY.fullmatch(entry.key.text)
            if key is None:
                do = "write its number in the section and ten digits of its hash, as `--write` does"
                problems.append(Problem(entry.place, f"`{entry.key.text}` names no statement", do))
                continue
            claim = StatementClaim(section.key.text, int(key[1]), key[2], entry.text or UNCLAIMED, entry.place)
            claims.append(claim)
            problems.extend(_wrong(claim, known, contract))
    return claims, in_order(problems)


def compare(contract: Contract, claims: Sequence[StatementClaim], markdown_text: str) -> Comparison:
    """Compare the claims with an edition. A statement keeps its claim by its text, in its own section before any other."""
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
    return Comparison(
        tuple((one, claimed[one.place]) for one in statements if one.place in claimed),
        tuple(one for one in statements if one.place not in claimed),
        tuple(left),
        in_order(_missing_sections(contract, headings)),
    )


def claims_text(comparison: Comparison) -> str:
    """Return the file with every statement of the edition: claims stay, new statements are `unclaimed`, those that are gone are left out."""
    carried = {one.place: claim.text for one, claim in comparison.claimed}
    lines: list[str] = [*_HEADER.splitlines()]
    section = None
    for one in sorted((*(one for one, _ in comparison.claimed), *comparison.new), key=_order):
        if one.section != section:
            section = one.section
            lines += ["", f"{section}:"]
        text = carried.get(one.place, UNCLAIMED)
        lines.append(f"  {one.number} {one.digest}: {_quoted(text)}")
    return "\n".join(lines) + "\n"


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
# `paywright contract coverage SPECIFICATION --write` brings it up to a new edition; `paywright contract coverage` checks it."""


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
