"""`paywright docs`: pages by name, sections by words, and words that are not there; and every page that a message names."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from paywright_cli.commands.docs import find, page_named
from paywright_cli.common.pages import checkout_pages, docstring_of, for_terminals
from tests.cli.helpers.command_line import paywright
from tests.support.contract import TOP

PAGES = {
    "README.md": "# Documentation\n\n- the shop (shop)\n",
    "shop.md": "# A shop\n\nPlace an order.\n\n## Pay twice\n\nA refund is asked for once. `ORD_1`\n\n```sh\n# no heading\n```\n",
    "reference/README.md": "# Reference\n\nAll of it.\n",
    "reference/refunds.create.md": "# refunds.create\n\n| `outRefundNo` | your number |\n\n## Codes\n\nORDER_REPEAT\n",
}


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("shop", "shop.md"), ("SHOP", "shop.md"), ("docs/shop.md", "shop.md"), ("shop.md#pay-twice", "shop.md"),
        ("refunds.create", "reference/refunds.create.md"),
        ("reference/refunds.create", "reference/refunds.create.md"),
        ("reference", "reference/README.md"), ("README", "README.md"), ("shops", None), ("", None),
    ],
)  # fmt: skip
def test_a_page_has_a_name(words: str, page: str | None) -> None:
    assert page_named(PAGES, words) == page


@pytest.mark.parametrize(
    ("words", "whole", "best"),
    [
        (["order_repeat"], True, ("reference/refunds.create.md", "Codes")),
        (["refund", "once"], True, ("shop.md", "Pay twice")),
        (["outrefundno"], True, ("reference/refunds.create.md", "refunds.create")),
        (["refund", "asked", "thrice"], False, ("shop.md", "Pay twice")),
    ],
)
def test_words_are_found_in_sections(words: list[str], whole: bool, best: tuple[str, str]) -> None:
    found, hits = find(PAGES, words)
    assert (found, (hits[0].page, hits[0].heading)) == (whole, best)


def test_a_code_leads_to_what_it_proves_and_what_to_do() -> None:
    pages = {page: for_terminals(page, text, {}) for page, text in checkout_pages(TOP / "docs").items()}
    codes = re.findall(r"^## ([A-Z]+_[A-Z_]+)$", pages["reference/codes.md"], re.MULTILINE)
    assert len(codes) > 10
    for code in codes:
        best = find(pages, [code])[1][0]
        assert (best.page, best.heading) == ("reference/codes.md", code)
        assert not best.line.startswith("What it proves"), best.line


@pytest.mark.parametrize("words", [["zebra"], ["zebra", "order", "crossing"], ["!"], []])
def test_what_is_not_there_is_not_found(words: list[str]) -> None:
    assert find(PAGES, words) == (False, [])


def test_a_comment_of_a_block_is_no_heading() -> None:
    assert {hit.heading for hit in find(PAGES, ["heading"])[1]} == {"Pay twice"}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('<!-- Written by `make docs`; never edited by hand. -->\n\n# A\n', "# A\n"),
        ('| <a id="a.b"></a>`b` |', "| `b` |"),
        ("see [the shop](shop.md#pay)", "see the shop (shop)"),
        ("see [`refunds.create`](operations/refunds.create.md)", "see `refunds.create`"),
        ("see [Reference](reference/README.md) and [below](#below)", "see Reference (reference) and below"),
        ("see [the reason](decisions/0001.md) and [it](../README.md)", "see the reason and it"),
        ("see [it](https://a.example/b)", "see it (https://a.example/b)"),
        ("```python\na[0](b.md)\n```", "```python\na[0](b.md)\n```"),
    ],
)  # fmt: skip
def test_a_page_is_written_for_a_terminal(written: str, shown: str) -> None:
    assert for_terminals("a.md", written, PAGES) == shown


def test_a_list_has_what_can_be_printed() -> None:
    """Of the first page and of those that it names: a page, or a public name with its docstring."""
    pages = checkout_pages(TOP / "docs")
    for page in ("README.md", "reference/README.md", "reference/python.md"):
        items = re.findall(r"^- (.+?)(?:: |$)", pages[page], re.MULTILINE)
        assert len(items) > 5
        for item in items:
            named = re.findall(r"[(`]([\w.-]+)[)`]", item) or [item.partition(",")[0]]
            installed = find_spec("pyspark") or named != ["paywright_audit.spark"]
            assert not installed or any(page_named(pages, one) or docstring_of(pages, one) for one in named), item


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Follower.open", "Register an item in your own transaction"),
        ("paywright_receiver.Follower.open", "Register an item in your own transaction"),
        ("paywright_receiver", "- SqliteLedger: "),
        ("paywright", "- Client: "), ("aio.Client", None), ("Follower.nothing", None), ("os", None),
        ("Follower.__init__", None), ("", None),
    ],
)  # fmt: skip
def test_a_public_name_has_its_docstring(name: str, says: str | None) -> None:
    found = docstring_of(checkout_pages(TOP / "docs"), name)
    assert (found is None) if says is None else (found is not None and says in found)


@pytest.mark.parametrize(
    ("words", "page"),
    [("refund twice", "refunds"), ("damaged ledger", "ledger"), ("signature", "signatures"), ("go live", "go-live")],
)
def test_the_page_about_something_comes_first(words: str, page: str) -> None:
    assert find(checkout_pages(TOP / "docs"), words.split())[1][0].page == f"{page}.md"


def test_the_list_a_page_and_sections_are_printed() -> None:
    assert paywright("docs").out.startswith("# Documentation\n")
    assert paywright("docs", "refunds.create").out.startswith("# refunds.create\n")
    assert "    Register an item in your own transaction" in paywright("docs", "Follower.open").out
    assert paywright("docs", "docs/audit.md").out.startswith("# Audit captured traffic\n")
    for words in ("outTradeNo", "ORDER_NOT_EXIST", "webhook", "refund twice"):
        ended = paywright("docs", *words.split())
        assert ended.code == 0
        assert "Read one: paywright docs " in ended.out


def test_what_is_nowhere_is_told() -> None:
    ended = paywright("docs", "zebra", "crossing")
    assert ended.code == 1
    assert "no page has these words: zebra crossing. Fewer words find more" in ended.err


_NAMED = re.compile(r"(?<![\w/])docs/([\w./-]+?\.md)(?:#([\w.-]+))?")


def test_every_page_that_the_product_names_is_there() -> None:
    """Messages, docstrings, and comments of the contract's start: all strings of all packages."""
    pages = checkout_pages(TOP / "docs")
    named: dict[str, set[str]] = {}
    for package in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox"):
        for path in (TOP / package).rglob("*"):
            for text in _strings(path):
                for page, _ in _NAMED.findall(text):
                    named.setdefault(page, set()).add(path.relative_to(TOP).as_posix())
    assert len(named) >= 4
    assert {page: places for page, places in named.items() if page not in pages} == {}


def _strings(path: Path) -> list[str]:
    if path.suffix == ".py":
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text if "docs/" in text else "")
        return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [path.read_text(encoding="utf-8")] if path.suffix in (".yaml", ".jinja", ".html") else []
