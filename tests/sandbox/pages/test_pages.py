"""The cashier page, the link page and the front of the console, over HTTP and without a browser [4.1, 2.7]."""

import os
import re
import shutil
import subprocess
import sys
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import segno

from paywright import Client, ContractViolation
from paywright_sandbox.engine.currency_decimals import in_currency
from paywright_sandbox.gateway import make_policies
from paywright_sandbox.pages import is_page
from paywright_sandbox.pages.cashier import card_faults
from paywright_sandbox.pages.rendering import linkable, shown
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.pages import OUR_SCRIPTS, Page, Reader

CARD = {"method": "CARD", "number": "4444 3333 2222 1111", "holder": "A PAYER", "expiry": "12/49", "cvv": "987"}


_count = iter(range(10**6))


def place(client: Client, amount: str = "10.50", **more: Any) -> tuple[str, str]:
    """A hosted order: its number, and the address of its page."""
    key = f"PAGE_{next(_count)}"
    given = {"subject": "Two tickets", "front_callback_url": "https://shop.example/back?order=1", **more}
    order = client.orders.checkout(
        out_trade_no=key, total_amount=Decimal(amount), currency="USD", user_id="user_1", **given
    )
    return key, str(order.redirect_url)


# The cashier page


def test_the_page_shows_what_is_to_be_paid(client: Client, reader: Reader) -> None:
    key, url = place(client, reference="basket 7", expire_time="1800")
    page = reader.get(url)
    assert page.status == 200
    for words in ("10.50", "USD", "Two tickets", "app_sandbox_1", key, "basket 7", "29 minutes"):
        assert words in page.words
    buttons = {value for form in page.forms for _, value in form["buttons"]}  # type: ignore[attr-defined]  # a list
    assert buttons == {"pay", "succeed", "fail", "pend", "cancel"}


def test_a_card_pays_and_is_kept_masked(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    key, url = place(client)
    page = reader.press(url, "pay", **CARD)
    assert "Paid" in page.words
    assert "444433******1111" in page.words
    assert page.links["Back to the shop"] == "https://shop.example/back?order=1"
    assert client.orders.query(out_trade_no=key).status == "SUCCESS"
    state = b"".join(file.read_bytes() for file in sandbox.directory.glob("state.sqlite3*"))
    assert b"444433******1111" in state
    for secret in (b"4444333322221111", b"4444 3333 2222 1111", b"A PAYER", b"12/49"):
        assert secret not in state


@pytest.mark.parametrize("method", ["WALLET", "BANK_TRANSFER", "QR"])
def test_other_methods_pay_too(client: Client, reader: Reader, method: str) -> None:
    key, url = place(client)
    assert "Paid" in reader.press(url, "pay", method=method).words
    assert client.orders.query(out_trade_no=key).status == "SUCCESS"


@pytest.mark.parametrize(
    ("button", "status", "words"),
    [
        ("succeed", "SUCCESS", "Paid"),
        ("fail", "FAILED", "chosen on the cashier page"),
        ("cancel", "FAILED", "The payer cancelled"),
        ("pend", "PENDING", "Payment pending"),
    ],
)
def test_the_outcome_can_be_chosen(client: Client, reader: Reader, button: str, status: str, words: str) -> None:
    key, url = place(client)
    page = reader.press(url, button)
    assert words in page.words
    assert "Back to the shop" in page.links
    assert client.orders.query(out_trade_no=key).status == status


@pytest.mark.parametrize(
    ("amount", "status", "words"),
    [("15", "FAILED", "this amount fails"), ("15.00", "FAILED", "fails"), ("6", "PENDING", "pending")],
)
def test_trigger_amounts_decide(client: Client, reader: Reader, amount: str, status: str, words: str) -> None:
    key, url = place(client, amount)
    assert "(policy " in reader.get(url).words
    assert words in reader.press(url, "pay", **CARD).words
    assert client.orders.query(out_trade_no=key).status == status


@pytest.mark.parametrize(("answer", "status"), [("confirm", "SUCCESS"), ("refuse", "FAILED")])
def test_the_bank_may_ask_first(client: Client, reader: Reader, answer: str, status: str) -> None:
    key, url = place(client, "222")
    asked = reader.press(url, "pay", **CARD)
    assert "The bank asks" in asked.words
    assert client.orders.query(out_trade_no=key).status == "PENDING"
    assert "The bank asks" in reader.get(url).words
    reader.press(url, answer)
    assert client.orders.query(out_trade_no=key).status == status


def test_nothing_is_confirmed_that_no_bank_has_asked(client: Client, reader: Reader) -> None:
    key, url = place(client)
    assert reader.press(url, "confirm").status == 409
    assert client.orders.query(out_trade_no=key).status == "PENDING"


def test_a_pending_order_can_be_paid_after_all(client: Client, reader: Reader) -> None:
    key, url = place(client)
    page = reader.press(url, "pend")
    assert page.links["Pay after all"] == urlsplit(url).path
    assert "Paid" in reader.press(url, "pay", **CARD).words
    assert client.orders.query(out_trade_no=key).status == "SUCCESS"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("number", "4444 3333 2222 1112", "check digit"),
        ("number", "4012888888881881", "test cards only"),
        ("number", "12", "12 to 19 digits"),
        ("number", "\u0664\u0664\u0664\u0664333322221111", "12 to 19 digits"),
        ("holder", " ", "name on the card"), ("expiry", "13/30", "month and year"), ("expiry", "01/20", "has expired"),
        ("expiry", "1230", "month and year"), ("cvv", "12", "3 or 4 digits"),
    ],
)  # fmt: skip
def test_a_wrong_card_is_not_repeated(client: Client, reader: Reader, field: str, value: str, words: str) -> None:
    key, url = place(client)
    page = reader.press(url, "pay", **{**CARD, field: value})
    assert page.status == 422
    assert words in page.words
    given = {attrs.get("name"): attrs for tag, attrs in page.tags if tag == "input"}
    assert given[field]["aria-invalid"] == "true"
    assert (given["number"]["value"], given["cvv"]["value"]) == ("", "")
    assert CARD["cvv"] not in page.html.replace(page.forms[0]["fields"]["token"], "")  # type: ignore[index]  # a dict
    assert "1881" not in page.words
    assert client.orders.query(out_trade_no=key).status == "PENDING"


