"""What carries each statement of a specification; its open questions as a letter; one operation shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from paywright_codegen.documents.coverage import StatementClaim, claims_text, compare, read_claims, summary
from paywright_codegen.documents.questions import letter
from paywright_codegen.documents.show import show
from paywright_codegen.documents.statements import read_specification
from paywright_codegen.model.contract import Contract
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import SHOP, SPEC, changed, contract_of, line_of

SPECIFICATION = """\
# The shop

## 1. Goods

### 1.1 Buying goods

1. First point.
2. Second point.

### 1.2 Asking

## 2. Resources

```
## 9. No heading
```

## 3. Calls

### 3.1 Sent (`kind` = SENT)

## 4. Nothing

### 4.1 Of this

## 10. Later
"""


def test_headings_are_those_with_numbers_outside_of_code() -> None:
    found, _ = read_specification(SPECIFICATION)
    assert [(one.number, one.title, one.items) for one in found] == [
        ("1", "Goods", 0), ("1.1", "Buying goods", 2), ("1.2", "Asking", 0), ("2", "Resources", 0), ("3", "Calls", 0),
        ("3.1", "Sent (kind = SENT)", 0), ("4", "Nothing", 0), ("4.1", "Of this", 0), ("10", "Later", 0),
    ]  # fmt: skip
    assert found[1].line == line_of(SPECIFICATION, "### 1.1")


def test_statements_are_headings_rows_items_and_sentences() -> None:
    text = """\
Before the first heading.

## 2. Fields

Some say `a. B`, e.g. This. Version 1.5. name is
required.

| Field | Notes |
|---|---|
| a | one. Two |
| b \\| c | |
| | |
| d | e | beyond the columns |

1. First point. It has two sentences.
2. Second point

### Without a number

- inner
  - deeper: here

```
code. One statement
```

Underlined. As a heading
---

[link]: https://shop.example "A definition."

### 2.1 Later

