"""The pages in a real browser: paid with a mouse and with the keyboard alone, on a desk and on a phone.

They need Chromium, which is a program of the system: `apt-get install chromium`, or name one in TEST_CHROMIUM.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Client, GatewayError
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

SHOP = "**/_sandbox/console/orders"
"""Where the payer of an order of `place` is led back to."""
CHIPS = ["Visa 1111", "Mastercard 4444", "American Express 0005", "JCB 0000", "UnionPay 0005", "Discover 1117"]
DESK, PHONE = {"width": 1200, "height": 800}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def sandbox(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    folder = Path(shutil.copytree(made_once, tmp_path_factory.mktemp("browser") / "sandbox"))
    with running_sandbox(folder) as running:
        yield running


@pytest.fixture(scope="module")
def client(sandbox: RunningSandbox) -> Iterator[Client]:
    with sandbox.client() as made:
        yield made


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Makes pages that let nothing pass: no message on the console, no failed request, no cookie."""
    faults: list[str] = []
    contexts: list[Any] = []

    def make(viewport: dict[str, int] = DESK, *, bears: str | None = None, **more: Any) -> Page:
        context = browser.new_context(viewport=viewport, **more)  # type: ignore[arg-type]  # a plain dict does
        contexts.append(context)
        page = context.new_page()

        def hear(message: Any) -> None:
            if bears is None or bears not in message.text:
                faults.append(f"{message.type}: {message.text}")

        page.on("console", hear)
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))

        def fails(request: Any) -> None:
            borne = bears is not None and bears in request.url
            if (
                request.resource_type != "fetch" and not borne
            ):  # a list that follows what happens, and was left just then
                faults.append(f"failed: {request.url}")

        page.on("requestfailed", fails)
        return page

    yield make
    for context in contexts:
        assert context.cookies() == []
        context.close()
    assert faults == []


_count = iter(range(10**6))


def place(client: Client, sandbox: RunningSandbox, amount: str = "48.50", **more: Any) -> tuple[str, str]:
    key = f"BROWSER_{next(_count)}"
    given = {
        "subject": "Two tickets for the evening concert",
        "front_callback_url": f"{sandbox.base_url}/_sandbox/console/orders",
        **more,
    }
    order = client.orders.checkout(
        out_trade_no=key, total_amount=Decimal(amount), currency="EUR", **{"user_id": "user_1", **given}
    )
    return key, str(order.redirect_url)


def fits(page: Page) -> bool:
    """Whether nothing is cut off or scrolled to sideways."""
    wide, there = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    return bool(wide <= there)


