"""Claims of a specification's statements, in `spec/coverage.yaml`: what carries each, and how they compare with an edition.

A claim is found by the hash of the statement's text, wherever that stands. Behind each entry of the contract that a claim names stands the
digest of that entry as it was compared. A document without numbered headings is a release note: its statements are added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from paywright_codegen.documents.facts import FactEntry, contradictions, entries_of
from paywright_codegen.documents.statements import Heading, Statement, read_specification
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.problems import Problem, in_order
from paywright_codegen.reader.yaml_reader import COVERAGE_FILE, read_file, read_folder

UNCLAIMED = "unclaimed"
CHANGED = "changed"
_DIGEST = re.compile(r"[0-9a-f]{10}")
_TEST = re.compile(r"test (\S+[.]py::\w+)")
_NOT_OURS = re.compile(r"not ours \((.+)\)")
_COMPARED = re.compile(r"(.+?)~([0-9a-f]{4})")


@dataclass(frozen=True, slots=True)
class StatementClaim:
    """One statement of the file, by the digest of its text, and its claim as written."""

    section: str
    digest: str
    text: str
    place: SourcePlace

    @property
    def kind(self) -> str:
        """Kind of the claim: the contract, a question, a test; or `not ours`, `changed` or `unclaimed`."""
        if self.text == UNCLAIMED or self.changed:
            return CHANGED if self.changed else UNCLAIMED
        if _NOT_OURS.fullmatch(self.text):
            return "not ours"
        names = self.names
        if any(name.startswith("test ") for name in names):
            return "a test"
        return "a question" if all(name.startswith("?") for name in names) else "the contract"

    @property
    def changed(self) -> bool:
        """Return whether the claim is that of the statement before it changed."""
        return self.text.startswith(f"{CHANGED}, ")

    @property
    def compared(self) -> Mapping[str, str | None]:
        """Entries of the contract, `?questions` and `test ...` in the claim, with the digest of each entry as it was compared."""
        text = self.text.removeprefix(f"{CHANGED}, ")
        if text == UNCLAIMED or _NOT_OURS.fullmatch(text):
            return {}
        parts = [part.strip() for part in text.split(",")]
        found = [_COMPARED.fullmatch(part) for part in parts]
        return {
            match[1] if match else part: match[2] if match else None for part, match in zip(parts, found, strict=True)
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the claim; none where it is not ours or unclaimed."""
        return tuple(self.compared)

    @property
    def test(self) -> str | None:
        """The test in the claim, as pytest names it."""
        found = (_TEST.fullmatch(name) for name in self.names)
        return next((match[1] for match in found if match is not None), None)


def read_claims(folder: Path, contract: Contract) -> tuple[Sequence[StatementClaim], Sequence[Problem]]:
    """Read the claims of a contract's folder, and their problems: a statement without a claim, or a claim that names what does not exist."""
    file = f"{folder.resolve().name}/{COVERAGE_FILE}"
    try:
        document, problems = read_file(file, (folder / COVERAGE_FILE).read_bytes())
    except FileNotFoundError:
        do = "write it with `paywright contract coverage SPECIFICATION --write`"
        return (), [Problem(SourcePlace(file, 1), "the file does not exist", do)]
    if document is None:
        return (), problems
    entries = entries_of(read_folder(folder)[0])
    known = {entry.name for entry in entries} | {f"{entry.name}.{value}" for entry in entries for value in entry.values}
    claims: list[StatementClaim] = []
    for section in document.block:
        for entry in section.block:
            if _DIGEST.fullmatch(entry.key.text) is None:
                do = "write ten digits of its hash, as `--write` does"
                problems.append(Problem(entry.place, f"`{entry.key.text}` names no statement", do))
                continue
            claim = StatementClaim(section.key.text, entry.key.text, entry.text or UNCLAIMED, entry.place)
            claims.append(claim)
            problems.extend(_wrong(claim, known, contract))
    return claims, in_order(problems)


