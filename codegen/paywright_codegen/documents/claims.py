"""Claims of a specification's statements, in `spec/coverage.yaml`: for each, by the hash of its text, what carries it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from paywright_codegen.documents.facts import entries_of
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.problems import Problem, in_order
from paywright_codegen.reader.document import Document
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
    document, problems = _read(folder)
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


def _read(folder: Path) -> tuple[Document | None, list[Problem]]:
    file = f"{folder.resolve().name}/{COVERAGE_FILE}"
    try:
        return read_file(file, (folder / COVERAGE_FILE).read_bytes())
    except FileNotFoundError:
        do = "write it with `paywright contract coverage SPECIFICATION --write`"
        return None, [Problem(SourcePlace(file, 1), "the file does not exist", do)]


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
