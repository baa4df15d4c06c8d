"""Wrong edits of the contract and of the specification, drawn by seed: `paywright contract coverage` or the linter names the line of each.

They need the specification: `PAYWRIGHT_SPECIFICATION` names the file, or it lies in a folder `shared` beside the checkout.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from random import Random

import pytest

from paywright_codegen.documents.coverage import check_entries, compare, read_claims
from paywright_codegen.documents.facts import entries_of
from paywright_codegen.lint.linter import check
from paywright_codegen.reader.loader import load
from paywright_codegen.reader.yaml_reader import read_folder
from tests.codegen.helpers.contract_texts import SPEC

SEED = 2028
EDITS = [10, pytest.param(30, marks=pytest.mark.full)]

Replace = Callable[[re.Match[str]], str]


def one_more(match: re.Match[str]) -> str:
    return f"{match[1]}{int(match[2]) + 1}"


def dropped(match: re.Match[str]) -> str:
    return match[1]


def replaced(word: str) -> Replace:
    return lambda match: f"{match[1]}{word}"


# What is matched begins with what stays.
OF_THE_CONTRACT: Mapping[str, tuple[str, Replace]] = {
    "maximum": (r"(\bmax )([0-9]+)", one_more),
    "maximum dropped": (r"(\w: \w+) max [0-9]+", dropped),
    "type": (r"(^ +\w+!?: )string\b(?!\[)", replaced("number")),
    "required dropped": (r"(^ +\w+)!", dropped),
    "required added": (r"(^      \w+)(?=: (?:string|number)\b)", replaced("!")),
    "value changed": (r"(^    [A-Z]{2,}[A-Z_]*)(?=(?: final| settled| paid)*:)", replaced("X")),
    "value dropped": (r"(^)    [A-Z]{2,}[A-Z_]*(?: final| settled| paid| returned)*: .*\n(?=    [A-Z])", dropped),
    "value added": (r"(^    )(?=[A-Z]{2,}[A-Z_]*(?: final| settled| paid)*:)", replaced("NEW_ONE: made up\n    ")),
    "state": (r"(^    [A-Z_]{3,}(?: settled| paid)*) (?:final|settled|paid)\b", dropped),
    "limit": (r"(^  [a-z-]+ \[.*: (?:range )?)([0-9]+)(?= [sd]\b|[.])", one_more),
    "code dropped": (r"(^    refuses:(?: [A-Z_]+)*) [A-Z_]+", dropped),
    "code changed": (r"(^    (?:repeats|absent|stale): )[A-Z_]+", replaced("OTHER_CODE")),
    "section": (r"(\[[0-9]+\.)([0-9]+)", one_more),
    "address": (r"(^    post: /\S+)", replaced("/v2")),
    "version": (r"(^    version: [0-9]+\.)([0-9]+)", one_more),
    "redaction": (r"(^ +\w+!?: string.*?) (?:pii|secret|pan)\b", dropped),
    "question": (r"(^ +\S.*\S) \?[a-z][a-z-]+(?=$| +#)", dropped),
    "echo": (r"(^    (?:echoes|shows): .*\w),? \w+$", dropped),
    "guard": (r"(^ +\S+ \[.*\]: \w+ )above 0", replaced("not below 0")),
    "rule": (r"(^ +[a-z-]+ \[.*\]: (?:when|need) )(?=\w)", replaced("not")),
    "query": (r"(^      query: )\w+\.\w+ by \w+", replaced("orders.list by page")),
    "number in prose": (r"(^    (?:says|does): .*\b|^ .*# .*\b)([0-9]+)\b", one_more),
    "sentence turned round": (r"(^ .*# .*\b)(?:is|are|has|means)\b", replaced("is not")),
    "word": (r"(^ .*# .*\b)(?:first|also|member|shown|then|answer|request|merchant)\b", replaced("other")),
    "row moved": (r"(^)    (\w+!?: \w+ max [0-9]+)(?: .*)?\n", dropped),
}
OF_THE_SPECIFICATION: Mapping[str, tuple[str, Replace]] = {
    "maximum": (r"(\bmax )([0-9]+)", one_more),
    "type": (r"(^\| \w+ \| )string\b", replaced("number")),
    "required": (r"(^\| \w+ \| \w+ \| )yes\b", replaced("no")),
    "value changed": (r"(\b[A-Z]+_[A-Z]+)(?=[,; ])", replaced("X")),
    "value added": (r"(\b[A-Z]{4,})(?=,)", replaced(", NEW_ONE")),
    "value dropped": (r"(\b[A-Z]{4,}), [A-Z]{4,}", dropped),
    "limit": (r"(\b(?:within|at most|exactly) )([0-9]+)", one_more),
    "number": (r"(\b)([0-9]+)(?=[ .])", one_more),
    "sentence": (r"(^[^|#\n]*\b)(?:must|may|is|are)\b", replaced("can be")),
    "sentence added": (r"(^[^|#\n]*[.])$", replaced(" It is charged twice.")),
    "sentence dropped": (r"(^[^|#\n0-9-][^|#\n]*[.]) [A-Z][^|#\n.]*[.]$", dropped),
    "heading": (r"(^### .*)$", replaced(" (only within 30 days)")),
    "heading without a number": (r"(^### .*\n)", replaced("\n#### All amounts are in cents\n")),
    "heading underlined": (r"(^\n)(?=[A-Z])", replaced("All amounts are in cents\n---\n\n")),
    "heading's number": (r"(^### [0-9]+[.])([0-9]+)", one_more),
    "column": (r"(^\| Field .*)\bReq\b", replaced("Optional")),
    "cell too many": (r"(^\| \w+ \| string .*)$", replaced(" in cents |")),
    "link": (r"(^\n)(?=###)", replaced('[x]: https://x.example "all amounts are in cents"\n\n')),
    "point's number": (r"(^)([0-9]+)(?=[.] \w)", one_more),
    "code": (r"(`)[A-Z_]{4,}(?=`)", replaced("OTHER_CODE")),
    "address": (r"(^`POST /[\w/.-]+)", replaced("/v2")),
    "rows changed places": (r"(^)(\| \w+ \| string .*\n)(\| \w+ \| string .*\n)", lambda match: match[3] + match[2]),
    "row moved": (r"(^)(\| \w+ \| string .*\n)", dropped),
}


_ELSEWHERE = re.compile(r"^(?:  \w|#)", re.MULTILINE)


def edited(text: str, kind: str, kinds: Mapping[str, tuple[str, Replace]], random: Random) -> tuple[str, int]:
    """Return a text with one edit, and the line of the edit. A row that is moved goes behind one like it, in another table or type."""
    pattern, replace = kinds[kind]
    matches = list(re.finditer(pattern, text, re.MULTILINE))
    match = random.choice(matches)
    changed = text[: match.start()] + replace(match) + text[match.end() :]
    at = match.end(1)
    if kind == "row moved":
        others = (one.end() for one in re.finditer(pattern, changed, re.MULTILINE))
        found = [other for other in others if _ELSEWHERE.search(changed, min(at, other), max(at, other))]
        at = random.choice(found or [len(changed)])
        changed = changed[:at] + match[0] + changed[at:]
    assert changed != text
    return changed, changed.count("\n", 0, at) + 1


def specification() -> Path | None:
    named = os.environ.get("PAYWRIGHT_SPECIFICATION")
    places = [Path(named)] if named else [up / "shared" / "interface-specification.md" for up in SPEC.parents]
    return next((path for path in places if path.is_file()), None)


def uncovered(folder: Path, names: Collection[str]) -> set[str]:
    """The places of entries that no statement covers, and that stand in none that is covered: no tool sees their edits."""
    found = set()
    for entry in entries_of(read_folder(folder)[0]):
        around = entry.name.split(".")
        above = [".".join(around[:length]) for length in range(1, len(around) + 1)]
        if not {*above} & {*names} and not any(name.startswith(f"{entry.name}.") for name in names):
            found |= {str(place) for place in (entry.place, *entry.values.values())}
    return found


@pytest.fixture
def edition() -> str:
    path = specification()
    if path is None:
        pytest.skip("the specification is not at hand")
    return path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("edits", EDITS)
def test_a_wrong_edit_of_the_contract_is_told_with_its_line(edits: int, tmp_path: Path, edition: str) -> None:
    random, contract = Random(SEED), load(SPEC)
    untold, unseen = [], 0
    for number in range(edits):
        folder = tmp_path / str(number) / "spec"
        shutil.copytree(SPEC, folder)
        kind = random.choice([*OF_THE_CONTRACT])
        paths = [path for path in sorted(folder.glob("*.yaml")) if path.name != "coverage.yaml"]
        pattern = re.compile(OF_THE_CONTRACT[kind][0], re.MULTILINE)
        path = random.choice([path for path in paths if len(pattern.findall(path.read_text(encoding="utf-8"))) > 1])
        text, line = edited(path.read_text(encoding="utf-8"), kind, OF_THE_CONTRACT, random)
        path.write_text(text, encoding="utf-8")
        claims, told = read_claims(folder, contract)
        found = compare(contract, claims, edition)
        told = [
            str(problem) for problems in (told, *check_entries(folder, found, "edition.md")) for problem in problems
        ]
        lines, around, indent = text.splitlines(), {line, line + 1}, 99
        while lines[max(around) - 1].lstrip().startswith("#"):  # a comment of several lines is that of the key below
            around.add(max(around) + 1)
        for at in range(line, 0, -1):  # the entries around it, whose place stands for what nothing claims
            if (own := len(lines[at - 1]) - len(lines[at - 1].lstrip())) < indent and lines[at - 1].strip():
                indent, around = own, around | {at}
        if f"spec/{path.name}:{line}" in uncovered(folder, {name for claim in claims for name in claim.names}):
            unseen += 1
            continue
        starts = tuple(f"spec/{path.name}:{at}: " for at in around)
        said = any(one.startswith(starts) for one in told)
        if not said and not any(
            str(one).startswith(starts) for one in check(folder)
        ):  # two of a name, the linter tells
            untold.append((kind, path.name, lines[line - 1], told))
    assert untold == []
    assert unseen < edits / 3


@pytest.mark.slow
@pytest.mark.parametrize("edits", EDITS)
def test_a_wrong_edit_of_the_specification_is_told_with_its_line(edits: int, edition: str) -> None:
    contract = load(SPEC)
    claims, _ = read_claims(SPEC, contract)
    found = compare(contract, claims, edition)
    assert (found.differs, check_entries(SPEC, found, "edition.md")) == (False, ((), ()))
    random = Random(SEED)
    untold = []
    for _ in range(edits):
        kind = random.choice([*OF_THE_SPECIFICATION])
        changed, line = edited(edition, kind, OF_THE_SPECIFICATION, random)
        told = compare(contract, claims, changed).text("edition.md")
        if not any(f" edition.md:{at}: " in told for at in range(line - 1, line + 3)):
            untold.append((kind, changed.splitlines()[line - 1], told))
    assert untold == []
