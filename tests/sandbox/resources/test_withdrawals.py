"""Withdraw orders and funds accounts in the sandbox [4.15, 2.10, 4.16, 2.11]."""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.gateway import read_settings
from tests.sandbox.helpers.desk import Desk, shown_rate

ASKED = {"outTradeNo": "WD_1", "transactionCurrency": "EUR", "transactionAmount": "100.00"}


def query(desk: Desk, key: str) -> dict[str, Any]:
    message = desk.envelope("withdrawals.query", {"outTradeNo": key}, memberId="MB0000000000001")
    del message["merchantNo"]
    return desk.send("withdrawals.query", message)


def euros(desk: Desk) -> Decimal:
    return Decimal(desk.control("GET", "balances")["balances"]["app_sandbox_1"]["EUR"])


def test_a_withdraw_order_is_processing_and_then_final_by_the_clock(desk: Desk) -> None:
    made = desk.control("POST", "withdrawals", {**ASKED, "remark": "June", "payeeBankAccountNo": "DE00"})
    assert (made["httpStatus"], made["status"], made["merchant"]) == (200, "PROCESSING", "app_sandbox_1")
    found = query(desk, "WD_1")["data"]
    assert found == {name: value for name, value in made.items() if name not in ("httpStatus", "merchant")}
    assert (found["targetCurrency"], found["targetAmount"], found["rate"]) == ("EUR", "100.00", "1")
    assert found["fee"] == {"serviceFeeAmount": "1.00", "serviceFeeCurrency": "EUR"}
    assert (found["memberId"], found["remark"]) == ("MB0000000000001", "June")
    desk.clock.advance(2)
    assert query(desk, "WD_1")["data"] == {**found, "status": "SUCCESS"}


def test_amount_and_fee_leave_the_balance_and_come_back_when_it_fails(desk: Desk) -> None:
    before = euros(desk)
    desk.control("POST", "withdrawals", ASKED)
    assert euros(desk) == before - 101
    assert desk.control("POST", "withdrawals/WD_1/fail")["status"] == "FAILED"
    assert euros(desk) == before
    assert desk.control("POST", "withdrawals/WD_1/settle")["httpStatus"] == 409
    desk.clock.advance(5)
    assert query(desk, "WD_1")["data"]["status"] == "FAILED"


def test_another_currency_is_paid_out_at_the_rate_of_payouts(desk: Desk) -> None:
    made = desk.control("POST", "withdrawals", {**ASKED, "targetCurrency": "JPY"})
    assert Decimal(made["rate"]) == shown_rate(desk, "PAY_OUT", "SELL", "EURJPY")["rate"]
    assert Decimal(made["targetAmount"]) == int(Decimal(made["rate"]) * 100)
    assert desk.control("POST", "withdrawals/WD_1/settle")["status"] == "SUCCESS"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"transactionAmount": "100000"}, 409), ({"transactionAmount": "0"}, 400), ({"transactionAmount": "0.001"}, 400),
        ({"transactionCurrency": "XXX"}, 409), ({"targetCurrency": "XXX"}, 400), ({"outTradeNo": ""}, 400),
        ({"outTradeNo": "W" * 65}, 400),
        ({"callBackUrl": "javascript:alert(1)"}, 400),
        ({"merchant": "app_9"}, 404),
    ],
)  # fmt: skip
def test_what_cannot_be_withdrawn_is_refused_and_moves_nothing(desk: Desk, change: dict[str, str], status: int) -> None:
    before = euros(desk)
    answer = desk.control("POST", "withdrawals", {**ASKED, **change})
    assert (answer["httpStatus"], "error" in answer) == (status, True)
    assert euros(desk) == before
    assert desk.control("GET", "withdrawals")["withdrawals"] == []


def test_a_number_is_used_once_and_an_unknown_one_is_not_there(desk: Desk) -> None:
    desk.control("POST", "withdrawals", ASKED)
    assert desk.control("POST", "withdrawals", ASKED)["httpStatus"] == 409
    assert query(desk, "WD_9")["code"] == "ORDER_NOT_EXIST"
    assert desk.policy == "absent"


@pytest.mark.parametrize(("action", "status"), [("settle", "SUCCESS"), ("fail", "FAILED"), ("", "SUCCESS")])
def test_its_end_is_notified_to_its_call_back_url(desk: Desk, action: str, status: str) -> None:
    desk.control("POST", "withdrawals", {**ASKED, "callBackUrl": "http://127.0.0.1:9/wd"})
    if action:
        desk.control("POST", f"withdrawals/WD_1/{action}")
    desk.clock.advance(2)
    shown = query(desk, "WD_1")["data"]
    with desk.engine.store.transaction() as state:
        (sent,) = state.all("SELECT * FROM notifications")
        kinds = [row["kind"] for row in state.all("SELECT kind FROM events WHERE subject = 'WD_1'")]
    assert (sent["kind"], sent["url"], sent["about"]) == ("WITHDRAW", "http://127.0.0.1:9/wd", "WD_1")
    assert isinstance(sent["body"], bytes)
    body = json.loads(sent["body"])
    assert (body["notifyType"], body["data"]) == ("WITHDRAW", shown)
    assert shown["status"] == status
    assert "withdraw.finished" in kinds


# Accounts


def accounts(desk: Desk, *kinds: str) -> list[dict[str, str]]:
    answer = desk.call("accounts.list_authorized", {"productTypeList": list(kinds)})
    return list(answer["data"]["merchantAuthorizedAccountInfoList"])


def test_there_is_an_account_of_each_product_type(desk: Desk) -> None:
    found = accounts(desk, "payout", "payin", "payout")
    assert [account["productType"] for account in found] == ["payout", "payin"]
    assert len({account["authorizedFundsAccountNo"] for account in found}) == 2
    assert {(account["merchantNo"], account["memberId"]) for account in found} == {
        ("MN0000000000001", "MB0000000000001")
    }
    assert accounts(desk) == []
    assert found == accounts(desk, "payout", "payin")


def test_the_secrets_of_bank_style_calls_come_in_pairs_and_are_not_shown(folder: Path) -> None:
    file = folder / "sandbox.toml"
    whole = file.read_text()
    assert "sandbox-client-secret" not in repr(read_settings(folder).merchants[0])
    file.write_text(whole.replace('snap-access-token = "sandbox-access-token"', ""))
    with pytest.raises(ConfigurationError, match="both snap-client-secret and snap-access-token") as caught:
        read_settings(folder)
    assert "sandbox-client-secret" not in str(caught.value)


@pytest.mark.parametrize("value", ['"two words"', '"caf\\u00e9"', '"a\\u0007"', "5"])
@pytest.mark.parametrize("name", ["snap-client-secret", "snap-access-token"])
def test_a_secret_that_no_header_can_carry_is_refused_and_not_shown(folder: Path, name: str, value: str) -> None:
    file = folder / "sandbox.toml"
    file.write_text(re.sub(f"(?m)^{name} = .*$", lambda _: f"{name} = {value}", file.read_text()))
    with pytest.raises(ConfigurationError, match=f"{name} must be text without spaces, in ASCII") as caught:
        read_settings(folder)
    assert "two words" not in str(caught.value)