def summary(claims: Sequence[StatementClaim]) -> str:
    """Count the statements by the kind of their claim, in one line."""
    kinds = Counter(claim.kind for claim in claims)
    parts = ", ".join(f"{kinds[kind]} by {kind}" for kind in ("the contract", "a question", "a test") if kinds[kind])
    rest = f"{kinds['not ours']} are not ours, {kinds[UNCLAIMED]} are unclaimed, {kinds[CHANGED]} changed"
    return f"{len(claims)} statements: {parts}; {rest}"


def _wrong(claim: StatementClaim, known: Set[str], contract: Contract) -> Iterator[Problem]:
    if claim.text == UNCLAIMED:
        do = "name the entry, the question or the test that does, or say why it is not ours"
        yield Problem(claim.place, f"nothing covers statement {claim.digest} of section {claim.section}", do)
    if claim.changed:
        what = f"statement {claim.digest} of section {claim.section} has changed since it was claimed"
        yield Problem(claim.place, what, f"compare it with what the claim names, and take `{CHANGED}, ` away")
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


_NUMBERED = re.compile(r"[0-9]+(?:[.][0-9]+)*")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of the claims with an edition of the specification, or with a release note.

    `moved` are those claimed that stand elsewhere now, `changed` those whose text is another, with the claim of the text before.
    `kept` are claims that this document says nothing about.
    """

    claimed: tuple[tuple[Statement, StatementClaim], ...]
    moved: tuple[tuple[Statement, StatementClaim], ...]
    changed: tuple[tuple[Statement, StatementClaim], ...]
    new: tuple[Statement, ...]
    gone: tuple[StatementClaim, ...]
    kept: tuple[StatementClaim, ...]
    problems: tuple[Problem, ...]

    @property
    def differs(self) -> bool:
        """Return whether the document says anything else than what is claimed."""
        return bool(self.moved or self.changed or self.new or self.gone)

    @property
    def is_another(self) -> bool:
        """Return whether nothing of an edition is claimed. A release note may be new as a whole."""
        return not self.claimed and any(_NUMBERED.fullmatch(one.section) for one in self.new)

    @property
    def statements(self) -> Mapping[str, Sequence[Statement]]:
        """The statements that each entry of the contract covers, by its name. A release note replaces what was stated before it."""
        later = {name for claim in self.kept if not _NUMBERED.fullmatch(claim.section) for name in claim.names}
        found: dict[str, list[Statement]] = {}
        for one, claim in (*self.claimed, *self.changed):
            for name in claim.names:
                if name not in later:
                    found.setdefault(name, []).append(one)
        return found

    def text(self, file: str) -> str:
        """List new, changed, lost and moved statements, and the contract's problems. `file` is the name of the edition."""
        lines = [f"+ {file}:{one.line}: {one.place} is new: {one.text}" for one in self.new]
        lines += [
            f"~ {file}:{one.line}: {one.place} changed, {was.place}: {was.text}: {one.text}"
            for one, was in self.changed
        ]
        for one in self.gone:
            before = [
                now for now, was in self.claimed if was.section == one.section and was.place.line < one.place.line
            ]
            lines.append(
                f"- {one.place}: {one.section} has it no more, behind {file}:{before[-1].line if before else 1}: {one.text}"
            )
        lines += [
            f"> {file}:{one.line}: {one.place} stood elsewhere ({was.place}: {was.section}): {one.text}"
            for one, was in self.moved
        ]
        lines += map(str, self.problems)
        lines.append(
            f"{len(self.claimed) + len(self.changed) + len(self.new)} statements: {len(self.claimed)} as listed, "
            f"{len(self.moved)} of them moved, {len(self.changed)} changed, {len(self.new)} new, {len(self.gone)} gone"
        )
        return "\n".join(lines) + "\n"


def check_entries(folder: Path, found: Comparison, file: str) -> tuple[Sequence[Problem], Sequence[Problem]]:
    """Find where the contract says other than the statements that it covers, and which entries have changed since they were compared."""
    entries = entries_of(read_folder(folder)[0])
    refused = in_order(contradictions(entries, found.statements))
    told = {problem.place for problem in refused}
    return refused, in_order(problem for problem in _uncompared(entries, found, file) if problem.place not in told)


