"""What an operation that was added to the contract alone can do: run by `test_contributing.py` in a copy of the checkout.

The copy's contract has `reversals.create`, `reversals.query` and the notification REVERSAL, and no Python of any of them.
"""

from __future__ import annotations

import asyncio
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from urllib.request import urlopen

import pytest

from paywright import GatewayError, aio, validate
from paywright.contract import CONTRACT
from paywright_cli.check_receiver.accepted import CHECKS
from paywright_sandbox.init import make_folder
from paywright_sandbox.testing import RunningSandbox, running_sandbox
from tests.audit.helpers.records import Scribe
from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.deliveries import post
from tests.cli.helpers.listening_process import listening

_validate: Any = validate  # takes only names that the contract has where types are checked
_ASKED = {"out_reversal_no": "REV_1", "reversal_amount": "4.25", "reversal_currency": "USD", "out_trade_no": "ORD_1"}


def example(message: str) -> dict[str, Any]:
    return CONTRACT.example(message)


def page(sandbox: RunningSandbox, path: str) -> str:
    """The words of a page of the console."""
    with urlopen(sandbox.base_url + path, timeout=60) as answer:
        return " ".join(re.sub(r"<[^>]+>", " ", answer.read().decode()).split())


def test_client_sandbox_and_console_know_it() -> None:
    asked = {**_ASKED, "reversal_amount": Decimal(_ASKED["reversal_amount"])}
    with running_sandbox() as sandbox:
        with sandbox.client() as client, pytest.raises(GatewayError) as refused:
            cast(Any, client).reversals.create(**asked)
        assert "reversals.create is in the contract, but the sandbox does not implement it yet" in str(refused.value)

        async def awaited() -> str:
            async with aio.Client.from_env(sandbox.env) as waiting:
                with pytest.raises(GatewayError) as refused:
                    await cast(Any, waiting).reversals.create(**{**asked, "out_reversal_no": "REV_2"})
            return str(refused.value)

        assert "does not implement it yet" in asyncio.run(awaited())
        log = page(sandbox, "/_sandbox/console/log?show=refused")
        for number in ("REV_1", "REV_2"):
            assert f"reversals.create {number} 4.25 USD not valid" in log
        assert "Amount 4.25 USD" in page(sandbox, "/_sandbox/console/log/1")


def test_validators_and_schemas_judge_it() -> None:
    body = example("reversals.create.request")
    assert _validate("reversals.create", "request", body) == []
    del body["data"]["outReversalNo"]
    assert [one.pointer for one in _validate("reversals.create", "request", body)] == ["/data/outReversalNo"]
    assert "outReversalNo" in json.dumps(CONTRACT.schema("reversals.create.request"))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    make_folder(folder)
    return folder


def notification(number: str, status: str, amount: str = "4.25", app: str = "app_1") -> dict[str, Any]:
    body = example("notifications.reversal.notification")
    body["data"] |= {"outReversalNo": number, "status": status, "reversalAmount": amount}
    return body | {"appId": app, "merchantNo": None} if app == "app_1" else body | {"appId": app}


def codes(lines: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(line["operation"], line["pointer"], line["code"]) for line in lines if line["type"] == "finding"]


def test_the_audit_adds_its_money_up(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 10.50 paid, a refund gives back 4.25 and a reversal 4.25; another reversal is more than is left."""
    scribe = Scribe(shop)
    order = {"outTradeNo": "ORD_1", "totalAmount": 10.5, "currency": "USD"}
    scribe.call("orders.checkout", order, {"outTradeNo": "ORD_1", "tradeToken": "TT1"})
    back = {"outTradeNo": "ORD_1", "tradeToken": None}
    scribe.call(
        "refunds.create", {**back, "outRefundNo": "REF_1", "refundAmount": 4.25}, {"outRefundNo": "REF_1"}, at=60
    )
    for at, number in ((120, "REV_1"), (180, "REV_2")):
        one = {"outReversalNo": number, "reversalAmount": "4.25", "reversalCurrency": "USD"}
        scribe.call("reversals.create", {**back, **one}, {**one, "status": "PENDING"}, at=at)
    assert codes(scribe.audit(tmp_path, capsys)) == [
        ("reversals.create", "/data/reversalAmount", "refund-exceeds-paid")
    ]
    scribe.call(
        "reversals.create",
        {**back, "outReversalNo": "REV_3", "reversalAmount": "0.01", "reversalCurrency": "EUR"},
        {"outReversalNo": "REV_3", "reversalAmount": "0.01", "reversalCurrency": "EUR", "status": "PENDING"},
        at=240,
    )
    assert ("reversals.create", "/data/reversalCurrency", "refund-currency") in codes(scribe.audit(tmp_path, capsys))


def test_the_audit_compares_both_its_sources(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scribe = Scribe(shop)
    shown = {"outReversalNo": "REV_1", "reversalAmount": "4.25", "reversalCurrency": "USD", "status": "SUCCESS"}
    scribe.call("reversals.query", {"outReversalNo": "REV_1"}, shown)
    scribe.notify({**notification("REV_1", "SUCCESS"), "notifyTime": "2025-06-01T12:01:00.000+00:00"}, at=60)
    assert [code for _, _, code in codes(scribe.audit(tmp_path, capsys)) if code == "notification-disagrees"] == []
    scribe.notify({**notification("REV_1", "SUCCESS", "5.00"), "notifyTime": "2025-06-01T12:02:00.000+00:00"}, at=120)
    assert ("notifications.reversal", "/data", "notification-disagrees") in codes(scribe.audit(tmp_path, capsys))


def test_listen_says_what_it_is_and_what_it_is_worth(shop: Path) -> None:
    scribe = Scribe(shop)
    with listening("--env", shop / ".env", "--any-time") as served:
        body = notification("REV_1", "SUCCESS", app="app_sandbox_1") | {"merchantNo": "MN0000000000001"}
        raw = json.dumps(body).encode()
        assert post(served.url, raw, scribe.gateway.sign(raw))[0] == 200
        assert served.wait_for(r"REVERSAL REV_1 SUCCESS 4\.25 USD -> handled \(200\)$")


def test_check_receiver_sends_its_notification(shop: Path) -> None:
    assert "other-kinds" in {check.name for check in CHECKS}
    with listening("--env", shop / ".env") as served:
        done = paywright("sandbox", "check-receiver", served.url, "--dir", shop, "--only", "other-kinds", "--json")
        found = [json.loads(line) for line in done.out.splitlines()]
        assert [one["verdict"] for one in found if one.get("check") == "other-kinds"] == ["ok"], done.out
        assert served.wait_for(r"REVERSAL CHECK\w+ \w+ [0-9.]+ USD -> handled")


def test_the_sandbox_takes_an_address_for_it(shop: Path) -> None:
    from paywright_sandbox.engine.merchant import ADDRESSES

    assert "reversal-result-notify-url" in ADDRESSES