> Quoted?
"""
    _, found = read_specification(text)
    assert [(one.place, one.text) for one in found] == [
        ("0:1", "Before the first heading."), ("2:0", "2. Fields"), ("2:1", "Some say a. B, e.g. This."),
        ("2:2", "Version 1.5."), ("2:3", "name is required."), ("2:4", "Field | Notes"), ("2:5", "a | one. Two"),
        ("2:6", "b | c | "), ("2:7", "d | e | beyond the columns"), ("2:8", "1. First point."),
        ("2:9", "It has two sentences."), ("2:10", "2. Second point"), ("2:11", "Without a number"), ("2:12", "inner"),
        ("2:13", "deeper: here"), ("2:14", "code. One statement"), ("2:15", "Underlined. As a heading"),
        ("2:16", '[link]: https://shop.example "A definition."'),
        ("2.1:0", "2.1 Later"), ("2.1:1", "Quoted?"),
    ]  # fmt: skip
    assert found[6].line == line_of(text, "| a | one")
    assert (found[5].columns, found[6].columns, found[6].cells) == ((), ("Field", "Notes"), ("a", "one. Two"))
    _, spaced = read_specification(text.replace("name is\nrequired", "name  is required"))
    assert [one.digest for one in spaced] == [one.digest for one in found]


def shop_with(tmp_path: Path, claims: str) -> tuple[Path, Contract]:
    contract = contract_of(tmp_path, SHOP)
    folder = tmp_path / "spec"
    (folder / "coverage.yaml").write_text(claims)
    assert load(folder).operations == contract.operations, "the file is not a part of the contract"
    return folder, contract


EDITION = "## 1. Goods\n\nGoods can be bought. They have a name.\n\n## 2. Asking\n\nNobody knows.\n"


def test_a_new_file_has_every_statement_unclaimed_and_then_what_is_said_of_it(tmp_path: Path) -> None:
    folder, contract = shop_with(tmp_path, "")
    (folder / "coverage.yaml").unlink()
    claims, [missing] = read_claims(folder, contract)
    assert (claims, missing.what) == ((), "the file does not exist")
    text = claims_text(folder, compare(contract, claims, EDITION))
    (folder / "coverage.yaml").write_text(text)
    claims, problems = read_claims(folder, contract)
    assert len(problems) == 5
    assert all("nothing covers statement" in one.what for one in problems)
    said = text
    for claim in ("goods.buy", "goods.buy, Item.key", "not ours (nothing: at all, # or so)", "goods.query", "?repeats"):
        said = said.replace("unclaimed", f"'{claim}'", 1)
    (folder / "coverage.yaml").write_text(said)
    claims, problems = read_claims(folder, contract)
    assert problems == ()
    assert [(one.kind, one.names) for one in claims] == [
        ("the contract", ("goods.buy",)),
        ("the contract", ("goods.buy", "Item.key")),
        ("not ours", ()),
        ("the contract", ("goods.query",)),
        ("a question", ("?repeats",)),
    ]
    assert (
        summary(claims)
        == "5 statements: 3 by the contract, 1 by a question; 1 are not ours, 0 are unclaimed, 0 changed"
    )
    again = claims_text(folder, compare(contract, claims, EDITION))
    (folder / "coverage.yaml").write_text(again)
    assert [one.names for one in read_claims(folder, contract)[0]] == [one.names for one in claims]
    assert claims_text(folder, compare(contract, read_claims(folder, contract)[0], EDITION)) == again


def claimed_in(folder: Path, contract: Contract, edition: str, *claims: str) -> Sequence[StatementClaim]:
    """Write the file of an edition, its statements claimed in order, and read it."""
    text = claims_text(folder, compare(contract, (), edition))
    for claim in claims:
        text = text.replace("unclaimed", claim, 1)
    (folder / "coverage.yaml").write_text(text)
    return read_claims(folder, contract)[0]


def test_a_new_edition_keeps_what_it_still_says(tmp_path: Path) -> None:
    folder, contract = shop_with(tmp_path, "")
    named = ("goods", "goods.buy", "Item.key", "asking", "goods.query")
    claims = claimed_in(folder, contract, EDITION, *named)
    newer = "## 1. Goods\n\nThere are goods. Goods can be bought.\n\n## 5. More\n\nNobody knows. Nobody knows.\n"
    found = compare(contract, claims, newer)
    assert [(one.place, claim.text) for one, claim in found.claimed] == [
        ("1:0", "goods"),
        ("1:2", "goods.buy"),
        ("5:1", "goods.query"),
    ]
    assert [one.place for one, _ in found.moved] == ["5:1"], "what stands behind a new statement did not move"
    assert [one.place for one in found.new] == ["1:1", "5:0"], "what is said twice is claimed once"
    assert [claim.text for claim in found.gone] == ["Item.key", "asking"]
    text = found.text("newer.md")
    assert "+ newer.md:3: 1:1 is new: There are goods.\n" in text
    assert ": 1 has it no more, behind newer.md:3: Item.key\n" in text
    [(_, moved)] = found.moved
    assert f"> newer.md:7: 5:1 stood elsewhere ({moved.place}: 2): Nobody knows.\n" in text
    assert "5 statements: 3 as listed, 1 of them moved, 0 changed, 2 new, 2 gone" in text


def test_a_statement_more_changes_no_line_of_another(tmp_path: Path) -> None:
    folder, contract = shop_with(tmp_path, "")
    claims = claimed_in(folder, contract, EDITION)
    before = (folder / "coverage.yaml").read_text().splitlines()
    found = compare(contract, claims, EDITION.replace("They have", "They are new. They have"))
    after = claims_text(folder, found).splitlines()
    (more,) = [one for one in after if one not in before]
    after.remove(more)
    assert (after, ": unclaimed" in more) == (before, True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("They have a name.", "They have a name and a number."),
        ("## 1. Goods", "## 1. Goods and more"),
        ("Nobody knows.", "Somebody knows."),
    ],
)
def test_a_reworded_statement_keeps_its_claim_until_read(tmp_path: Path, old: str, new: str) -> None:
    folder, contract = shop_with(tmp_path, "")
    claims = claimed_in(folder, contract, EDITION, "goods.buy", "goods.buy", "Item.key", "goods.query", "'?repeats'")
    found = compare(contract, claims, EDITION.replace(old, new))
    [(one, was)] = found.changed
    assert (one.text in new or new.endswith(one.text), found.new, found.gone) == (True, (), ())
    assert f"~ newer.md:{one.line}: {one.place} changed, {was.place}: {was.text}: " in found.text("newer.md")
    (folder / "coverage.yaml").write_text(claims_text(folder, found))
    again, [problem] = read_claims(folder, contract)
    assert [claim.names for claim in again] == [claim.names for claim in claims]
    assert "has changed since it was claimed" in problem.what
    assert summary(again).endswith("1 changed")
    text = (folder / "coverage.yaml").read_text()
    (folder / "coverage.yaml").write_text(
        text.replace("changed, ", "", 1) if "'changed, " not in text else text.replace("changed, ", "")
    )


@pytest.mark.parametrize(
    "written",
    [
        EDITION.replace("Goods can be", "Goods **can** be").replace("Nobody", "`Nobody`"),
        "\ufeff" + EDITION.replace("## 1. Goods", "## 1. Goods {#goods .unnumbered}"),
        EDITION.replace("have a name", "have\n  a&nbsp;name").replace("Nobody knows", "[Nobody](x.md) knows"),
    ],
)
def test_an_edition_by_another_writer_says_the_same(tmp_path: Path, written: str) -> None:
    folder, contract = shop_with(tmp_path, "")
    claims = claimed_in(folder, contract, EDITION)
    assert not compare(contract, claims, written).differs


def test_of_equal_statements_each_section_keeps_its_own(tmp_path: Path) -> None:
    folder, contract = shop_with(tmp_path, "")
    edition = "## 1. Buy\n\nFirst. Version 1.5.\n\n## 2. Ask\n\nVersion 1.5.\n"
    claims = claimed_in(folder, contract, edition, "buy", "first", "goods.buy.version", "ask", "goods.query.version")
    found = compare(contract, claims, edition.replace("First. Version 1.5.", "First."))
    assert [(one.place, claim.text) for one, claim in found.claimed][-1] == ("2:1", "goods.query.version")
    assert [claim.text for claim in found.gone] == ["goods.buy.version"]
    assert found.moved == ()


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ("| a | 1 |\n| b | 2 |\n", "| b | 2 |\n| a | 1 |\n", {"b | 2", "a | 1"}),
        ("| a | 1 |\n", "", {"a | 1"}),
        ("Then:\n\n", "## 2. Then\n\n", {"B | N", "c | 3"}),
    ],
    ids=["order", "table", "section"],
)
def test_a_row_in_another_order_table_or_section_is_moved(tmp_path: Path, old: str, new: str, moved: set[str]) -> None:
    folder, contract = shop_with(tmp_path, "")
    edition = "## 1. Buy\n\n| A | N |\n|---|---|\n| a | 1 |\n| b | 2 |\n\nThen:\n\n| B | N |\n|---|---|\n| c | 3 |\n"
    claims = claimed_in(folder, contract, edition)
    changed_edition = edition.replace(old, new)
    if not new:
        changed_edition = changed_edition.replace("| c | 3 |\n", "| c | 3 |\n| a | 1 |\n")
    found = compare(contract, claims, changed_edition)
    assert found.moved
    assert {one.text for one, _ in found.moved} <= moved


@pytest.mark.parametrize(
    ("claim", "what"),
    [
        ("goods.sell", "the contract has no entry `goods.sell`"),
        ("Item.nam", "the contract has no entry `Item.nam`"),
        ("'?nobody'", "no question is called `nobody`"),
        ("test tests/test_x.py", "`test tests/test_x.py` names no test"),
        ("unclaimed", "nothing covers statement 0123456789 of section 1"),
        ("", "nothing covers statement 0123456789 of section 1"),
    ],
)
def test_a_claim_of_what_is_not_there_is_a_problem(tmp_path: Path, claim: str, what: str) -> None:
    folder, contract = shop_with(tmp_path, f"1:\n  0123456789: {claim}\n")
    _, problems = read_claims(folder, contract)
    assert what in [one.what for one in problems] or (not claim and problems)


def test_a_line_that_names_no_statement_is_a_problem(tmp_path: Path) -> None:
    folder, contract = shop_with(tmp_path, "1:\n  one: goods.buy\n")
    [problem] = read_claims(folder, contract)[1]
    assert str(problem).startswith("spec/coverage.yaml:2: `one` names no statement; ")


def test_the_tests_that_carry_statements_of_the_gateway_exist() -> None:
    claims, problems = read_claims(SPEC, load(SPEC))
    assert problems == ()
    named = [claim.test for claim in claims if claim.test is not None]
    assert named
    for name in named:
        file, _, function = name.partition("::")
        assert f"def {function}(" in (SPEC.parent / file).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("section", ["8.99", "1.1.3", "1.1.0", "1.3", "9", "2.1", "10.1"])
def test_a_citation_of_what_is_not_there_is_a_problem(tmp_path: Path, section: str) -> None:
    contract = contract_of(tmp_path, changed(("# unique", f"# unique [{section}]")))
    [problem] = [one for one in compare(contract, (), SPECIFICATION).problems if section in one.what]
    line = line_of(SHOP, "# unique")
    assert str(problem) == f"spec/shop.yaml:{line}: the specification has no section {section}; correct the citation"


def test_a_citation_may_mean_a_point_of_a_numbered_list(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, changed(("# unique", "# unique [1.1.2]")))
    assert compare(contract, (), SPECIFICATION).problems == ()


def test_the_gateway_contract_cites_no_section_that_its_citations_could_not_mean() -> None:
    sections = {section for section, _ in load(SPEC).citations}
    assert {str(number) for number in range(1, 10)} >= {section.split(".")[0] for section in sections}
    assert {f"4.{number}" for number in range(1, 20)} <= sections
    assert {f"2.{number}" for number in range(1, 16)} <= sections


def test_the_letter_numbers_the_questions_by_section(tmp_path: Path) -> None:
    text = letter(contract_of(tmp_path, SHOP))
    first, second = text.index("1. What answers a repeated key is not shown."), text.index("2. Which colours there are")
    assert text.index("Section 1.1\n-----------") < first < text.index("Section 2\n---------") < second
    assert "   Meanwhile: AGAIN is read so.\n   Seen elsewhere: AGAIN.\n   (our name for it: repeats)" in text


def test_the_letter_of_the_gateway_has_every_question_once() -> None:
    contract = load(SPEC)
    text = letter(contract)
    assert all(text.count(f"(our name for it: {name})") == 1 for name in contract.questions)
    assert max(map(len, text.splitlines())) <= 100
    sections = [line.split()[1] for line in text.splitlines() if line.startswith("Section ")]
    assert sections == sorted(sections, key=lambda section: [int(part) for part in section.split(".")])
    assert set(sections) == {question.sections[0] for question in contract.questions.values() if question.sections}
    assert len(sections) == len(set(sections))


def test_a_letter_without_questions_says_so(tmp_path: Path) -> None:
    text = SHOP[: SHOP.index("questions:")].replace(" ?repeats", "").replace("    ...: ?colours\n", "")
    assert "There are no open questions." in letter(contract_of(tmp_path, text))


def test_an_operation_is_shown_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    shop = changed(("    echoes: key\n    refuses", "    echoes: key\n    shows: amount as paid.total\n    refuses"))
    text = show(contract_of(tmp_path, shop), "goods.buy")
    lines = text.splitlines()
    assert lines[0] == f"goods.buy [1.1]  spec/shop.yaml:{line_of(SHOP, 'goods.buy [1.1]')}"
    assert lines[1] == "  Buy goods."
    for part in (
        "  the merchant calls the service", "  post: /buy ", "  version: 1.0 ", "  key: key ignoring case   ",
        "  resolved by: query: goods.query by key ", "  resolved by: placed again after: again ",
        "  succeeds: code is OK ", "  refuses: BAD  ", "  refuses: POOR  ", "  repeats: AGAIN ?repeats  ",
        "  echoes: key  ", "  shows: amount as paid.total  ", "  request", "  response (Item)",
        "        name!: string max 64 pii", "    @sign!: string secret from signature.body",
        "      rule note-of-old [1.1]: when kind is OLD, need note", "        = SENT final paid: sent",
        "        = any other value", "  questions", "    repeats [1.1]", "    colours [2]",
    ):  # fmt: skip
        assert any(line.startswith(part) for line in lines), part
    assert f"# the key of a write  spec/shop.yaml:{line_of(SHOP, 'key: key ignoring case')}" in text
    assert any("key!: code max 8 eg K1" in line and "# unique  spec/shop.yaml:" in line for line in lines)


def test_an_inbound_operation_is_shown_as_one(tmp_path: Path) -> None:
    text = show(contract_of(tmp_path, SHOP), "goods.sent")
    assert "  the service calls the merchant\n" in text
    assert "  when: kind is SENT  " in text
    assert "  notification (Parcel)\n" in text


def test_every_operation_of_the_gateway_can_be_shown() -> None:
    contract = load(SPEC)
    for operation in contract.operations.values():
        text = show(contract, operation.name)
        for message in operation.messages:
            for struct in (message.root, message.data):
                for field in struct.fields if struct is not None else ():
                    assert f"{field.wire}{'!' if field.required else ''}: " in text


def test_an_operation_that_there_is_not_is_named_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        KeyError, match=r"no operation is called goods\.sell; there are goods\.buy, goods\.query, goods\.sent"
    ):
        show(contract_of(tmp_path, SHOP), "goods.sell")
