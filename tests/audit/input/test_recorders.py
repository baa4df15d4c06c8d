"""The same traffic as the sandbox logs it, as Chromium exports it, and as a script has mitmproxy write it: the same findings.

Each call passes all recorders at once. They need Chromium and playwright, or mitmproxy, which is installed into an
environment of its own under .cache.
"""

from __future__ import annotations

import json
import re
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from paywright.contract import CONTRACT
from paywright_audit.input.captures.reading import read_input
from paywright_audit.input.records import Exchange
from paywright_audit.judging.matching import Matcher
from paywright_cli.main import main
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.testing.served import running_sandbox
from tests.audit.helpers.tools import chromium, forwarding, mitmdump, recording
from tests.support.contract import TOP

pytestmark = pytest.mark.full

_ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
_POST = """async ([path, headers, body]) => {
    const raw = Uint8Array.from(atob(body), (one) => one.charCodeAt(0));
    const answer = await fetch(path, {method: "POST", headers, body: raw});
    await answer.arrayBuffer();
    return answer.status;
}"""


class Post(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


Send = Callable[[Post], None]


class Script:
    """The calls of a shop, every third or so of which is wrong."""

    def __init__(self, keys: Path) -> None:
        self.signer = RsaSigner(load_private_key(keys / "merchant.key"))

    def post(
        self,
        operation: str,
        data: dict[str, Any],
        *,
        ago: float = 0,
        change: Callable[[bytes], bytes] | None = None,
        sent: Callable[[bytes], bytes] | None = None,
        signs: Callable[[str], str] = str,
        media: str = "application/json",
    ) -> Post:
        asked: Any = CONTRACT.example(f"{operation}.request")
        asked["data"] = {name: value for name, value in {**asked["data"], **data}.items() if value is not None}
        time = datetime.now(UTC) - timedelta(seconds=ago)
        asked |= {"appId": "app_sandbox_1", "requestTime": time.isoformat(timespec="milliseconds")}
        raw = json.dumps(asked, separators=(",", ":"), ensure_ascii=False).encode()
        raw = raw if change is None else change(raw)
        headers = {"Content-Type": media, "sign": signs(self.signer.sign(raw))}
        if not headers["sign"]:
            del headers["sign"]
        return Post(str(CONTRACT.operation(operation).path), headers, raw if sent is None else sent(raw))

    def order(self, key: str, **more: Any) -> Post:
        data = {"outTradeNo": key, "userId": f"user_{key}", "notifyUrl": None, **more.pop("data", {})}
        return self.post("orders.checkout", data, **more)

    def ask(self, key: str, **more: Any) -> Post:
        return self.post("orders.query", {"outTradeNo": key}, **more)

    def refund(self, key: str, amount: float, **more: Any) -> Post:
        data = {"outRefundNo": key, "refundAmount": amount, "refundCurrency": "USD", "outTradeNo": "O1"}
        return self.post("refunds.create", {**data, **more.pop("data", {})}, **more)

    def before(self) -> Iterator[Post]:
        """Until the payer pays O1."""
        yield self.order("O1")
        yield self.ask("O1")
        yield self.ask("NONE")
        yield self.order("O2", data={"subject": None})
        yield self.order("O3", data={"currency": "usd", "colour": "red"})
        yield self.order("O4", data={"subject": "Zwölf Karten ☕ 𝄞"})
        yield self.order("o4")
        yield self.order("O5", ago=600)
        yield self.order("O6", sent=lambda raw: raw.replace(b"Tickets", b"Ticket5"))
        yield self.order("O7", sent=lambda raw: raw + b"\n")
        yield self.order("O8", signs=lambda true: "")
        yield self.order("O9", signs=lambda true: true.rstrip("="))
        yield self.order("O10", media="text/plain")
        yield self.order("O11", change=lambda raw: raw[:-1] + b",}")
        yield self.order(
            "O12", change=lambda raw: raw.replace(b'"totalAmount":10.5', b'"totalAmount":1,"totalAmount":2')
        )
        yield self.order("O13", change=lambda raw: raw.replace(b"10.5", b"NaN"))
        yield self.order("O14", change=lambda raw: b"[]")
        yield self.order("O15", change=lambda raw: b"")
        yield self.order("O16", data={"paymentDetail": {"paymentMethodType": "CARD"}, "country": None})

    def after(self) -> Iterator[Post]:
        yield self.ask("O1")
        yield self.refund("R1", 6)
        yield self.refund("R2", 4.5)
        yield self.refund("R3", 0.01)
        yield self.refund("R4", 0.01, data={"refundCurrency": "EUR"})
        yield self.refund("R5", 1, data={"outTradeNo": None})
        yield self.post("refunds.query", {"outRefundNo": "R1"})
        yield self.post("rates.query", {"product": "PAY_OUT"})
        yield self.post("payment_tokens.list", {"targetOrg": "X"})
        yield self.post("exchanges.create", {"outTradeNo": "E1", "targetCcy": "GBP"})


def found(file: Path, keys: Path, capsys: pytest.CaptureFixture[str]) -> tuple[set[tuple[int, ...]], dict[str, int]]:
    """Of all findings and notes which call they are about, and what; and what is said of the signatures."""
    given = ["--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub")]
    assert main(["audit", str(file), "--format", "json", *given]) == 1
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    matcher, numbers = Matcher(), {}
    for exchange in read_input(str(file)):
        assert isinstance(exchange, Exchange)
        if matcher.match(exchange) is not None:
            numbers[f"{exchange.place} {exchange.number}"] = len(numbers)
    names = ("type", "operation", "part", "pointer", "code")
    return {(numbers[line["place"]], *(line[name] for name in names)) for line in lines}, last["signatures"]


