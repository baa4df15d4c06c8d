"""Which headings of a specification a contract cites; its open questions as a letter; one operation shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from contract_texts import SHOP, SPEC, changed, contract_of, line_of

from paywright_codegen.coverage import coverage, headings
from paywright_codegen.parsing import load
from paywright_codegen.questions import letter
from paywright_codegen.show import show

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
    found = headings(SPECIFICATION)
    assert [(one.number, one.title, one.items) for one in found] == [
        ("1", "Goods", 0),
        ("1.1", "Buying goods", 2),
        ("1.2", "Asking", 0),
        ("2", "Resources", 0),
        ("3", "Calls", 0),
        ("3.1", "Sent (`kind` = SENT)", 0),
        ("4", "Nothing", 0),
        ("4.1", "Of this", 0),
        ("10", "Later", 0),
    ]
    assert found[1].line == line_of(SPECIFICATION, "### 1.1")


def test_each_heading_has_the_lines_that_cite_it(tmp_path: Path) -> None:
    contract = contract_of(
        tmp_path, changed(("  # Goods were sent.\n  goods.sent [3]", "  # Goods were sent.\n  goods.sent [3.1]"))
    )
    report = coverage(contract, SPECIFICATION)
    by_number = {one.heading.number: one for one in report.headings}
    assert f"spec/shop.yaml:{line_of(SHOP, 'goods.buy [1.1]')}" in map(str, by_number["1.1"].places)
    assert [str(place) for place in by_number["1.2"].places] == [f"spec/shop.yaml:{line_of(SHOP, 'goods.query [1.2]')}"]
    assert by_number["1"].said == "cited"
    assert by_number["4"].said == by_number["4.1"].said == "NOT CITED"
    assert [heading.number for heading in report.uncited] == ["4", "4.1", "10"]
    assert report.problems == ()


def test_a_heading_may_be_cited_through_its_parts_alone(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, changed(("  # Goods were sent.\n", "  # Goods were sent [4.1].\n")))
    by_number = {one.heading.number: one for one in coverage(contract, SPECIFICATION).headings}
    assert (by_number["4"].said, by_number["4"].places) == ("only its parts are cited", ())
    assert by_number["4.1"].said == "cited"


def test_a_citation_may_mean_a_point_of_a_numbered_list(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, changed(("# unique", "# unique [1.1.2]")))
    report = coverage(contract, SPECIFICATION)
    assert report.problems == ()
    place = f"spec/shop.yaml:{line_of(SHOP, '# unique')}"
    assert place in [str(one) for one in report.headings[1].places]


@pytest.mark.parametrize("section", ["8.99", "1.1.3", "1.1.0", "1.3", "9", "2.1", "10.1"])
def test_a_citation_of_what_is_not_there_is_a_problem(tmp_path: Path, section: str) -> None:
    contract = contract_of(tmp_path, changed(("# unique", f"# unique [{section}]")))
    [problem] = coverage(contract, SPECIFICATION).problems
    line = line_of(SHOP, "# unique")
    assert str(problem) == f"spec/shop.yaml:{line}: the specification has no section {section}; correct the citation"


def test_the_report_is_text(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, changed(("# unique", "# unique [8.99]")))
    text = coverage(contract, SPECIFICATION).text()
    assert "1.2 Asking: cited\n    spec/shop.yaml:" in text
    line = line_of(SPECIFICATION, "## 4. Nothing")
    assert "9 headings, 4 of them cited by nothing\n    3.1 Sent" in text
    assert f"    4 Nothing (line {line})" in text
    assert "the specification has no section 8.99" in text


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
        "  address     POST /buy",
        "  version     1.0",
        "  key         key, ignoring case",
        "  unknown     settled by goods.query by key; placed again after again (300 s); else queried again",
        "  yes         code is OK",
        "  no          BAD POOR  (nothing happened)",
        "  repeated    AGAIN  (the key was placed before)",
        "  echoes      key  (the answer repeats the request)",
        "  shows       amount as paid.total  (an answer with another value is about another call)",
        "  request",
        "  response (Item)",
        "        name!: string max 64 pii",
        "    @sign!: string secret from signature",
        "      rule note-of-old [1.1]: when kind is OLD, need note",
        "        = SENT final paid: sent",
        "        = any other value",
        "  questions",
        "    repeats [1.1]",
        "    colours [2]",
    ):
        assert any(line.startswith(part) for line in lines), part
    assert any("key!: code max 8 eg K1" in line and "# unique  spec/shop.yaml:" in line for line in lines)


def test_an_inbound_operation_is_shown_as_one(tmp_path: Path) -> None:
    text = show(contract_of(tmp_path, SHOP), "goods.sent")
    assert "  direction   the service calls the merchant\n" in text
    assert "  told by     kind is SENT\n" in text
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