def _uncompared(entries: Sequence[FactEntry], found: Comparison, file: str) -> Iterator[Problem]:
    digests = _digests(entries, {name for _, claim in found.claimed for name in claim.names})
    for one, claim in found.claimed:
        for name, then in claim.compared.items():
            now, place = digests.get(name, (then, claim.place))
            if now != then:
                what = f"`{name}` has changed since it was compared with {one.place} ({file}:{one.line}): {one.text}"
                yield Problem(place, what, "compare them again, and record it with --write")


def _digests(entries: Sequence[FactEntry], claimed: Iterable[str]) -> Mapping[str, tuple[str, SourcePlace]]:
    """Return the digest of each claimed entry and its place. What nothing claims belongs to the nearest claimed entry around it."""
    known, parts = set(claimed), dict[str, list[FactEntry]]()
    places = {entry.name: entry.place for entry in entries}
    for entry in (one for one in entries if not one.is_heading):
        at = entry.name
        while at not in known and "." in at:
            at = at.rpartition(".")[0]
        homes = [at] if at in known else [name for name in known if name.startswith(f"{entry.name}.")]
        for name in homes:
            parts.setdefault(name, []).append(entry)
    found: dict[str, tuple[str, SourcePlace]] = {}
    for name, own in parts.items():
        whole = sha256("".join(each.digest for each in own).encode()).hexdigest()[:4]
        found[name] = own[0].digest if len(own) == 1 else whole, places.get(name, own[0].place)
    return found


def compare(contract: Contract, claims: Sequence[StatementClaim], markdown_text: str, note: str = "note") -> Comparison:
    """Compare the claims with an edition, or with a release note of that name. A statement keeps its claim by its text.

    One that stands in another section, or in another order among those of its section, is moved: rows change their table so. One that
    stands between the same neighbours, or names what the claim of a lost one names, is that statement changed.
    """
    headings, statements = read_specification(markdown_text)
    if not headings:
        statements = [replace(one, section=note) for one in statements]
    sections = {one.section for one in statements} if not headings else None
    left = {
        (claim.section, claim.digest): claim
        for claim in claims
        if (_NUMBERED.fullmatch(claim.section) if sections is None else claim.section in sections)
    }
    kept = tuple(claim for claim in claims if (claim.section, claim.digest) not in left)
    elsewhere = {claim.digest: claim for claim in left.values()}
    pairs: list[tuple[Statement, StatementClaim]] = []
    rest: list[Statement] = []
    used: set[tuple[str, str]] = set()
    own = {(one.section, one.digest) for one in statements}
    for one in statements:
        claim = left.get((one.section, one.digest))
        if claim is None and one.digest in elsewhere and (elsewhere[one.digest].section, one.digest) not in own:
            claim = elsewhere[one.digest]
        if claim is None:
            rest.append(one)
        elif (claim.section, claim.digest) not in used:  # what is said twice in a section is claimed once
            pairs.append((one, claim))
            used.add((claim.section, claim.digest))
    gone = [claim for place, claim in left.items() if place not in used]
    changed: list[tuple[Statement, StatementClaim]] = []
    in_place: set[str] = set()
    for section, group in groupby(statements, lambda one: one.section):
        old, new = [claim for claim in left.values() if claim.section == section], list(group)
        matcher = SequenceMatcher(None, [one.digest for one in old], [one.digest for one in new], autojunk=False)
        for kind, first, last, start, end in matcher.get_opcodes():
            in_place |= {one.place for one in new[start:end] if kind == "equal"}
            lost = [one for one in old[first:last] if one in gone]
            fresh = [one for one in new[start:end] if one in rest]
            for number, one in enumerate(fresh):
                between = lost[number : number + 1] if len(lost) == len(fresh) else []
                named = (claim for claim in gone if claim.section == section and _names_it(claim, one))
                claim = next(iter((*named, *(claim for claim in between if claim in gone))), None)
                if claim is not None:
                    gone.remove(claim)
                    rest.remove(one)
                    changed.append((one, claim))
    return Comparison(
        tuple(pairs),
        tuple((one, claim) for one, claim in pairs if one.place not in in_place),
        tuple(changed),
        tuple(rest),
        tuple(gone),
        kept,
        in_order(_missing_sections(contract, headings)) if headings else (),
    )


