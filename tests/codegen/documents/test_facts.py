"""The facts of a contract as they are recorded, and what tells that they changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.documents.coverage import (
    Comparison,
    check_contradictions,
    check_facts,
    claims_text,
    compare,
    read_claims,
    reworded_text,
)
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import SHOP, SPEC, contract_of, line_of

EDITION = """\
## 1. Goods

| Field | Type | Req | Notes |
|---|---|---|---|
| key | string | yes | max 8; unique |
| kind | string | no | NEW, OLD |
| buyer | object | no | name (string, required, max 64) |

Ask again after five minutes. `tags` (array of string, optional) has at most 3 elements.
"""
CLAIMS = ("goods", "titles", "goods.buy.request.key", "goods.buy.request.kind", "Person", "limits.again")


def recorded(tmp_path: Path, edition: str = EDITION) -> tuple[Path, Comparison]:
    """The shop's contract, recorded with an edition that it agrees with."""
    contract = contract_of(tmp_path, SHOP)
    folder = tmp_path / "spec"
    text = claims_text(folder, compare(contract, (), edition))
    for claim in (*CLAIMS, "goods.buy.request.tags"):
        text = text.replace("unclaimed", claim, 1)
    (folder / "coverage.yaml").write_text(text)
    found = compare(contract, read_claims(folder, contract)[0], edition)
    (folder / "coverage.yaml").write_text(claims_text(folder, found))
    return folder, found


def edit(folder: Path, old: str, new: str) -> int:
    """Edit the shop's contract; return the line."""
    shop = folder / "shop.yaml"
    text = shop.read_text()
    assert old in text
    shop.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


def test_a_line_says_first_what_the_specification_states_and_then_what_is_ours(tmp_path: Path) -> None:
    folder, found = recorded(tmp_path)
    lines = (folder / "coverage.yaml").read_text().splitlines()
    for line in (
        "  goods.buy.request.key: required, code, max 8; ours eg K1, prose ~c272",
        "  goods.buy.request.kind: optional, string, in NEW, in OLD",
        "  goods.buy.request.tags: optional, string[], max 3",
        "  Person.name: required, string, max 64; ours pii",
        "  limits.again: 300 s; ours [2]",
        "  goods.buy.refuses: ours POOR",
    ):
        assert line in lines
    assert (check_facts(folder, found), check_contradictions(folder, found)) == ((), ())


@pytest.mark.parametrize(
    ("old", "new", "has", "had"),
    [
        ("kind: string in NEW OLD", "kind: string in NEW OLDER", "in OLDER", "in OLD"),
        ("note: string max 20", "note: string max 21", "max 21", "max 20"),
        ("note: string max 20", "note: number", "number", "string, max 20"),
        ("name!: string max 64 pii", "name: string max 64", "optional", "required, pii"),
        ("again [2]: 300 s", "again [2]: 300 d", "300 d", "300 s"),
        ("app_id!: id", "app_id: id", "nothing", "required"),
        ("refuses: POOR", "refuses: POOR RICH", "RICH", "nothing"),
        ("when kind is OLD, need note", "when kind is NEW, need note", "when kind is NEW", "when kind is OLD"),
        ("SENT final paid: sent", "SENT final: sent", "SENT final ~", "SENT final paid ~"),
        ("goods.query [1.2]", "goods.query [1.1]", "[1.1]", "[1.2]"),
    ],
)
def test_another_fact_is_told_without_the_specification(tmp_path: Path, old: str, new: str, has: str, had: str) -> None:
    folder, _ = recorded(tmp_path)
    line = edit(folder, old, new)
    [problem] = check_facts(folder)
    assert str(problem).startswith(f"spec/shop.yaml:{line}: `")
    assert f"has `{has}" in problem.what
    assert f"recorded `{had}" in problem.what
    assert "SPECIFICATION --write" in problem.do


def test_entries_that_are_new_gone_or_elsewhere_are_told(tmp_path: Path) -> None:
    folder, _ = recorded(tmp_path)
    edit(folder, "note: string max 20\n", "memo: string\n")
    line = edit(folder, "    name!: string", "    note: string max 20\n    name!: string")
    gone, _, new = map(str, check_facts(folder))
    assert new.startswith(f"spec/shop.yaml:{line}: `Person.note` is not among the recorded facts; ")
    assert gone.startswith("spec/coverage.yaml:")
    assert "`goods.buy.request.note` was recorded, and the contract has no such entry; " in gone


def test_a_contract_that_cannot_be_read_has_only_that_problem(tmp_path: Path) -> None:
    folder, _ = recorded(tmp_path)
    line = edit(folder, "note: string max 20\n", "key: string max 20\n")
    [problem] = check_facts(folder)
    assert str(problem).startswith(f"spec/shop.yaml:{line}: `key` is here already")


