"""The outbox: what is sent, when, how often, what counts as acknowledged, and what is told of failures."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import validate
from paywright_runtime.clock import FixedClock
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.delivery.outbox import first_due
from paywright_sandbox.delivery.worker import worker_of
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.gateway import open_store, read_settings
from tests.sandbox.engine.test_clock import desk_of
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.merchant_server import ACKNOWLEDGED, MerchantServer, merchant_server


def advance(desk: Desk, seconds: int) -> dict[str, Any]:
    answer = desk.control("POST", "clock/advance", {"seconds": seconds})
    assert answer["httpStatus"] == 200, answer
    return answer


def outbox(desk: Desk) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.control("GET", "notifications")["notifications"]
    return found


def paid(desk: Desk, url: str, key: str = "ORD_1") -> None:
    desk.checkout(key, Decimal("10.50"), notifyUrl=url, reference="ref")
    assert desk.control("POST", f"orders/{key}/pay")["httpStatus"] == 200


def test_a_paid_order_is_told_at_the_address_of_its_request(desk: Desk, merchant: MerchantServer) -> None:
    paid(desk, f"{merchant.url}/hook?shop=1")
    advance(desk, 0)
    (got,) = merchant.got
    assert got.path == "/hook?shop=1"
    assert got.headers["x-sandbox-policy"] == "unshown-notifications"
    body = got.body
    assert (body["notifyType"], body["appId"], body["merchantNo"]) == ("PAYMENT", "app_sandbox_1", "MN0000000000001")
    assert body["notifyTime"] == "2025-06-01T12:00:00.000+00:00"
    assert body["data"]["outTradeNo"] == "ORD_1"
    assert (body["data"]["status"], body["data"]["totalAmount"]) == ("SUCCESS", 10.5)
    assert b'"totalAmount":10.50' in got.raw
    (item,) = outbox(desk)
    assert (item["status"], item["attempts"], item["nextAt"]) == ("ACKNOWLEDGED", 1, None)


def test_failed_expired_and_refunded_are_told_too(desk: Desk, merchant: MerchantServer) -> None:
    desk.checkout("ORD_F", notifyUrl=merchant.url)
    desk.control("POST", "orders/ORD_F/fail")
    desk.checkout("ORD_X", notifyUrl=merchant.url, expireTime="1800")
    paid(desk, merchant.url, "ORD_P")
    desk.refund("REF_1", Decimal("4"), outTradeNo="ORD_P", refundNotifyUrl=f"{merchant.url}/refunds")
    advance(desk, 3600)
    told = [(got.body["notifyType"], got.body["data"]["status"]) for got in merchant.got]
    assert told == [("PAYMENT", "FAILED"), ("PAYMENT", "SUCCESS"), ("REFUND", "REFUND_SUCCESS"), ("PAYMENT", "FAILED")]
    assert merchant.got[2].path == "/refunds"
    assert merchant.got[2].body["data"]["refundAmount"] == 4


def test_with_the_policy_off_nothing_unshown_is_sent(open_desk: Any, merchant: MerchantServer) -> None:
    desk = open_desk(unshown_notifications="off")
    paid(desk, merchant.url)
    advance(desk, 10)
    assert (merchant.got, outbox(desk)) == ([], [])


def test_the_address_of_the_request_wins_over_the_configured_one(desk: Desk, merchant: MerchantServer) -> None:
    configure(desk, {"notify-url": f"{merchant.url}/configured"})
    paid(desk, f"{merchant.url}/asked", "ORD_1")
    desk.checkout("ORD_2")
    desk.control("POST", "orders/ORD_2/pay")
    advance(desk, 0)
    assert [got.path for got in merchant.got] == ["/asked", "/configured"]


def configure(desk: Desk, addresses: dict[str, str]) -> None:
    (known,) = desk.engine.settings.merchants
    desk.engine.settings.merchants = (RegisteredMerchant(known.numbers, known.public, addresses),)


def test_without_acknowledgement_it_is_sent_six_times(desk: Desk, merchant: MerchantServer) -> None:
    merchant.answers = lambda got: (500, b"no")
    paid(desk, merchant.url)
    answer = advance(desk, 100_000)
    attempts = [event for event in answer["happened"] if event["kind"] == "notification.attempted"]
    assert [event["at"][11:19] for event in attempts] == [
        "12:00:00", "12:00:30", "12:05:00", "12:10:00", "13:00:00", "00:00:00",
    ]  # fmt: skip
    assert len(merchant.got) == 6
    assert len({(got.raw, got.headers["sign"]) for got in merchant.got}) == 1
    (item,) = outbox(desk)
    assert (item["status"], item["attempts"], item["nextAt"]) == ("USED_UP", 6, None)
    advance(desk, 10**6)
    assert len(merchant.got) == 6


def test_an_acknowledgement_ends_the_schedule(desk: Desk, merchant: MerchantServer) -> None:
    merchant.answers = lambda got: ACKNOWLEDGED if len(merchant.got) >= 3 else (503, b"")
    paid(desk, merchant.url)
    advance(desk, 10**6)
    assert len(merchant.got) == 3
    assert outbox(desk)[0]["finishedAt"] == "2025-06-01T12:05:00.000+00:00"


@pytest.mark.parametrize(
    ("answer", "outcome", "why"),
    [
        ((200, b'{"msg":"Success","code":"SUCCESS"}'), "ACKNOWLEDGED", "acknowledged"),
        ((200, b'{"msg":"no","code":"FAIL"}'), "NOT_SUCCESS", "not SUCCESS"),
        ((200, b'{"code":"SUCCESS"}'), "BAD_ANSWER", "/msg"),
        ((200, b"ok"), "BAD_ANSWER", "not strict JSON: the text is"),
        ((200, b'{"msg":"a","msg":"b","code":"SUCCESS"}'), "BAD_ANSWER", "contract"),
        ((200, b" " * 70_000), "BAD_ANSWER", "too large"),
        ((204, b""), "HTTP_STATUS", "HTTP status 204"),
        ((302, b""), "HTTP_STATUS", "redirect"),
        ((500, b'{"msg":"Success","code":"SUCCESS"}'), "HTTP_STATUS", "HTTP status 500, code SUCCESS"),
        ((400, b'{"msg":"Not taken: ...","code":"TOO_NEW"}'), "HTTP_STATUS", "HTTP status 400, code TOO_NEW"),
        ((400, b'{"code":"4444 3333 2222 1111"}'), "HTTP_STATUS", "HTTP status 400"),
        ((400, b'["TOO_NEW"]'), "HTTP_STATUS", "HTTP status 400"),
    ],
)
def test_an_answer_is_judged_by_the_contract(
    desk: Desk, merchant: MerchantServer, answer: tuple[int, bytes], outcome: str, why: str
) -> None:
    merchant.answers = lambda got: answer
    if answer[0] == 302:
        merchant.headers = [("Location", f"{merchant.url}/elsewhere")]
    paid(desk, merchant.url)
    advance(desk, 1)
    shown = desk.control("GET", f"notifications/{outbox(desk)[0]['id']}")
    (delivery,) = shown["deliveries"]
    assert delivery["outcome"] == outcome
    assert delivery["why"] == why if why.startswith("HTTP") else why in delivery["why"]
    assert len(merchant.got) == 1  # a redirect is not followed


def test_a_policy_lets_http_200_alone_acknowledge(open_desk: Any, merchant: MerchantServer) -> None:
    desk = open_desk(notification_acknowledged_by="http-200")
    merchant.answers = lambda got: (200, b"ok")
    paid(desk, merchant.url)
    advance(desk, 1)
    assert outbox(desk)[0]["status"] == "ACKNOWLEDGED"


def test_another_schedule_is_followed(open_desk: Any, merchant: MerchantServer) -> None:
    desk = open_desk(notification_schedule=["5", "7"])
    merchant.answers = lambda got: (500, b"")
    paid(desk, merchant.url)
    advance(desk, 4)
    assert merchant.got == []
    advance(desk, 1)
    assert len(merchant.got) == 1
    advance(desk, 1000)
    assert len(merchant.got) == 2


def test_redelivery_sends_the_same_and_keeps_the_schedule(desk: Desk, merchant: MerchantServer) -> None:
    merchant.answers = lambda got: (500, b"")
    paid(desk, merchant.url)
    advance(desk, 1)
    before = outbox(desk)[0]
    answer = desk.control("POST", f"notifications/{before['id']}/redeliver")
    assert answer["attempt"]["outcome"] == "HTTP_STATUS"
    first, second = merchant.got
    assert (first.raw, first.headers["sign"]) == (second.raw, second.headers["sign"])
    assert (answer["attempts"], answer["nextAt"]) == (before["attempts"], before["nextAt"])
    merchant.answers = lambda got: ACKNOWLEDGED
    assert desk.control("POST", f"notifications/{before['id']}/redeliver")["status"] == "ACKNOWLEDGED"
    assert desk.control("POST", f"notifications/{before['id']}/redeliver")["attempt"]["outcome"] == "ACKNOWLEDGED"
    assert desk.control("POST", "notifications/99/redeliver")["httpStatus"] == 404
    assert desk.control("POST", "notifications/x/redeliver")["httpStatus"] == 404


def test_nobody_listening_is_told_and_tried_again(desk: Desk, folder: Path) -> None:
    with merchant_server(folder / "keys" / "gateway.pub") as gone:
        pass
    paid(desk, gone.url)
    advance(desk, 100)
    shown = desk.control("GET", "notifications/1")
    assert [delivery["outcome"] for delivery in shown["deliveries"]] == ["UNREACHABLE", "UNREACHABLE"]
    assert shown["nextAt"] == "2025-06-01T12:05:00.000+00:00"


def test_an_address_elsewhere_is_refused_without_a_connection(desk: Desk) -> None:
    paid(desk, "http://2130706433:9/")
    advance(desk, 0)
    (delivery,) = desk.control("GET", "notifications/1")["deliveries"]
    assert delivery["outcome"] == "NOT_ALLOWED"


def test_the_outbox_is_sent_after_a_restart(on_disk: Callable[..., Desk], merchant: MerchantServer) -> None:
    desk = on_disk()
    paid(desk, merchant.url)
    desk.engine.store.close()  # nothing was delivered
    engine = on_disk().engine
    assert worker_of(engine).deliver_due() == 1
    assert worker_of(engine).deliver_due() == 0
    assert len(merchant.got) == 1
    engine.store.close()


def test_after_a_long_sleep_the_distances_of_the_schedule_hold(desk: Desk, merchant: MerchantServer) -> None:
    merchant.answers = lambda got: (500, b"")
    paid(desk, merchant.url)
    desk.clock.advance(86_400)  # as if nobody had served
    assert worker_of(desk.engine).deliver_due() == 1
    with desk.engine.transaction() as context:
        due = first_due(context.state)
    assert due is not None
    assert (due - desk.clock.now()).total_seconds() == 30


def test_the_next_attempt_is_the_first_one_that_is_later(desk: Desk, merchant: MerchantServer) -> None:
    merchant.answers = lambda got: (500, b"")
    began = desk.clock.now()
    for number in range(3):
        paid(desk, merchant.url, f"ORD_{number}")
        assert worker_of(desk.engine).deliver_due() == 1
        desk.clock.advance(1)
    due: datetime | None = None
    with desk.engine.transaction() as context:
        for seconds in (30, 31, 32):
            due = first_due(context.state, due)
            assert due == began + timedelta(seconds=seconds)
        assert first_due(context.state, due) is None


def test_transfers_are_told_in_every_state_as_the_contract_shows_them(desk: Desk, merchant: MerchantServer) -> None:
    configure(desk, {"va-result-notify-url": f"{merchant.url}/va"})
    made = desk.control("POST", "transfers", {"amount": "100.00", "currency": "USD", "fee": "1.50", "tax": "0.25"})
    number = made["requestNo"]
    assert made["status"] == "TO_BE_PROVED"
    assert desk.control("POST", f"transfers/{number}/settle")["status"] == "SETTLED"
    assert desk.control("POST", f"transfers/{number}/reject")["httpStatus"] == 409
    other = desk.control("POST", "transfers", {"amount": 5, "currency": "JPY", "status": "REJECTED", "remark": "x"})
    assert other["errorCode"] == "TRANSFER_REJECTED"
    advance(desk, 0)
    states = [got.body["data"]["status"] for got in merchant.got]
    assert states == ["TO_BE_PROVED", "SETTLED", "REJECTED"]
    for got in merchant.got:
        assert validate("notifications.receive", "notification", got.raw, headers=got.headers) == []
        assert "x-sandbox-policy" not in got.headers
    settle = merchant.got[1].body["data"]["paymentDetail"]["settle"]
    assert (settle["amount"], settle["fee"], settle["taxCurrency"]) == ("98.25", "1.50", "USD")
    assert merchant.got[0].body["data"]["completeTime"] == ""


def test_a_transfer_of_which_nobody_can_be_told_says_so(desk: Desk, merchant: MerchantServer) -> None:
    asked = {"amount": "1.00", "currency": "USD"}
    number = desk.control("POST", "transfers", asked)["requestNo"]
    for made in (
        desk.control("POST", f"transfers/{number}/settle"),
        desk.control("POST", "transfers", {**asked, "status": "REJECTED"}),
    ):
        assert made["notified"] == "nobody: the merchant has no va-result-notify-url in sandbox.toml"
    events = [event["kind"] for event in desk.control("GET", "events")["events"]]
    assert events.count("notification.unaddressed") == 3
    configure(desk, {"va-result-notify-url": f"{merchant.url}/va"})
    assert "notified" not in desk.control("POST", "transfers", asked)


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": "0", "currency": "USD"}, {"amount": "1.001", "currency": "USD"}, {"amount": "-1", "currency": "USD"},
        {"amount": "-1", "fee": "-2", "currency": "USD"},
        {"amount": "1", "currency": "usd"}, {"amount": "1", "currency": "USDX"},
        {"amount": "1", "currency": "USD", "country": "sg"},
        {"amount": "1", "currency": "USD", "country": "S"},
        {"amount": "1", "fee": "0.60", "tax": "0.41", "currency": "USD"},
        {"amount": "1", "fee": "2", "currency": "USD"},
        {"amount": "1", "currency": "USD", "status": "DONE"},
        {"amount": "1", "currency": "USD", "remark": "x" * 257},
        {"amount": "1", "currency": "USD", "colour": "red"},
        {"currency": "USD"},
    ],
)  # fmt: skip
def test_a_transfer_that_cannot_be_is_refused_and_told_to_nobody(desk: Desk, wrong: dict[str, Any]) -> None:
    configure(desk, {"va-result-notify-url": "http://127.0.0.1:9/"})
    assert desk.control("POST", "transfers", wrong)["httpStatus"] == 400
    assert outbox(desk) == []


def test_a_transfer_may_be_taken_up_by_its_fee_and_tax(desk: Desk) -> None:
    configure(desk, {"va-result-notify-url": "http://127.0.0.1:9/"})
    whole = {"amount": "1", "fee": "0.60", "tax": "0.40", "currency": "USD", "status": "SETTLED"}
    made = desk.control("POST", "transfers", whole)
    assert (made["httpStatus"], made["status"]) == (200, "SETTLED")
    (told,) = outbox(desk)
    assert told["about"] == made["requestNo"]


def test_what_is_said_of_a_transfer_is_told_and_the_rest_made_up(desk: Desk, merchant: MerchantServer) -> None:
    configure(desk, {"va-result-notify-url": f"{merchant.url}/va"})
    said = {"payerName": "Bo", "payerAccount": "77-1", "remark": "Rent", "country": "HK"}
    for more in ({}, said):
        assert desk.control("POST", "transfers", {"amount": "1", "currency": "USD", **more})["httpStatus"] == 200
    advance(desk, 0)
    made_up, told = (json.dumps(got.body) for got in merchant.got)
    for value in said.values():
        assert f'"{value}"' in told
        assert f'"{value}"' not in made_up
    for value in ("Ana Payer", "001-234567-8", "Invoice", "SG"):
        assert f'"{value}"' in made_up
        assert f'"{value}"' not in told


@pytest.mark.parametrize(("name", "most"), [("payerName", 256), ("payerAccount", 128), ("remark", 256)])
def test_what_is_said_of_a_transfer_has_the_contracts_limits(desk: Desk, name: str, most: int) -> None:
    configure(desk, {"va-result-notify-url": "http://127.0.0.1:9/"})
    for length, status in ((most, 200), (most + 1, 400)):
        asked = {"amount": "1", "currency": "USD", name: "x" * length}
        assert desk.control("POST", "transfers", asked)["httpStatus"] == status


@pytest.mark.parametrize(("length", "status"), [(256, 200), (257, 400)])
def test_why_a_transfer_is_rejected_has_at_most_256_characters(desk: Desk, length: int, status: int) -> None:
    configure(desk, {"va-result-notify-url": "http://127.0.0.1:9/"})
    number = desk.control("POST", "transfers", {"amount": "1", "currency": "USD"})["requestNo"]
    answer = desk.control("POST", f"transfers/{number}/reject", {"why": "x" * length})
    assert answer["httpStatus"] == status
    (shown,) = desk.control("GET", "transfers")["transfers"]
    assert shown["status"] == ("REJECTED" if status == 200 else "TO_BE_PROVED")


def test_an_address_in_sandbox_toml_that_nothing_is_sent_to_is_refused_at_the_start(folder: Path) -> None:
    file = folder / "sandbox.toml"
    text = file.read_text()
    key = 'public-key-file = "keys/merchant.pub"\n'
    file.write_text(text.replace(key, f'{key}notify-url = "https://hooks.example/a"\n'))
    with pytest.raises(ConfigurationError, match=r"notify-url: hooks\.example is neither this machine"):
        read_settings(folder)
    file.write_text(file.read_text().replace("deliver-to = []", 'deliver-to = ["hooks.example"]'))
    (known,) = read_settings(folder).merchants
    assert known.addresses == {"notify-url": "https://hooks.example/a"}


@pytest.mark.parametrize(
    "schedule", [[], ["1", "1"], ["2", "1"], ["-1"], ["1.5"], ["٣"], ["0", 1], "0", list(map(str, range(51)))]
)
def test_a_schedule_that_does_not_rise_is_refused(schedule: object, open_desk: Callable[..., Desk]) -> None:
    with pytest.raises(ConfigurationError, match="notification-schedule must be a list of rising seconds"):
        open_desk(notification_schedule=schedule)


def test_a_schedule_has_one_to_fifty_times(open_desk: Callable[..., Desk]) -> None:
    for schedule in (["0"], list(map(str, range(50)))):
        assert open_desk(notification_schedule=schedule).engine.settings.policies.value(
            "notification-schedule"
        ) == tuple(schedule)


@pytest.mark.parametrize(("due", "seconds"), [(30, 30.0), (0, 0.0), (86400, 3600.0)])
def test_the_worker_waits_until_something_is_due_and_an_hour_while_the_clock_stands(
    folder: Path, clock: FixedClock, due: int, seconds: float
) -> None:
    desk = desk_of(folder, clock, open_store())
    at = desk.engine.clock.now() + timedelta(seconds=due)
    assert worker_of(desk.engine)._seconds_to(at) == seconds
    desk.control("POST", "clock/freeze")
    assert worker_of(desk.engine)._seconds_to(at) == 3600.0