def _names_it(claim: StatementClaim, one: Statement) -> bool:
    """Return whether a statement begins with a member that a claim names, as a row of a table does."""
    return bool(one.columns) and any(one.cells[0] == name.rpartition(".")[2] for name in claim.names)


def claims_text(folder: Path, comparison: Comparison) -> str:
    """Return the file with every statement of the edition: claims stay, new statements are `unclaimed`, those that are gone are left out."""
    entries = entries_of(read_folder(folder)[0])
    kept = [
        *comparison.claimed,
        *(
            (one, replace(claim, text=f"{CHANGED}, {claim.text.removeprefix(f'{CHANGED}, ')}"))
            for one, claim in comparison.changed
        ),
    ]
    digests = _digests(
        entries, {name for claim in (*(claim for _, claim in kept), *comparison.kept) for name in claim.names}
    )
    said = {one.place: _claim_text(claim, digests) for one, claim in kept}
    found = [(one, said.get(one.place, UNCLAIMED)) for one in (*(one for one, _ in kept), *comparison.new)]
    sections: dict[str, dict[str, str]] = {}
    for one, text in sorted(found, key=lambda pair: (_number(pair[0].section), pair[0].number)):
        sections.setdefault(one.section, {}).setdefault(one.digest, text)
    for claim in comparison.kept:
        sections.setdefault(claim.section, {}).setdefault(claim.digest, claim.text)
    lines: list[str] = [*_HEADER.splitlines()]
    for section in sorted(sections, key=lambda name: (_NUMBERED.fullmatch(name) is None, _number(name), name)):
        lines += ["", f"{section}:", *(f"  {digest}: {_quoted(text)}" for digest, text in sections[section].items())]
    return "\n".join(lines) + "\n"


def _claim_text(claim: StatementClaim, digests: Mapping[str, tuple[str, SourcePlace]]) -> str:
    """Return a claim with the digest of each entry as it is now; one of a changed statement as it is."""
    if claim.changed or not claim.names:
        return claim.text
    return ", ".join(f"{name}~{digests[name][0]}" if name in digests else name for name in claim.names)


_HEADER = """\
# Cover of each statement of the specification: the hash of its text, by section, then, parted by commas,
#
#   orders.query.request.outTradeNo     an entry of the contract, by its keys from its own name on
#   ?inquiry-63                         a question
#   test tests/...py::test_name         a test that shows it
#   not ours (why)                      nothing that a client, a receiver or the sandbox could do or break
#
# `~1a2b` behind an entry is its digest when it was compared with the statement. A statement that changed since keeps its claim
# behind `changed, `: read it, and take the word away.
#
# `paywright contract coverage SPECIFICATION --write` brings it up to a new edition; `paywright contract coverage` checks it."""


def _number(section: str) -> Sequence[int]:
    return [int(part) for part in section.split(".")] if _NUMBERED.fullmatch(section) else []


def _quoted(text: str) -> str:
    plain = ": " not in text and " #" not in text and text[:1] not in "?*&!|>'\"%@`[{"
    return text if plain else "'" + text.replace("'", "''") + "'"


def _missing_sections(contract: Contract, headings: Sequence[Heading]) -> Iterator[Problem]:
    """Find citations of sections that the edition does not have. `[5.3]` is point 3 of the list in section 5, if 5.3 is no heading."""
    known = {heading.number: heading for heading in headings}
    for section, place in contract.citations:
        above, _, point = section.rpartition(".")
        listed = above in known and point.isdecimal() and len(point) <= 4 and 1 <= int(point) <= known[above].items
        if section not in known and not listed:
            yield Problem(place, f"the specification has no section {section}", "correct the citation")