def test_sending_a_form_twice_pays_once(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    key, url = place(client)
    path = urlsplit(url).path
    fields = {"token": reader.get(url).form(path)["token"], "press": "succeed"}
    assert "Paid" in reader.post(path, fields).words
    assert "Paid" in reader.post(path, fields).words
    assert "Paid" in reader.post(path, {**fields, "press": "fail"}).words
    with sandbox.engine.store.transaction() as state:
        assert len(state.all("SELECT 1 FROM events WHERE kind = 'order.paid' AND subject = ?", key)) == 1


def test_finished_expired_and_unknown_orders_say_so(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    key, url = place(client)
    sandbox.control("POST", f"orders/{key}/close")
    page = reader.get(url)
    assert (page.status, page.forms) == (200, [])
    assert "Not paid" in page.words
    assert "This order is finished" in page.words
    for other in (url + "X", url + "/other", f"{sandbox.base_url}/_sandbox/cashier/", url[:-4] + "%00%ff"):
        assert reader.get(other).status == 404


# Who may send a form


@pytest.mark.parametrize("token", ["", "0" * 64, "\u00e9"])
def test_a_form_without_its_token_does_nothing(client: Client, reader: Reader, token: str) -> None:
    key, url = place(client)
    page = reader.post(urlsplit(url).path, {"token": token, "press": "succeed"})
    assert page.status == 403
    assert "Nothing happened" in page.words
    assert client.orders.query(out_trade_no=key).status == "PENDING"


def test_the_token_of_one_order_does_nothing_to_another(client: Client, reader: Reader) -> None:
    (_, one), (key, other) = place(client), place(client)
    token = reader.get(one).form(urlsplit(one).path)["token"]
    assert reader.post(urlsplit(other).path, {"token": token, "press": "succeed"}).status == 403
    assert client.orders.query(out_trade_no=key).status == "PENDING"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data"},
    ],
)  # fmt: skip
def test_a_form_from_elsewhere_does_nothing(client: Client, reader: Reader, headers: dict[str, str]) -> None:
    key, url = place(client)
    path = urlsplit(url).path
    token = reader.get(url).form(path)["token"]
    page = reader.post(path, {"token": token, "press": "succeed"}, **headers)
    assert page.status in (403, 415)
    assert client.orders.query(out_trade_no=key).status == "PENDING"