def test_a_hosted_order_is_paid_by_card_and_leads_back(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    key, url = place(client, sandbox)
    page = open_page()
    page.goto(url)
    assert page.get_by_role("heading", level=1).inner_text() == "48.50 EUR"
    page.get_by_label("Card number").fill("5555 5555 5555 4444")
    page.get_by_label("Name on the card").fill("A PAYER")
    page.get_by_label("Expires").fill("09/49")
    page.get_by_label("Security code").fill("123")
    page.get_by_role("button", name="Pay 48.50 EUR").click()
    page.wait_for_url(SHOP)
    assert client.orders.query(out_trade_no=key).status == "SUCCESS"
    page.goto(url)
    assert "This order is finished" in page.inner_text("main")
    page.get_by_role("link", name="Back to the shop").click()
    page.wait_for_url(SHOP)


def test_the_browser_goes_to_a_shop_of_another_origin(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    """A redirect of the form itself would be stopped: form-action allows no other origin."""
    back = "https://shop.example/back?order=1&x=%3C;y"
    _, url = place(client, sandbox, front_callback_url=back)
    page = open_page()
    page.route("https://shop.example/**", lambda route: route.fulfill(body="<h1>Shop</h1>", content_type="text/html"))
    page.goto(url)
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_url(back)
    page.go_back()
    assert page.url == url  # and not a page that leads on once more


def test_the_page_of_an_order_whose_shop_has_no_address_to_follow_stays(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    _, url = place(client, sandbox, front_callback_url="shop-app://orders/1")
    page = open_page(bears="shop-app")
    page.goto(url)
    page.get_by_role("button", name="Fail", exact=True).click()
    page.get_by_role("link", name="Back to the shop").wait_for()
    assert "Not paid" in page.inner_text("main")


@pytest.mark.parametrize(
    ("button", "words"), [("Fail", "Not paid"), ("Cancel", "Not paid"), ("Leave pending", "pending")]
)
def test_a_payment_is_failed_cancelled_or_left(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page], button: str, words: str
) -> None:
    key, url = place(client, sandbox)
    page = open_page()
    page.goto(url)
    page.get_by_role("button", name=button, exact=True).click()
    if words == "pending":
        page.get_by_role("link", name="Back to the shop").wait_for()
    else:
        page.wait_for_url(SHOP)
        page.goto(url)
    assert words in page.inner_text("main")
    assert client.orders.query(out_trade_no=key).status == ("PENDING" if words == "pending" else "FAILED")


def test_a_test_card_is_chosen_and_fills_the_fields(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    key, url = place(client, sandbox, "48.5")
    page = open_page()
    page.goto(url)
    assert page.get_by_role("heading", level=1).inner_text() == "48.50 EUR"
    what, how = (page.locator(part).bounding_box() for part in (".bill", ".ways"))
    assert what is not None
    assert how is not None
    assert what["x"] + what["width"] <= how["x"]  # beside each other on a desk
    page.get_by_role("link", name="American Express").click()
    assert page.get_by_label("Card number").input_value() == "3782 8224 6310 005"
    assert page.get_by_label("Security code").input_value() == "1234"
    page.get_by_role("button", name="Pay 48.50 EUR").click()
    page.wait_for_url(SHOP)
    assert sandbox.done("GET", f"orders/{key}")["card"] == "378282*****0005"


def test_the_log_follows_what_happens_until_it_is_paused(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.goto(f"{sandbox.base_url}/_sandbox/console/log")
    key, _ = place(client, sandbox)
    page.get_by_role("row").filter(has_text=key).first.wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Follow").wait_for()


def test_numbers_are_copied(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    key, _ = place(client, sandbox)
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{sandbox.base_url}/_sandbox/console/orders")
    page.get_by_role("link", name=key, exact=True).click()
    page.get_by_role("button", name=f"Copy {key}").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == key


def test_the_keyboard_alone_pays(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    key, url = place(client, sandbox)
    page = open_page()
    page.goto(url)
    focus = "(() => { const e = document.activeElement; return e.id || e.innerText.trim(); })()"
    seen: list[str] = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(focus))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", f"no visible focus on {seen[-1]}"
        if seen[-1].startswith("Pay "):
            break
    assert seen == ["Skip to the content", "Card", *CHIPS, "number", "holder", "expiry", "cvv", "Pay 48.50 EUR"]
    page.keyboard.press("Enter")
    page.wait_for_url(SHOP)
    page.goto(url)
    page.wait_for_function(f"{focus} === 'Back to the shop'")
    page.keyboard.press("Enter")
    page.wait_for_url(SHOP)
    assert client.orders.query(out_trade_no=key).status == "SUCCESS"


def test_the_other_methods_open_with_the_keyboard_one_at_a_time(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    key, url = place(client, sandbox)
    page = open_page()
    page.goto(url)
    page.locator("summary", has_text="QR code").focus()
    page.keyboard.press("Enter")
    assert page.locator("details[open] summary").all_inner_texts() == ["QR code"]
    image = page.get_by_role("img")
    assert image.evaluate("image => image.complete && image.naturalWidth > 0")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(SHOP)
    assert client.orders.query(out_trade_no=key).status == "SUCCESS"


def test_a_wrong_card_is_explained_where_it_was_entered(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    _, url = place(client, sandbox)
    page = open_page(PHONE, bears="status of 422")  # which the browser itself reports
    page.goto(url)
    page.get_by_label("Card number").fill("4012 8888 8888 1881")
    page.get_by_role("button", name="Pay 48.50 EUR").click()
    page.get_by_role("alert").get_by_role("link", name="test cards only").click()
    field = page.get_by_label("Card number")
    assert field.get_attribute("aria-invalid") == "true"
    assert field.input_value() == ""
    assert fits(page)


def test_a_link_is_opened_and_paid(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    made = {"merchantLinkId": "LINK_1", "amount": "12.50", "currency": "USD", "country": "SG", "description": "A mug"}
    sandbox.done("POST", "links", made)
    page = open_page()
    page.goto(str(client.payment_links.query(merchant_link_id="LINK_1").link_url))
    page.get_by_label("Your name").fill("Jo")
    page.get_by_role("button", name="Go to the payment").click()
    page.get_by_role("button", name="Pay 12.50 USD").click()
    page.get_by_text("Paid", exact=True).wait_for()
    info = client.payment_links.query(merchant_link_id="LINK_1").pay_by_link_info
    assert [entry.status for entry in info or []] == ["SUCCESS"]


def test_the_console_is_read_and_acts(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    key, _ = place(client, sandbox, expire_time="1800")
    late, _ = place(client, sandbox, expire_time="1800")
    page = open_page()
    page.goto(f"{sandbox.base_url}/_sandbox/")
    page.get_by_role("link", name=key, exact=True).click()
    page.get_by_role("button", name="Pay", exact=True).click()
    assert "order.paid" in page.get_by_role("status").inner_text()
    page.get_by_role("link", name="Overview").click()
    assert "EUR" in page.get_by_role("table").first.inner_text()
    page.get_by_role("button", name="Forward a day").click()
    assert f"order.closed {late}" in page.get_by_role("status").inner_text()
    assert client.orders.query(out_trade_no=late).status == "FAILED"
    for name in ("Refunds", "Notifications", "Faults", "Log"):
        page.get_by_role("navigation", name="Console").get_by_role("link", name=name).click()
        assert page.get_by_role("heading", level=1).inner_text().startswith(name)


def test_the_log_tells_what_became_of_an_order(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    key, _ = place(client, sandbox, user_id="user_of_the_log")
    page = open_page()
    page.goto(f"{sandbox.base_url}/_sandbox/")
    page.get_by_role("link", name=key, exact=True).click()
    page.get_by_role("link", name="Its exchanges in the log").click()
    row = page.get_by_role("row").filter(has_text=key)
    assert "accepted" in row.inner_text()
    row.get_by_role("link").click()
    assert page.get_by_role("heading", level=1).inner_text().startswith("orders.checkout")
    assert "Request: holds" in page.inner_text("main")
    assert f'"outTradeNo": "{key}"' in page.inner_text("main")
    assert "user_of_the_log" not in page.inner_text("main")
    page.get_by_role("link", name="a person's data").click()
    assert "user_of_the_log" in page.inner_text("main")
    page.locator("summary", has_text="headers").first.focus()
    page.keyboard.press("Enter")
    assert "(a credential, 344 characters)" in page.inner_text("main")
    page.goto(f"{sandbox.base_url}/_sandbox/console/log")
    page.get_by_label("Number").fill(key.lower())
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/log?*key={key.lower()}")
    assert key in page.get_by_role("table").inner_text()


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}\u202egnp " + "W" * 150


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone_and_is_readable(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page], scheme: str
) -> None:
    _, url = place(client, sandbox, subject=HOSTILE[:256], reference=HOSTILE[:256])
    page = open_page(PHONE, is_mobile=True, color_scheme=scheme)
    page.goto(f"{sandbox.base_url}/_sandbox/")
    links = page.get_by_role("navigation", name="Console").get_by_role("link").all()
    addresses = [f"{sandbox.base_url}{link.get_attribute('href')}" for link in links]
    orders = page.locator("td a").all()
    addresses += [url, f"{sandbox.base_url}{orders[0].get_attribute('href')}"]
    addresses.append(f"{sandbox.base_url}/_sandbox/console/log/1?people=1")
    assert len(addresses) > 8
    for address in addresses:
        page.goto(address)
        assert fits(page), address
        assert page.evaluate(_FAINT) == [], address
        assert page.evaluate(_SMALL) == [], address


def test_lists_keep_codes_whole_where_there_is_room(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    for more in ({}, {"subject": HOSTILE[:256]}):
        key, _ = place(client, sandbox, **more)
        sandbox.control("POST", f"orders/{key}/fail")
    with suppress(GatewayError):
        client.orders.query(out_trade_no="NONE_" + "X" * 58)
    page = open_page({"width": 1280, "height": 900})
    for name in ("orders", "log", "notifications"):
        page.goto(f"{sandbox.base_url}/_sandbox/console/{name}")
        assert fits(page), name
        assert page.evaluate(_BROKEN) == [], name
    page.goto(f"{sandbox.base_url}/_sandbox/console/orders")
    assert "PAYMENT_FAILED" in page.inner_text("main")  # the longest of them was there


def test_the_fields_of_a_row_stand_on_one_line(sandbox: RunningSandbox, open_page: Callable[..., Page]) -> None:
    page = open_page({"width": 1280, "height": 900})
    page.goto(f"{sandbox.base_url}/_sandbox/console/faults")
    for summary in page.locator("details:not([open]) > summary").all():
        summary.click()
    tops = [page.get_by_label(label).first.bounding_box() for label in ("Kind", "When", "Operation")]
    assert len({round(box["y"]) for box in tops if box}) == 1


# Codes and numbers of at most 18 characters that do not stand on one line.
_BROKEN = """
[...document.querySelectorAll("td .words, td .status, .events b")].filter(e => {
  if (!/^[\\w.]{1,18}$/.test(e.textContent.trim())) return false;
  const range = document.createRange();
  range.selectNodeContents(e);
  return new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1;
}).map(e => e.textContent.trim())
"""

# Words whose contrast with what is behind them is under 4.5 to 1 (3 to 1 where they are large).
_FAINT = """
(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
  const faint = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility()) continue;
    const style = getComputedStyle(e), one = light(rgb(style.color)), other = light(behind(e));
    const ratio = (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) faint.push(e.textContent.trim().slice(0, 40) + " " + ratio.toFixed(2));
  }
  return faint;
})()
"""

# What is pressed and is smaller than 24 pixels in height; links within a line of words are as high as the line.
_SMALL = """
[...document.querySelectorAll("button, input:not([type=hidden]), select, textarea, summary, nav a")]
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24)
  .map(e => e.outerHTML.slice(0, 80))
"""