def play(script: Script, send: Send, pay: Callable[[], object]) -> int:
    count = 0
    for post in script.before():
        send(post)
        count += 1
    pay()
    for post in script.after():
        send(post)
        count += 1
    return count


def directly(address: str) -> Send:
    """Sends what is to be sent and nothing else."""

    def send(post: Post) -> None:
        connection = HTTPConnection(address.removeprefix("http://"), timeout=600)
        connection.request("POST", post.path, post.body, post.headers)
        connection.getresponse().read()
        connection.close()

    return send


@pytest.fixture
def place(keys: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(keys, tmp_path / "sandbox"))


def test_mitmproxy_and_the_sandbox_find_the_same(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    program = mitmdump()
    records, log, keys = tmp_path / "records.jsonl", tmp_path / "log.jsonl", place / "keys"
    script = tmp_path / "records.py"
    (code,) = re.findall(r"```py\n(# records\.py\n.*?)```", (TOP / "docs" / "audit.md").read_text(), re.DOTALL)
    script.write_text(code)
    with running_sandbox(place) as sandbox:
        with recording(program, sandbox.base_url, script, records) as address:
            count = play(Script(keys), directly(address), lambda: sandbox.pay("O1"))
        log.write_bytes(sandbox.log())
    theirs, ours = found(records, keys, capsys), found(log, keys, capsys)
    assert theirs == ours
    assert len(ours[0]) >= 20
    record_property("count: calls recorded by mitmproxy and by the sandbox", count)
    record_property("count: findings and notes of the sandbox's log, and of mitmproxy's", len(ours[0]))


def test_chromium_finds_the_same_but_signatures_of_text(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    program = chromium()
    har, log, keys = tmp_path / "page.har", tmp_path / "log.jsonl", place / "keys"
    with running_sandbox(place) as sandbox:
        with forwarding(sandbox.base_url) as address, api.sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
            context = browser.new_context(record_har_path=str(har), record_har_content="embed")
            page = context.new_page()
            page.goto(address + "/")

            def send(post: Post) -> None:
                status = page.evaluate(_POST, [post.path, post.headers, b64encode(post.body).decode()])
                assert status

            count = play(Script(keys), send, lambda: sandbox.pay("O1"))
            context.close()
            browser.close()
        log.write_bytes(sandbox.log())
    (theirs, signatures), (ours, certain) = found(har, keys, capsys), found(log, keys, capsys)
    unproven = {one for one in theirs if one[-1] == "signature-unverifiable"}
    assert theirs - unproven <= ours
    # What does not hold here is unverifiable there, at the same places: nothing that holds here is lost there.
    assert {(number, *place, "signature-invalid") for number, _, *place, _ in unproven} == {
        (number, *place, code) for number, _, *place, code in ours - theirs
    }
    assert {tuple(place[1:]) for _, _, *place, _ in unproven} == {("request", "@header/sign")}
    assert signatures["valid"] == certain["valid"]
    assert signatures["unverifiable"] == len(unproven) == certain["invalid"] - signatures["invalid"]
    record_property("count: calls recorded by Chromium and by the sandbox", count)
    record_property("count: findings and notes of the sandbox's log", len(ours))
    record_property("count: findings and notes of Chromium's HAR", len(theirs))
