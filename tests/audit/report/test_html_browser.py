"""The HTML report in a real browser: it asks for nothing, complains of nothing, and is read on a desk, a phone and paper.

They need Chromium, which is a program of the system: `apt-get install chromium`, or name one in TEST_CHROMIUM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.audit.helpers.reports import options, spoiled, written
from tests.audit.helpers.sessions import random_session
from tests.sandbox.pages.test_browser import fits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

DESK, PHONE = {"width": 1200, "height": 800}, {"width": 360, "height": 740}
CAPS = pytest.CaptureFixture[str]
Open = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens files that may ask for nothing but themselves, say nothing on the console and open no dialog."""
    faults: list[str] = []
    contexts: list[Any] = []

    def make(file: Path, viewport: dict[str, int] = DESK, *, at: str = "", **more: Any) -> Page:
        context = browser.new_context(viewport=viewport, **more)  # type: ignore[arg-type]  # a plain dict does
        contexts.append(context)
        page = context.new_page()
        url = file.as_uri()

        def ask(request: Any) -> None:
            if request.url.partition("#")[0] != url and not request.url.startswith("data:"):
                faults.append(f"asked for {request.url}")

        page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", ask)
        page.goto(url + at)
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def clean(keys: Path, tmp_path: Path, capsys: CAPS) -> Path:
    assert written(tmp_path, capsys, random_session(keys, 60), "html", *options(keys))[0] == 0
    return tmp_path / "report.html"


@pytest.fixture
def crowded(keys: Path, tmp_path: Path, capsys: CAPS) -> Path:
    """Hundreds of groups, hostile texts in all of them, half of them in a baseline."""
    raw = spoiled(random_session(keys, 150), rounds=3)
    base = tmp_path / "baseline.json"
    more = (*options(keys), "--reveal")
    written(tmp_path, capsys, raw[: len(raw) // 3], "html", *more, "--write-baseline", str(base))
    assert written(tmp_path, capsys, raw, "html", *more, "--baseline", str(base))[0] == 3
    return tmp_path / "report.html"


def ground(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_a_page_without_findings_is_whole(clean: Path, open_page: Open, viewport: dict[str, int]) -> None:
    page = open_page(clean, viewport)
    assert page.locator("h1").inner_text() == "No findings"
    assert page.locator("main > section h2").all_inner_texts() == ["Signatures", "Findings", "Coverage", "Settings"]
    assert fits(page)


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_a_page_of_hundreds_of_groups_fits(crowded: Path, open_page: Open, viewport: dict[str, int]) -> None:
    page = open_page(crowded, viewport)
    assert page.locator(".group").count() > 200
    height = "document.documentElement.scrollHeight"
    folded = page.evaluate(height)  # but for the most severe groups
    assert fits(page)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert page.locator(".more").first.is_visible()
    assert page.evaluate(height) > 3 * folded
    assert fits(page)
    assert page.locator("script, img, iframe, [onerror], [onmouseover]").count() == 0


def test_a_dark_scheme_is_kept_to(clean: Path, open_page: Open) -> None:
    assert ground(open_page(clean, color_scheme="dark")) != ground(open_page(clean, color_scheme="light"))


def test_groups_open_by_keyboard_and_known_ones_can_be_left_out(crowded: Path, open_page: Open) -> None:
    page = open_page(crowded, at="#error")
    groups = page.locator("#error .group")
    folded = next(one for one in groups.all() if one.get_attribute("open") is None)
    folded.locator("summary").focus()
    page.keyboard.press("Enter")
    assert folded.locator(".more").is_visible()
    known = page.locator("#error .group.known").first
    assert known.is_visible()
    page.locator("#only-new").focus()
    page.keyboard.press("Space")
    assert not known.is_visible()
    page.keyboard.press("Space")
    assert known.is_visible()


def test_on_paper_nothing_stays_folded(crowded: Path, open_page: Open) -> None:
    page = open_page(crowded)
    folded = page.evaluate("document.documentElement.scrollHeight")
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollHeight") > 2 * folded
    assert not page.locator(".top nav").is_visible()
