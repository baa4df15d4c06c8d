"""The log on the console, over HTTP and without a browser."""

import json
import re
import shutil
from collections.abc import Iterator
from http.client import HTTPConnection
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from paywright import AlreadyPlaced, Client
from paywright.contract import CONTRACT
from paywright_runtime.errors import PaywrightError
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.pages.message_view import headers_out, laid_out, without_cards
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.merchant_server import merchant_server
from tests.sandbox.helpers.pages import OUR_SCRIPTS, Page, Reader
from tests.sandbox.helpers.place import place

LOG = "/_sandbox/console/log"


@pytest.fixture
def sandbox(made_once: Path, tmp_path: Path) -> Iterator[RunningSandbox]:
    folder = Path(shutil.copytree(made_once, tmp_path / "sandbox"))
    with running_sandbox(folder) as running:
        yield running


def send(sandbox: RunningSandbox, body: bytes, signed: bytes | None = None, path: str = "orderAndPay") -> None:
    """One call with a signature over `signed`, whatever becomes of it."""
    signer = RsaSigner(load_private_key(sandbox.merchant_private_key))
    wire = HTTPConnection(sandbox.base_url.removeprefix("http://"), timeout=600)
    headers = {"Content-Type": "application/json", "sign": signer.sign(body if signed is None else signed)}
    wire.request("POST", f"/aggregate-pay/api/gateway/{path}", body, headers)
    wire.getresponse().read()
    wire.close()


def newest(reader: Reader) -> Page:
    listed = reader.get(LOG)
    return reader.get(f"{LOG}/{max(int(words) for words in listed.links if words.isdigit())}")


# The log


def test_a_member_that_no_table_has_stands_on_the_page_of_its_exchange(client: Client, reader: Reader) -> None:
    place(client, "ORD_1")
    assert "Unknown member" not in newest(reader).words
    place(client, "ORD_2", extra={"notifyUrls": "https://shop.example/n", "4111111111111111": 1, "<b>": 2})
    words = " ".join(newest(reader).words.split())
    assert "Unknown member/data/notifyUrls (did you mean notifyUrl?)" in words
    assert "Unknown member/data/411111******1111" in words
    assert "Unknown member/data/<b>" in words
    assert "4111111111111111" not in words
    listed = reader.get(LOG).words
    assert "not in the contract: /data/notifyUrls, " in listed
    assert "4111111111111111" not in listed


