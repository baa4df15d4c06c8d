"""The pages in a real browser: paid with a mouse and with the keyboard alone, on a desk and on a phone.

They need Chromium, which is a program of the system: `apt-get install chromium`, or name one in TEST_CHROMIUM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Client, GatewayError
from paywright_sandbox.testing.served import RunningSandbox
from tests.sandbox.engine.test_merchants import client_of, registered
from tests.support.keys import key_pair

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

SHOP = "**/_sandbox/console/log"
"""Where the payer of an order of `place` is led back to."""
CHIPS = ["Visa 1111", "Mastercard 4444", "American Express 0005", "JCB 0000", "UnionPay 0005", "Discover 1117"]
DESK, PHONE = {"width": 1200, "height": 800}, {"width": 390, "height": 740}


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


def place(
    client: Client, sandbox: RunningSandbox, amount: str = "48.50", key: str = "", **more: Any
) -> tuple[str, str]:
    key = key or f"BROWSER_{next(_count)}"
    given = {
        "subject": "Two tickets for the evening concert",
        "front_callback_url": f"{sandbox.base_url}/_sandbox/console/log",
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


def test_a_shop_of_another_origin(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
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


def test_a_shop_without_an_address(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    _, url = place(client, sandbox, front_callback_url="shop-app://orders/1")
    page = open_page(bears="shop-app")
    page.goto(url)
    page.get_by_role("button", name="Fail", exact=True).click()
    page.get_by_role("link", name="Back to the shop").wait_for()
    assert "Not paid" in page.inner_text("main")


def test_a_test_card_fills_the_fields(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
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


def test_the_log_follows_and_pauses(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{sandbox.base_url}/_sandbox/console/log")
    key, _ = place(client, sandbox)
    page.get_by_role("row").filter(has_text=key).first.wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Follow").wait_for()


def test_numbers_are_copied(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    key, _ = place(client, sandbox)
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{sandbox.base_url}/_sandbox/#orders/{key}")
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


def test_methods_open_by_keyboard(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
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


def test_a_wrong_card_is_explained(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
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


def forms(page: Page) -> set[str]:
    """The calls of the forms of a page."""
    return set(page.eval_on_selector_all("[data-call]", "all => all.map(one => one.dataset.call)"))


def test_the_console_has_every_list_row_and_action_of_the_api(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    key, _ = place(client, sandbox, notify_url="http://127.0.0.1:9/none")
    sandbox.done("POST", f"orders/{key}/pay")
    client.refunds.create(out_refund_no=key, out_trade_no=key, refund_amount=Decimal(1), refund_currency="EUR")
    for path, body in (
        ("transfers", {"amount": "40.00", "currency": "USD"}),
        ("links", {"merchantLinkId": key, "amount": "1", "currency": "USD", "country": "SG", "description": "A mug"}),
        ("faults", {"kind": "html", "key": "NOBODY"}),
        ("withdrawals", {"outTradeNo": key, "transactionCurrency": "EUR", "transactionAmount": "5"}),
        ("cases", {"outTradeNo": key, "amount": "1"}),
    ):
        sandbox.done("POST", path, body)
    wanted: dict[str, set[str]] = {}
    paths: Any = sandbox.done("GET", "openapi.json")["paths"]
    for path, methods in paths.items():
        name, *steps = path.removeprefix("/_sandbox/").split("/")
        calls = wanted.setdefault(name, set())
        for method, operation in methods.items():
            if method != "get" and "application/vnd.sqlite3" not in operation.get("requestBody", {}).get("content", {}):
                calls.add(" ".join((method.upper(), "/".join((name, *steps)))))
    page = open_page()
    page.goto(f"{sandbox.base_url}/_sandbox/")
    menu = page.get_by_role("navigation", name="Console").get_by_role("link")
    menu.nth(5).wait_for()
    assert wanted["reset"] <= forms(page)
    names = [str(link.get_attribute("href")).partition("#")[2] for link in menu.all()]
    assert sorted({*names} - {""}) == sorted({*wanted} - {"health", "openapi.json", "log", "snapshot", "reset"})
    for name in filter(None, names):
        page.get_by_role("navigation", name="Console").locator(f"[href='/_sandbox/#{name}']").click()
        page.locator(f"[aria-current=page][href$='#{name}']").wait_for()
        assert {call for call in wanted[name] if "{" not in call} <= forms(page)
        rows = page.locator("td a").all()
        bare = {call.partition("{")[0] + call.partition("}")[2] for call in wanted[name] if "{" in call}
        assert rows or not bare or name in ("subscriptions", "tokens", "exchanges")
        if rows and bare:
            row = str(rows[0].get_attribute("href")).partition("#")[2].split("/")[1]
            rows[0].click()
            page.get_by_text("It is not there").or_(page.locator(".crumb")).wait_for()
            assert bare == {call.replace(row, "", 1) for call in forms(page)}


def test_the_forms_of_an_order_act_on_that_merchants_order(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    pair = key_pair(2)
    sandbox.done("POST", "merchants", registered(pair))
    key, _ = place(client, sandbox, notify_url="http://127.0.0.1:9/none")
    page = open_page(bears="status of 409")  # which the browser itself reports
    page.goto(f"{sandbox.base_url}/_sandbox/")
    with client_of(sandbox.directory, sandbox.base_url, pair) as second:
        place(second, sandbox, key=key)
        page.goto(f"{sandbox.base_url}/_sandbox/#orders")
        page.get_by_role("row").filter(has_text="app_2").get_by_role("link").click()
        page.get_by_text("Pays an open order").click()
        page.get_by_role("textbox", name="Card optional").fill("4444333322221111")
        page.keyboard.press("Enter")
        told = page.get_by_role("status")
        told.get_by_text("order.paid").wait_for()
        assert page.evaluate("document.activeElement.id") == "note"
        assert second.orders.query(out_trade_no=key).status == "SUCCESS"
    assert client.orders.query(out_trade_no=key).status == "PENDING"
    page.get_by_role("button", name="Close").click()
    told.get_by_text("The order is SUCCESS already").wait_for()
    assert "notification.enqueued" not in page.inner_text("main")  # the first merchant's order has one, once it is paid
    page.goto("about:blank")  # the other order has the same forms, until the page is drawn anew
    page.goto(f"{sandbox.base_url}/_sandbox/#orders/{key}/app_sandbox_1")
    page.get_by_text("Fails the payment").click()
    page.get_by_role("button", name="Fail", exact=True).click()
    page.get_by_role("table", name="Notifications").wait_for()
    page.get_by_role("table", name="Events").get_by_text("notification.enqueued").wait_for()
    sandbox.done("DELETE", "merchants/app_2")


def test_the_console_moves_the_clock_with_the_keyboard_alone(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]
) -> None:
    key, _ = place(client, sandbox, expire_time="1800")
    page = open_page()
    page.goto(f"{sandbox.base_url}/_sandbox/#clock")
    page.get_by_text("Moves the clock forward").wait_for()
    seen: list[str] = []
    while not seen or not (seen[-1].startswith("Advance") or len(seen) > 40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.innerText.trim()"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", seen[-1]
    assert seen[:3] == ["Skip to the content", "paywright sandbox", "Overview"]
    for press in ("Enter", "Tab", "3600", "Enter"):
        (page.keyboard.type if press.isdigit() else page.keyboard.press)(press)
    page.get_by_role("status").get_by_text(key).wait_for()
    assert client.orders.query(out_trade_no=key).status == "FAILED"
    page.go_back()


def test_what_others_wrote_is_text_on_the_console(sandbox: RunningSandbox, open_page: Callable[..., Page]) -> None:
    link = {"merchantLinkId": "HOSTILE", "amount": "1", "currency": "USD", "country": "SG", "description": HOSTILE[:128]}  # fmt: skip
    sandbox.done("POST", "links", link)
    page = open_page(PHONE, bears="TrustedHTML")
    page.goto(f"{sandbox.base_url}/_sandbox/#links")
    page.locator("td a").first.click()
    page.get_by_text("<script>alert(1)</script>").first.wait_for()
    assert page.locator("img, td script").count() == 0
    assert "\\u{202e}gnp" in page.inner_text("main")
    with pytest.raises(Exception, match="TrustedHTML"):  # no part of the script could make markup of it
        page.evaluate("document.body.innerHTML = '<b>x</b>'")


def test_the_log_tells_of_an_order(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    key, _ = place(client, sandbox, user_id="user_of_the_log")
    page = open_page()
    page.goto(f"{sandbox.base_url}/_sandbox/#orders/{key}")
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
def test_every_page_fits_a_phone_and_axe_finds_nothing(
    sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page], scheme: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="the extra browser is not installed"
    ).Axe()
    options: dict[str, Any] = {"preload": False, "rules": {"target-size": {"enabled": True}}}  # or it reads the styles
    if scheme == "dark":
        options["runOnly"] = ["color-contrast"]
    key, url = place(client, sandbox, subject=HOSTILE[:256], reference=HOSTILE[:256])
    page = open_page(PHONE, is_mobile=True, color_scheme=scheme)
    front = f"{sandbox.base_url}/_sandbox"
    names = ("orders", "merchants", "events", "", f"orders/{key}", "faults")
    pages = [f"{front}/console/log", *(f"{front}/#{name}" for name in names), f"{front}/console/log/1?people=1", url]
    for address in pages:
        page.goto(address)
        if "#" in address:
            section = address.partition("#")[2].partition("/")[0]
            page.locator(f"[aria-current=page][href='/_sandbox/#{section}']").wait_for()
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert fits(page), address
        found = axe.run(page, options=options).response["violations"] if address in pages[-5:] else []
        assert [(address, one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_lists_keep_codes_whole(sandbox: RunningSandbox, client: Client, open_page: Callable[..., Page]) -> None:
    for more in ({}, {"subject": HOSTILE[:256]}):
        key, _ = place(client, sandbox, notify_url="http://127.0.0.1:9/none", **more)
        sandbox.control("POST", f"orders/{key}/fail")
    with suppress(GatewayError):
        client.orders.query(out_trade_no="NONE_" + "X" * 58)
    page = open_page({"width": 1280, "height": 900})
    for path in ("#orders", "#notifications", "console/log"):
        page.goto(f"{sandbox.base_url}/_sandbox/{path}")
        page.locator(f"[aria-current=page][href$='{path}']").wait_for()
        page.get_by_role("cell").first.wait_for()
        assert fits(page), path
        assert page.evaluate(_BROKEN) == [], path


# Codes and numbers of at most 18 characters that do not stand on one line.
_BROKEN = """
[...document.querySelectorAll("td .words, td .status")].filter(e => {
  if (!/^[\\w.]{1,18}$/.test(e.textContent.trim())) return false;
  const range = document.createRange();
  range.selectNodeContents(e);
  return new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1;
}).map(e => e.textContent.trim())
"""