def test_words_of_prose_are_recorded_without_the_specification_and_nothing_else_is(tmp_path: Path) -> None:
    folder, _ = recorded(tmp_path)
    line = edit(folder, "# unique", "# one of its kind")
    [problem] = check_facts(folder)
    assert (problem.place.line, "coverage --write" in problem.do) == (line, True)
    text = reworded_text(folder)
    assert text is not None
    (folder / "coverage.yaml").write_text(text)
    assert check_facts(folder) == ()
    edit(folder, "# one of its kind", "# one of 3 kinds")
    edit(folder, "max 20", "max 21")
    assert reworded_text(folder) == text
    assert len(check_facts(folder)) == 2


@pytest.mark.parametrize(
    ("old", "new", "ours", "theirs"),
    [
        ("key!: code max 8 eg K1", "key!: code max 7 eg K1", "max 7", "max 8"),
        ("key!: code max 8 eg K1", "key!: code eg K1", "nothing", "max 8"),
        ("key!: code max 8 eg K1", "key: code max 8 eg K1", "optional", "required"),
        ("kind: string in NEW OLD", "kind: number", "number", "string"),
        ("name!: string max 64 pii", "name!: string max 46 pii", "max 46", "max 64"),
        ("buyer: Person", "buyer!: Person", "required", "optional"),
    ],
)
def test_what_a_row_says_otherwise_is_not_recorded_unless_a_question_stands_there(
    tmp_path: Path, old: str, new: str, ours: str, theirs: str
) -> None:
    claims = list(CLAIMS)
    folder, _ = recorded(tmp_path)
    coverage = folder / "coverage.yaml"
    coverage.write_text(coverage.read_text().replace(f": {claims[4]}\n", ": Person, goods.buy.request.buyer\n", 1))
    line = edit(folder, old, new)
    contract = load(folder)
    found = compare(contract, read_claims(folder, contract)[0], EDITION)
    [problem] = check_contradictions(folder, found)
    assert problem.place.line == line
    assert f"has `{ours}`" in problem.what
    assert f"says `{theirs}`" in problem.what
    edit(folder, new, f"{new} ?repeats")
    assert check_contradictions(folder, found) == (), "a question was added, which says so"
    coverage.write_text(claims_text(folder, found))
    assert check_contradictions(folder, found) == (), "it was recorded with the question"


def test_a_question_excuses_nothing_that_changed_since_it_was_recorded(tmp_path: Path) -> None:
    folder, found = recorded(tmp_path)
    edit(folder, "key!: code max 8 eg K1", "key!: code max 7 eg K1 ?repeats")
    assert check_contradictions(folder, found) == ()
    (folder / "coverage.yaml").write_text(claims_text(folder, found))
    line = edit(folder, "max 7 eg K1", "max 6 eg K1")
    [problem] = check_contradictions(folder, found)
    assert problem.place.line == line


@pytest.mark.parametrize(
    ("old", "new", "stated"),
    [
        ("kind: string in NEW OLD", "kind: string in NEW OLDER", "in OLD"),
        ("again [2]: 300 s", "again [2]: 301 s", "300 s"),
        ("tags: string[] max 3", "tags: string[] max 4", "max 3"),
    ],
)
def test_a_fact_that_is_stated_still_is_not_recorded_as_gone(tmp_path: Path, old: str, new: str, stated: str) -> None:
    folder, found = recorded(tmp_path)
    line = edit(folder, old, new)
    [problem] = check_contradictions(folder, found)
    assert (problem.place.line, f"says `{stated}`" in problem.what) == (line, True)


def test_a_record_that_is_divided_otherwise_than_the_specification_is_told(tmp_path: Path) -> None:
    folder, found = recorded(tmp_path)
    coverage = folder / "coverage.yaml"
    text = coverage.read_text()
    coverage.write_text(text.replace("required, string, max 64; ours pii", "required, string, max 64, pii"))
    assert check_facts(folder) == ()
    [problem] = check_facts(folder, found)
    assert problem.place.line == line_of(text, "  Person.name:")
    assert "by the specification it is `required, string, max 64; ours pii`" in problem.what


def test_the_lines_that_the_documents_show_are_recorded() -> None:
    contributing = (SPEC.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = next(part for part in contributing.split("```") if "; ours [8]" in part)
    shown = block.removeprefix("text\n").rstrip("\n").split("\n")
    assert len(shown) == 3
    assert set(shown) <= set((SPEC / "coverage.yaml").read_text(encoding="utf-8").splitlines())
