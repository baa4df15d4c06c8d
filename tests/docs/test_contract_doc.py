"""`docs/contract.md` shows the whole grammar, and what it shows is what is generated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.build import language_reference
from paywright_codegen.lint.linter import check
from paywright_codegen.reader.grammar import FACETS, FILE, Block
from paywright_codegen.reader.rules import CONDITIONS, DEMANDS, GUARDS
from paywright_codegen.reader.structs import BUILTINS
from paywright_codegen.reference import language
from tests.docs.pages import Page
from tests.support.tiny import GOLDEN, SPEC

_PAGE = Page("contract")
PAGE = _PAGE.text


def first_cells(heading: str) -> set[str]:
    """The first cells of the table under a heading."""
    part = re.split(r"^#+ ", PAGE.partition(f"\n{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return {row.split("|")[1].strip().strip("`") for row in part.splitlines() if row.startswith("| `")}


def test_every_key_of_the_grammar_is_shown() -> None:
    assert first_cells("## Files and sections") == {f"{key}:" for key in FILE.keys}
    parts = {
        "formats": "## Formats", "envelopes": "## Envelopes", "operations": "## Operations",
        "notifications": "## Notifications", "follows": "## What is followed",
    }  # fmt: skip
    for section, heading in parts.items():
        keys = keys_under(section)
        inner = {f"{key}: {each}:" for key in keys for each in NESTED.get(key, ())}
        assert first_cells(heading) == {f"{key}:" for key in keys} | inner, section
    for key in keys_under("questions"):
        assert f"`{key}:`" in PAGE.partition("## Questions")[2]


NESTED = {
    "gives back": ("key", "gateway id", "within"),
    "resolved by": ("query", "done when", "placed again after", "else"),
    "decides": ("answer", "yes", "no", "why not", "amount", "from", "to"),
}


def keys_under(section: str) -> list[str]:
    block = FILE.keys[section]
    assert isinstance(block, Block)
    assert isinstance(block.each, Block)
    return [*block.each.keys]


def test_every_condition_demand_and_guard_is_shown() -> None:
    assert first_cells("### Conditions") == {*CONDITIONS}
    assert first_cells("### Demands") == {*DEMANDS}
    assert first_cells("### Before sending") == {*GUARDS}


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("FACETS", {**FACETS, "zebra": ""}, "no example of `zebra`"),
        ("BUILTINS", {**BUILTINS, "zebra": "string"}, "no example of `zebra`"),
        ("_HEADINGS", (*language._HEADINGS, "Zebras"), "the legend has no `Zebras`"),
    ],
)
def test_an_unshown_construct_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, more: object, says: str) -> None:
    monkeypatch.setattr(language, name, more)
    with pytest.raises(LookupError, match=says):
        language_reference()


def test_the_page_is_what_the_grammar_gives_now() -> None:
    assert language_reference() == PAGE


def test_the_python_of_the_page_is_generated() -> None:
    generated = [
        "\n".join(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
        for path in GOLDEN.rglob("*.py.golden")
    ]
    shown = _PAGE.blocks("python")
    assert len(shown) >= 6
    for text in shown:
        lines = "\n".join(line.strip() for line in text.splitlines())
        assert any(lines in one for one in generated), text


def test_the_contract_of_the_page_is_the_tiny_one_and_lints() -> None:
    assert check(SPEC) == ()
    lines = {line.strip() for line in _lines(SPEC)}
    shown = _PAGE.blocks("yaml")
    assert len(shown) >= 8
    assert [line for text in shown for line in text.splitlines() if line.strip() and line.strip() not in lines] == []


def _lines(folder: Path) -> Iterator[str]:
    for path in folder.glob("*.yaml"):
        yield from path.read_text(encoding="utf-8").splitlines()
