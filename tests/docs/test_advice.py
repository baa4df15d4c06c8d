"""One sentence of advice for each situation: in errors, reasons, reports and pages the same."""

from __future__ import annotations

import re
from typing import Final

import pytest

from paywright_cli.commands.call import _EXAMPLES
from paywright_runtime.error_text import ADVICE, advised
from tests.support.packages import TOP

DOCS: Final = TOP / "docs"
_MARKER: Final = re.compile(r"<!-- advice ([\w.]+) -->(.*?)<!-- end -->")
_PAGES: Final = [TOP / "README.md", *(page for page in DOCS.glob("*.md") if page.name != "errors.md")]
_SOURCES: Final = "".join(
    path.read_text(encoding="utf-8")
    for package in ("runtime", "receiver", "cli")
    for path in (TOP / package).rglob("*.py")
    if path.name != "advice.py"
)


def test_the_pages_have_the_sentence_of_each_situation_that_they_name() -> None:
    named = [found for page in _PAGES for found in _MARKER.findall(page.read_text(encoding="utf-8"))]
    assert len(named) > 20
    assert {text == ADVICE[situation] for situation, text in named} == {True}


@pytest.mark.parametrize("situation", ADVICE)
def test_every_sentence_is_said_by_an_error_a_reason_or_a_report(situation: str) -> None:
    assert re.search(rf"""["']{re.escape(situation)}["']""", _SOURCES)


def test_no_page_advises_to_close_an_item_in_other_words() -> None:
    said = {
        page.name: found
        for page in _PAGES
        if (
            found := re.findall(
                r"[^.|]*\b(?:or|then|else|and) close (?:it|the item|them)[^.|]*",
                _MARKER.sub("", page.read_text(encoding="utf-8")),
            )
        )
    }
    assert said == {}


def test_the_reference_of_codes_and_the_help_say_the_same() -> None:
    assert f"{advised('refused')}." in (DOCS / "reference" / "codes.md").read_text(encoding="utf-8")
    assert ADVICE["not_sent"] in " ".join(_EXAMPLES.split())


def test_no_page_takes_the_number_of_a_refund_from_the_click() -> None:
    pages = [*_PAGES, *(TOP / "examples").rglob("*.py")]
    assert [page.name for page in pages if "REF_{uuid4" in page.read_text(encoding="utf-8")] == []
