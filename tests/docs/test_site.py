"""The site: whole, readable without scripts, reachable by everybody, and alone. The tests with a browser need Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from docs.building.site import LISTS, _contents, _llms, _renamed, build, site_pages
from tests.support.contract import TOP

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

KINDS = (
    "index", "paid", "errors", "contract", "search", "reference/index", "reference/operations/orders.checkout",
    "reference/notifications/notifications.receive", "reference/notifications/PAYMENT", "reference/states", "reference/codes",
    "reference/limits", "reference/objects", "reference/questions", "reference/python", "reference/python/paywright",
)  # fmt: skip
"""A page of each kind."""


def test_every_page_is_in_the_contents_once_and_in_the_list_for_programs() -> None:
    pages = site_pages(TOP / "docs")
    found = [
        line[1:] for name in LISTS for line in _contents(name, pages[name], pages).splitlines() if line.startswith("/")
    ]
    assert sorted(found) == sorted(_renamed(name).removesuffix(".md") for name in pages if name != "README.md")
    listed = set(re.findall(r"\]\(([^)]+)\)", _llms(pages)))
    assert listed == {_renamed(name) for name in pages if name != "README.md"}


class Links(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.add(given.get("id", ""))
        if "href" in given:
            (self.targets if tag == "a" else self.loaded).append(given["href"])
        if "src" in given:
            self.loaded.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    out = tmp_path_factory.mktemp("site")
    assert build(out / "site", out / "work") > 50
    return out / "site"


@pytest.fixture(scope="module")
def parsed(site: Path) -> dict[Path, Links]:
    return {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


@pytest.mark.full
def test_every_link_of_the_site_holds(site: Path, parsed: dict[Path, Links]) -> None:
    for path, links in parsed.items():
        assert [one for one in links.loaded if "//" in one and not one.startswith("data:")] == [], path
        for target in links.targets:
            name, _, anchor = unquote(target).partition("#")
            if "://" in name:
                continue
            page = (path.parent / name).resolve() if name else path
            assert page.exists(), f"{path.relative_to(site)}: {target}"
            assert (
                not anchor or page not in parsed or anchor in parsed[page].anchors
            ), f"{path.relative_to(site)}: {target}"


@pytest.mark.full
def test_each_page_stands_there_in_markdown_too_with_links_that_hold(site: Path, parsed: dict[Path, Links]) -> None:
    twins = {path.with_suffix(".md") for path in parsed if path.name != "search.html"}
    assert twins == set(site.rglob("*.md"))
    for twin in twins:
        text = re.sub(r"^```.*?^```$", "", twin.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s#:]+)[^)\s:]*\)", text):
            assert (twin.parent / target).exists(), f"{twin.relative_to(site)}: {target}"
    assert (site / "llms.txt").read_text(encoding="utf-8").startswith("# paywright\n")


@pytest.fixture
def alone(browser: Browser, site: Path) -> Iterator[Any]:
    """Makes pages that may load nothing but files of the site, and write nothing on the console."""
    faults: list[str] = []
    contexts: list[Any] = []

    def make(**more: Any) -> Page:
        context = browser.new_context(**more)
        contexts.append(context)
        context.on(
            "request", lambda one: None if one.url.startswith((site.as_uri(), "data:")) else faults.append(one.url)
        )
        page = context.new_page()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: Path, alone: Any, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="the extra browser is not installed"
    ).Axe()
    page = alone(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    for kind in KINDS:
        page.goto((site / f"{kind}.html").as_uri())
        found = axe.run(page, options={"preload": False}).response["violations"]  # it would read the styles by script
        assert [(kind, one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.full
def test_no_page_scrolls_sideways_on_a_phone(site: Path, alone: Any) -> None:
    page = alone(viewport={"width": 390, "height": 844})
    for path in site.rglob("*.html"):
        page.goto(path.as_uri())
        wide, there = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= there, path.relative_to(site)


@pytest.mark.full
def test_a_page_is_read_without_scripts_and_on_paper(site: Path, alone: Any) -> None:
    page = alone(java_script_enabled=False)
    page.goto((site / "reference/operations/refunds.create.html").as_uri())
    assert page.get_by_role("heading", level=1).inner_text() == "refunds.create"
    assert page.get_by_role("link", name="Codes", exact=True).first.is_visible()
    page.emulate_media(media="print")
    assert not page.locator(".sidebar-drawer").is_visible()
    assert page.get_by_text("ORDER_REPEAT").first.is_visible()


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("outTradeNo", "orders.checkout"),
        ("ORDER_NOT_EXIST", "Codes of the gateway"),
        ("webhook", "Receiving webhooks (notifications)"),
        ("refund twice", "From placed to paid"),
    ],
)
def test_search_finds_without_a_server(site: Path, alone: Any, words: str, page: str) -> None:
    shown = alone()
    shown.goto((site / "index.html").as_uri())
    shown.get_by_placeholder("Search").fill(words)
    shown.keyboard.press("Enter")
    found = shown.locator("#search-results li a", has_text=page).first
    found.wait_for()
    found.click()
    assert page in shown.get_by_role("heading", level=1).inner_text()