def test_odd_forms_and_methods_are_refused(client: Client, reader: Reader) -> None:
    _, url = place(client)
    path = urlsplit(url).path
    token = reader.get(url).form(path)["token"]
    assert reader.post(path, {"token": token, "press": "explode"}).status == 400
    assert reader.post(path, {"token": token, "press": "succeed", "method": "CASH"}).status == 400
    assert reader.post(path, {"token": token, "press": "succeed", "x": "y" * 20_000}).status == 413
    assert reader.post(path, {f"f{number}": "" for number in range(40)}).status == 400
    assert reader.send("PUT", path, None, {}).status == 405
    assert reader.send("POST", f"{path}/left", b"", {}).status == 404
    assert reader.send("HEAD", path, None, {}).status == 200


@pytest.mark.parametrize("path", ["/_sandbox/", "/_sandbox/console/log", "/_sandbox/cashier/X"])
def test_a_foreign_host_gets_no_page(reader: Reader, path: str) -> None:
    assert reader.get(path, Host="evil.example").status == 421


def test_requests_with_the_control_header_are_not_for_pages() -> None:
    assert is_page("/_sandbox/", [])
    assert is_page("/_sandbox/links/L1", [])
    assert not is_page("/_sandbox/links/L1", [("X-Sandbox", "1")])
    assert not is_page("/_sandbox/orders", [])
    assert not is_page("/_sandboxed/", [])


# What hostile words do: nothing

HOSTILE = [
    "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "</title></textarea></style><svg onload=alert(1)>",
    "{{7*7}}{% raw %}${7*7}#{7*7}", "\u202etxt.exe\u2066\u200f", "\u0645\u0631\u062d\u0628\u0627", "W" * 250,
    "&lt;b&gt;&amp;", "a\u0000b\u0085\u009f",
]  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_do_nothing(sandbox: RunningSandbox, client: Client, reader: Reader, words: str) -> None:
    try:
        _, url = place(
            client, subject=words, reference=words[:200], front_callback_url=f"https://shop.example/?q={words}"
        )
    except ContractViolation:
        return  # the contract itself refuses them: nothing reaches a page
    pages = [reader.get(url), reader.get("/_sandbox/console/log"), reader.press(url, "fail"), reader.get(url)]
    for page in pages:
        assert page.status == 200
        assert not {"svg", "textarea", "style", "iframe"} & {tag for tag, _ in page.tags}
        assert page.scripts in ([], OUR_SCRIPTS)
        assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
        assert [
            attrs for tag, attrs in page.tags if tag == "img" and not (attrs["src"] or "").startswith("data:")
        ] == []
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u0000]", page.html)
    assert shown(words) in pages[0].words


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/back", "http://127.0.0.1:9000/back?x=1#y", "HTTPS://SHOP.example", "https://[::1]:8/",
        "https://shop.example/zur\u00fcck", "shop-app://orders/1", "com.example.shop://done?x=1",
    ],
)  # fmt: skip
def test_web_and_app_addresses_are_linked(url: str) -> None:
    assert linkable(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "javascript://shop.example/%0aalert(1)", " javascript:alert(1)",
        "java\tscript:alert(1)", "java\nscript://x", "\u0001javascript://x", "data:text/html,<script>alert(1)</script>",
        "data://text/html,x", "vbscript:msgbox(1)", "vbscript://x", "file:///etc/passwd", "blob:https://shop.example/1",
        "view-source://shop.example", "chrome://settings", "ms-settings://x", "//evil.example", "/\\evil.example",
        "\\\\evil.example", "https:\\\\evil.example", "https://shop.example\\@evil.example",
        "https://shop.example@evil.example/", "https:///evil.example", "https:evil.example", "https://",
        "https://shop.example /", "https://shop.example/\u202egnp", "https://shop.example/\u00a0",
        "https://shop.example/\r\nX: y", "https://sh%6fp.example/", "https://shop.example:port/", "back.html", "?x=1",
        "mailto:a@b.example", "https://shop.example/" + "a" * 3000,
    ],
)  # fmt: skip
def test_other_addresses_are_not_linked(url: str) -> None:
    assert linkable(url) is None


def test_every_character_that_turns_the_line_or_is_invisible_is_written_out() -> None:
    turning = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    found = [one for one in map(chr, range(sys.maxunicode + 1)) if unicodedata.bidirectional(one) in turning]
    assert len(found) == len(turning)
    for one in (*found, *"\u200e\u200f\u061c\x00\x1f\x7f\x9f\u2028\u2029\ue000\ud800"):
        assert shown(f"a{one}b") == f"a\\u{{{ord(one):x}}}b"
    for kept in ("a\nb\tc", "\u200d\u202f", "\u00e9\u6f22"):
        assert shown(kept) == kept