def test_every_exchange_is_listed_with_its_code(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    place(client, "ORD_1")
    with pytest.raises(AlreadyPlaced):
        place(client, "ORD_1")
    body = json.dumps({"appId": "app_sandbox_1", "data": {}}).encode()
    send(sandbox, body, body + b"\n")
    send(sandbox, b"{no json")
    send(sandbox, b"{}", path="nowhere")
    words = reader.get(LOG).words
    for part in (
        "orders.checkout", "ORD_1", "accepted", "APPLY_SUCCESS", "refused", "ORDER_REPEAT", "policy repeat",
        "bad signature", "SIGN_VERIFY_FAILED", "not valid", "PATH_NOT_FOUND", "no operation",
    ):  # fmt: skip
        assert part in words, part


def test_the_reason_is_the_sandboxs_own(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    """What a merchant's server says to a notification, or an answer that was a yes, stands below and nowhere else."""
    with merchant_server(sandbox.gateway_public_key) as merchant:
        merchant.answers = lambda _: (200, b'{"code":"FAIL","msg":"the shop is closed"}')
        place(client, "ORD_1", notify_url=merchant.url)
        with pytest.raises(AlreadyPlaced):
            place(client, "ORD_1")
        sandbox.pay("ORD_1")
        merchant.wait_for(1)
        sandbox.advance(1)

    placed, refused, told = (reader.get(f"{LOG}/{number}").html for number in (1, 2, 3))
    assert "the shop is closed" in told
    for page in (placed, told):
        assert '<p class="lead">' not in page
    assert '<p class="lead">' in refused


def test_the_log_is_sieved_by_kind_and_by_number(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    with merchant_server(sandbox.gateway_public_key) as merchant:
        place(client, "ORD_1", notify_url=merchant.url)
        place(client, "ORD_2")
        send(sandbox, b"{}", b"x")
        sandbox.pay("ORD_1")
        merchant.wait_for(1)
        sandbox.advance(1)

    def numbers(query: str) -> int:
        return sum(words.isdigit() for words in reader.get(f"{LOG}?{query}").links)

    assert (numbers(""), numbers("show=calls"), numbers("show=refused"), numbers("show=notifications")) == (4, 3, 1, 1)
    assert (numbers("key=ord_1"), numbers("key=ORD_1&show=calls"), numbers("key=ORD_9")) == (2, 1, 0)
    assert "acknowledged" in reader.get(f"{LOG}?show=notifications").words
    assert "Show them all" in reader.get(f"{LOG}?key=ORD_9").words
    for odd in ("show=x", "before=-1", "before=x", "key=%27%20OR%201=1", "key=%00", "show=calls&show=calls"):
        assert reader.get(f"{LOG}?{odd}").status == 200


def test_long_logs_come_in_pages(sandbox: RunningSandbox, reader: Reader) -> None:
    for _ in range(55):
        send(sandbox, b"{}")
    first = reader.get(LOG)
    second = reader.get(first.links["Older"])
    found = [int(words) for page in (first, second) for words in page.links if words.isdigit()]
    assert found == list(range(55, 0, -1))
    assert second.links["Newest"].startswith(LOG)
    assert "Older" not in second.links


@pytest.mark.parametrize(
    ("signed", "words"),
    [
        (lambda body: body + b"\n", "newline"),
        (lambda body: json.dumps(json.loads(body), separators=(",", ":")).encode(), "written without spaces"),
        (lambda body: b"", "over nothing"),
    ],
)
def test_an_exchange_explains_its_signature(sandbox: RunningSandbox, reader: Reader, signed: Any, words: str) -> None:
    body = json.dumps({"appId": "app_sandbox_1", "data": {"outTradeNo": "ORD_1"}}, indent=1).encode()
    send(sandbox, body, signed(body))
    page = newest(reader)
    for part in ("Request: does not hold", words, "Answer: holds", "SIGN_VERIFY_FAILED", '"outTradeNo": "ORD_1"'):
        assert part in page.words, part


def test_an_exchange_says_whose_signature_holds(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    place(client, "ORD_1")
    words = newest(reader).words
    assert "Signed by app_sandbox_1, key " in words
    assert words.count("Signed by app") == 1


def test_an_exchange_that_a_fault_struck_says_so(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    place(client, "ORD_1")
    sandbox.fault("bad-signature", times=1)
    sandbox.fault("reset", times=1)
    for key in ("ORD_2", "ORD_3"):
        with pytest.raises(PaywrightError):
            place(client, key)
    pages = [reader.get(f"{LOG}/{number}").words for number in (2, 3)]
    assert "fault: bad-signature after" in pages[0]
    assert "Answer: does not hold" in pages[0]
    assert "fault: reset after" in pages[1]
    assert "no answer" in pages[1]


def test_credentials_are_never_shown_people_on_demand(sandbox: RunningSandbox, client: Client, reader: Reader) -> None:
    place(client, "ORD_1")
    page = reader.get(f"{LOG}/1")
    assert "user_1" not in page.html
    assert "(a person's data, 6 characters)" in page.words
    assert "user_1" in reader.get(f"{LOG}/1?people=1").html
    seen = next(sandbox.engine.captures.lines())
    signature = next(value for name, value in json.loads(seen.splitlines()[0])["request"]["headers"] if name == "sign")
    message = {
        "appId": "app_sandbox_1",
        "data": {
            "paymentToken": "tok_of_mine",
            "cardInfo": {"cardNumber": "4444333322221111", "cvv": "987", "odd": "unheard", "cardOrg": "VISA"},
            "subject": "my card is 4444 3333 2222 1111",
            "4444333322221111": 4444333322221111,
        },
    }
    for raw in (json.dumps(message).encode(), json.dumps(message).encode()[:-1]):  # the second is no JSON
        send(sandbox, raw)
        for shown in (newest(reader), reader.get(newest(reader).links["a person's data"])):
            for secret in ("tok_of_mine", "4444333322221111", "4444 3333 2222 1111"):
                assert secret not in shown.html, secret
            assert not re.search("(?<![0-9])987(?![0-9])", shown.html)  # a time may have these digits among others
            assert signature not in shown.html
    send(sandbox, json.dumps(message).encode())
    assert "unheard" not in newest(reader).html
    assert "VISA" in newest(reader).html


def test_hostile_words_in_a_log_do_nothing(sandbox: RunningSandbox, reader: Reader) -> None:
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}\u202egnp"
    for raw in (json.dumps({"a": hostile}).encode(), hostile.encode(), b"\xff\x00\xfe", b"", b"[" * 5000, b"9" * 5000):
        send(sandbox, raw)
        page = newest(reader)
        assert page.status == 200
        assert not {"img"} & {tag for tag, _ in page.tags}
        assert page.scripts == OUR_SCRIPTS
        assert "\u202e" not in page.html
        assert "\x00" not in page.html
    assert reader.get(LOG).status == 200
    send(sandbox, b" " * 300_000)
    assert "300000 bytes in all" in newest(reader).words


def test_an_exchange_that_is_not_kept_is_not_found(reader: Reader) -> None:
    for odd in ("0", "99", "x", "-1", "1/2", "9" * 30):
        assert reader.get(f"{LOG}/{odd}").status == 404


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("4444333322221111", "444433******1111"),
        ("4444-3333-2222-1111", "444433******1111"),
        ("x378282246310005y", "x378282*****0005y"),
        ("4444333322221112", "4444333322221112"),  # the check digit is wrong: a number like any other
        ("20250601120000", "20250601120000"),
    ],
)
def test_what_is_a_card_number_loses_its_middle(text: str, shown: str) -> None:
    assert without_cards(text) == shown


@pytest.mark.parametrize("form", ["{}", "{}, broken", "[{}, 7"])
def test_what_a_member_is_decides_whether_it_is_shown_in_whole_and_in_broken_bodies(form: str) -> None:
    members = {"userId": "user_7001", "cvv": "123", "password": "hush", "subject": "Two tickets"}
    raw = form.replace("{}", json.dumps(members)).encode()
    for people in (False, True):
        shown = laid_out(raw, people=people)
        assert ("user_7001" in shown) == people
        assert "Two tickets" in shown
        assert not [word for word in ("123", "hush") if word in shown]


def test_only_the_number_of_a_card_is_shown_as_it_was_masked() -> None:
    masked = "444433******1111"
    assert masked in laid_out(json.dumps({"cardNumber": masked}).encode())
    for name in ("userId", "cvv", "password"):
        assert masked not in laid_out(json.dumps({name: masked}).encode())


def test_a_body_is_laid_out_with_the_digits_it_has() -> None:
    raw = b'{"amount":10.50,"long":179817981798179817981798179817.10,"e":1E5,"n":7,"userId":"u","cardNumber":"444433******1111"}'
    shown = laid_out(raw)
    for line in ('"amount": 10.50', "179817981798179817981798179817.10", '"e": 1E5', '"n": 7', "444433******1111"):
        assert line in shown
    assert '"userId": "u"' in laid_out(raw, people=True)
    assert laid_out(b'{"a": 1, "a": 2}') == '{"a": 1, "a": 2}'  # as it came: laid out, one of them would be lost
    assert headers_out([("Sign", "abc"), ("X-SIGNATURE", "d"), ("Authorization", "Bearer e"), ("x", "y")]) == [
        ("Sign", "(a credential, 3 characters)"),
        ("X-SIGNATURE", "(a credential, 1 characters)"),
        ("Authorization", "(a credential, 8 characters)"),
        ("x", "y"),
    ]


# Every kind of record


def test_the_log_shows_a_record_of_every_operation(sandbox: RunningSandbox, reader: Reader) -> None:
    """A bill question is a request with a response, a notification has an answer: each role as the contract names it."""
    examples = json.loads(files("paywright").joinpath("examples.json").read_text(encoding="utf-8"))
    names = CONTRACT.operations()
    for name in names:
        operation = CONTRACT.operation(name)
        asked, answered = (json.dumps(examples[f"{name}.{role}"]).encode() for role in operation.roles)
        sandbox.engine.captures.add(
            Capture.of(
                "notify" if operation.inbound else "call", sandbox.engine.wall.now(),
                f"{sandbox.base_url}{operation.path or '/none'}", [("content-type", "application/json")], asked,
                (200, [("content-type", "application/json")], answered), operation=name, merchant="app_sandbox_1",
                key=f"KEY_{name}",
            ),
        )  # fmt: skip
    page = reader.get(LOG)
    assert page.status == 200
    assert "unreadable" not in page.words
    for number, name in enumerate(names, 1):
        assert name in page.words
        one = reader.get(f"{LOG}/{number}")
        assert (one.status, name in one.words) == (200, True)
    assert "bad answer" not in reader.get(f"{LOG}?show=notifications").words


@pytest.mark.parametrize(
    ("answered", "where"),
    [
        (b'{"code": 5, "msg": "Success"}', "/code: type"),
        (b'{"code": "SUCCESS"}', "/msg: required"),
        (b"[]", "its root: type"),
        (b"no JSON", "its root: not strict JSON: the text is not well-formed JSON"),
    ],
)
def test_a_wrong_decision_says_where(sandbox: RunningSandbox, reader: Reader, answered: bytes, where: str) -> None:
    name = "merchant.validate_bill_payment"
    sandbox.engine.captures.add(
        Capture.of(
            "notify", sandbox.engine.wall.now(), "http://127.0.0.1:1/bill", [("content-type", "application/json")],
            json.dumps(CONTRACT.example(f"{name}.request")).encode(),
            (200, [("content-type", "application/json")], answered), operation=name, merchant="app_sandbox_1",
        ),
    )  # fmt: skip
    assert f"the answer breaks the contract at {where}" in reader.get(LOG).words


def test_an_unreadable_record_takes_no_other(sandbox: RunningSandbox, reader: Reader, client: Client) -> None:
    for key in ("ORD_1", "ORD_2"):
        place(client, key)
    sandbox.engine.captures.write()
    with sandbox.engine.store.transaction() as state:
        state.update("captures", 1, {"operation": "", "url": "http://[no address"})
    page = reader.get(LOG)
    assert page.status == 200
    assert "unreadable" in page.words
    assert "accepted" in page.words


def test_a_refused_call_is_found_by_the_number_it_named(sandbox: RunningSandbox, reader: Reader) -> None:
    send(
        sandbox,
        json.dumps(
            {"appId": "app_sandbox_1", "data": {"outTradeNo": "REFUSED_7", "integrate": "Hosted_Checkout"}}
        ).encode(),
        b"x",
    )
    page = reader.get(f"{LOG}?show=refused&key=refused_7")
    assert "REFUSED_7" in page.words
    assert "bad signature" in page.words
    long = "L" * 65  # no number of anybody's
    send(
        sandbox,
        json.dumps({"appId": "app_sandbox_1", "data": {"outTradeNo": long, "integrate": "Hosted_Checkout"}}).encode(),
    )
    assert long not in reader.get(LOG).words
