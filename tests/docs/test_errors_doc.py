"""docs/errors.md: every error class, every word and every text of an error leads to a page that is there."""

from __future__ import annotations

import re

import pytest

import paywright
import paywright_audit
from docs.building.error_texts import _PAGES, PACKAGES, error_classes, error_texts, page_of
from docs.building.errors_page import errors_page
from docs.building.python_api import escaped
from paywright import NotSent, PaywrightError
from paywright_audit import AuditError
from paywright_cli.commands.docs import find
from paywright_cli.common.pages import checkout_pages
from paywright_receiver.webhooks.reply import WORDS
from paywright_runtime.attempts import REASONS
from tests.support.contract import TOP

pytestmark = pytest.mark.slow  # every module of the product is parsed

PAGE = (TOP / "docs" / "errors.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_source_gives_now() -> None:
    assert errors_page(TOP) == PAGE


def test_every_public_error_is_there() -> None:
    public = {
        name
        for module, base in ((paywright, PaywrightError), (paywright_audit, AuditError))
        for name in module.__all__
        if isinstance(one := getattr(module, name), type) and issubclass(one, base)
    }
    assert len(public) > 20
    assert public <= error_classes(TOP).keys()
    assert {name for name in error_classes(TOP) if f"| `{name}` |" not in PAGE} == set()


def test_every_word_is_there() -> None:
    for word, text in {**REASONS, **WORDS}.items():
        assert any(f"| `{word}` | {escaped(text)} |" in line for line in PAGE.splitlines()), word


def test_every_text_leads_to_a_page_that_is_there() -> None:
    texts = error_texts(TOP)
    assert len(texts) > 500
    for one in texts:
        assert (TOP / "docs" / one.page).is_file(), one
        assert escaped(one.text) in PAGE, one


def test_every_module_has_a_page() -> None:
    for package in PACKAGES:
        for path in (TOP / package).rglob("*.py"):
            page_of(path.relative_to(TOP).as_posix())
    assert {name for name in _PAGES if not [*TOP.glob(f"{name}*")]} == set()


def test_the_text_of_an_error_that_was_raised_is_found() -> None:
    error = NotSent(operation="orders.query", reason="tls_failed", phase="connecting")
    words = re.split(r"\W+", str(error).partition(": ")[2].partition(" (")[0])
    assert find(checkout_pages(TOP / "docs"), words)[1][0].page == "errors.md"