def test_the_root_leads_a_browser_to_the_console_and_nobody_else(reader: Reader) -> None:
    page = reader.get("/", Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (page.status, page.headers["location"]) == (303, "/_sandbox/")
    for headers in ({}, {"Accept": "application/json"}, {"Accept": "text/html", "X-Sandbox": "1"}):
        assert reader.get("/", **headers).status == 404


def leads_to(page: Page) -> str | None:
    """Where a page leads by itself."""
    found = [attrs["content"] for tag, attrs in page.tags if tag == "meta" and attrs.get("http-equiv") == "refresh"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("button", "leads"), [("pay", True), ("succeed", True), ("fail", True), ("cancel", True), ("pend", False)]
)
def test_a_finished_order_leads_back_to_the_shop_once(client: Client, reader: Reader, button: str, leads: bool) -> None:
    back = "https://shop.example/back?order=1&x=a;b"
    _, url = place(client, front_callback_url=back)
    page = reader.press(url, button, **CARD)
    assert_guarded(page)
    assert leads_to(page) == (f"0; url={back}" if leads else None)
    assert leads_to(reader.get(url)) is None  # the page of the order can be looked at
    if not leads:
        assert leads_to(reader.get(f"{url}/return")) is None  # it is not finished


def test_a_policy_has_a_link_in_its_place(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    sandbox.engine.settings.policies = make_policies({"front-callback": "link"})
    _, url = place(client)
    page = reader.press(url, "succeed")
    assert (leads_to(page), page.links["Back to the shop"]) == (None, "https://shop.example/back?order=1")


def test_an_address_that_is_not_linked_is_shown(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    key, url = place(client)
    with sandbox.engine.store.transaction() as state:
        row = state.one("SELECT id FROM orders WHERE out_trade_no = ?", key)
        assert row is not None
        state.update("orders", int(str(row["id"])), {"front_callback_url": "javascript:alert(document.domain)"})
    page = reader.press(url, "succeed")
    assert "javascript:alert(document.domain)" in page.words
    assert "Back to the shop" not in page.links
    assert leads_to(page) is None
    assert not [href for href in page.links.values() if not href.startswith(("/_sandbox/", "#"))]


def assert_guarded(page: Page) -> None:
    policy = page.headers["content-security-policy"]
    for part in (
        "default-src 'none'",
        "style-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ):
        assert part in policy
    assert "unsafe" not in policy
    assert page.scripts in ([], OUR_SCRIPTS)
    assert ("script-src 'self'" in policy) == bool(page.scripts)
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "same-origin"
    assert "set-cookie" not in page.headers


def test_every_page_is_guarded_and_said_to_be_whole(client: Client, reader: Reader) -> None:
    _, url = place(client)
    log = "/_sandbox/console/log"
    for address in (url, "/_sandbox/", "/_sandbox/console/none", "/_sandbox/cashier/none", log, f"{log}/1"):
        page = reader.get(address)
        assert_guarded(page)
        assert page.status == (404 if address.endswith("none") else 200)
        assert page.tags[0] == ("html", {"lang": "en"})
        assert sum(tag == "h1" for tag, _ in page.tags) == 1
        assert sum(tag == "main" for tag, _ in page.tags) == 1
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        assert len(ids) == len(set(ids))
        labels = {attrs.get("for") for tag, attrs in page.tags if tag == "label"}
        for tag, attrs in page.tags:
            if tag in ("input", "select") and attrs.get("type") != "hidden":
                assert attrs["id"] in labels
            for name in ("src", "href", "action"):
                assert (attrs.get(name) or "/").startswith(("/", "#", "data:image/", "?")), (address, attrs)


def test_the_stylesheet_comes_from_here(reader: Reader) -> None:
    style = reader.get("/_sandbox/static/sandbox.css")
    assert (style.status, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "url(" not in style.html
    assert "@import" not in style.html
    assert reader.get("/_sandbox/static/..%2f__init__.py").status == 404


# Links


def test_a_link_is_opened_and_paid(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    made = {"merchantLinkId": "LINK_1", "amount": "12.50", "currency": "USD", "country": "SG", "description": "A mug <b>"}  # fmt: skip
    sandbox.done("POST", "links", made)
    link = client.payment_links.query(merchant_link_id="LINK_1")
    assert str(link.link_url).startswith(sandbox.base_url)
    page = reader.get(str(link.link_url))
    for words in ("12.50", "A mug <b>", "LINK_1", "ACTIVE"):
        assert words in page.words
    path = urlsplit(str(link.link_url)).path
    opened = reader.post(path, {"token": page.form(path)["token"], "name": "Jo"}, follow=False)
    assert opened.status == 303
    assert "Paid" in reader.press(opened.headers["location"], "pay", **CARD).words
    assert "Paid" in reader.get(str(link.link_url)).words
    info = client.payment_links.query(merchant_link_id="LINK_1").pay_by_link_info
    assert [entry.status for entry in info or []] == ["SUCCESS"]


def test_unknown_links_say_so(reader: Reader) -> None:
    assert reader.get("/_sandbox/link/L9").status == 404
    assert reader.get("/_sandbox/links/L9").headers["location"] == "/_sandbox/link/L9"


# The console


def test_an_empty_console_tells_what_to_do_first(made_once: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made_once, tmp_path / "sandbox"))
    with running_sandbox(folder) as running:
        reader = Reader(running.base_url)
        page = reader.get("/_sandbox/")
        assert "place the first order" in page.words
        (snippet,) = re.findall("from decimal import Decimal.*?print[^\n]*", page.words, re.DOTALL)
        assert "None yet" in reader.get("/_sandbox/console/log").words
        # The lines of the page are real: they place the order they promise.
        env = repr(running.env)
        exec(snippet.replace("Client.from_env()", f"Client.from_env({env})"), {})
        assert running.pay("ORD_1")["status"] == "SUCCESS"


def test_the_sandbox_starts_without_its_pages() -> None:
    code = "import sys, paywright_sandbox.http.server; print('jinja2' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_path())
    assert ran.stdout.strip() == "False"


def _path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.parametrize(("fields", "status"), [(20, 200), (21, 400), (400, 400)])
def test_too_many_fields_are_said(reader: Reader, fields: int, status: int, caplog: pytest.LogCaptureFixture) -> None:
    page = reader.get("/_sandbox/?" + "&".join(f"a{number}=1" for number in range(fields)))
    assert page.status == status
    assert (status == 200) == ("at most 20 fields" not in page.words)
    assert caplog.records == []


def test_card_fields_are_judged_one_by_one() -> None:
    from datetime import UTC, datetime

    now = datetime(2025, 6, 15, tzinfo=UTC)
    assert card_faults({**CARD, "expiry": "06/25"}, now) == {}
    assert card_faults({**CARD, "expiry": "6 / 2025"}, now) == {}
    assert set(card_faults({**CARD, "expiry": "05/25"}, now)) == {"expiry"}
    assert set(card_faults({}, now)) == {"number", "holder", "expiry", "cvv"}


def test_the_cashier_shows_its_address_as_a_qr_code(client: Client, reader: Reader) -> None:
    _, url = place(client)
    (image,) = (attrs["src"] for tag, attrs in reader.get(url).tags if tag == "img")
    assert image == segno.make(url, error="l", micro=False).svg_data_uri(light="#fff", omitsize=True)


# Money, test cards and labels


@pytest.mark.parametrize(
    ("amount", "currency", "read"),
    [
        ("42.5", "USD", "42.50"), ("1200", "JPY", "1200"), ("1200.00", "JPY", "1200"), ("0", "EUR", "0.00"),
        ("1.005", "USD", "1.005"),  # no digit is lost where a policy lets more in
        ("100000000000000000000000000000.1", "USD", "100000000000000000000000000000.10"),
        ("1.5", "", "1.5"), ("", "USD", ""),
    ],
)  # fmt: skip
def test_an_amount_is_read_with_the_decimals_of_its_currency(amount: str, currency: str, read: str) -> None:
    assert in_currency(amount, currency) == read


def test_a_test_card_fills_the_fields_without_any_script(client: Client, reader: Reader) -> None:
    _, url = place(client)
    page = reader.get(url)
    assert page.scripts == []
    chips = {link for link in page.links.values() if "?card=" in link}
    assert len(chips) == 6
    filled = reader.get(f"{urlsplit(url).path}?card=5555555555554444")
    assert filled.form(urlsplit(url).path)["number"] == "5555 5555 5555 4444"
    real = reader.get(f"{urlsplit(url).path}?card=4012888888881881")
    assert "1881" not in real.html  # only what is a test card here is taken up
