"""Rates in the sandbox [4.8, 2.9]."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.gateway import make_policies
from paywright_sandbox.resources.rates import CURRENCIES
from tests.sandbox.helpers.desk import Desk
from tests.support.examples import examples


def rates(desk: Desk, *pairs: tuple[str, str, str], product: str = "PAY_IN", **more: Any) -> dict[str, Any]:
    asked = [{"side": side, "transactionCurrency": one, "targetCurrency": other} for one, other, side in pairs]
    return desk.call("rates.query", {"ccyPairList": asked, "product": product, **more})


def rate(desk: Desk, *pair: str, **more: Any) -> dict[str, Any]:
    one, other, side = pair
    (found,) = rates(desk, (one, other, side), **more)["data"]["currencyList"]
    return dict(found)


def test_a_rate_says_all_that_the_specification_shows(desk: Desk) -> None:
    found = rate(desk, "EUR", "USD", "BUY", product="PAY_OUT")
    assert (found["ccyPair"], found["side"], found["rateType"]) == ("EURUSD", "BUY", "REFERENCE")
    assert (found["effectTime"], found["expiryTime"]) == ("2025-06-01T12:00:00.000+00:00", "2025-06-01T13:00:00.000+00:00")  # fmt: skip
    assert Decimal("1.10") < found["rate"] < Decimal("1.17")
    assert found["rateReferenceId"].startswith("RRO20250601120000")
    assert "validTime" not in found


def test_rates_change_from_period_to_period(desk: Desk) -> None:
    before = rate(desk, "EUR", "USD", "BUY", product="PAY_OUT")
    desk.clock.advance(3599)
    assert rate(desk, "EUR", "USD", "BUY", product="PAY_OUT") == before
    desk.clock.advance(1)
    after = rate(desk, "EUR", "USD", "BUY", product="PAY_OUT")
    assert after["rate"] != before["rate"]
    assert after["effectTime"] == before["expiryTime"]
    assert after["rateReferenceId"] != before["rateReferenceId"]


@examples(20)
@given(st.permutations(CURRENCIES), st.sampled_from(["PAY_IN", "PAY_OUT"]))
def test_buying_never_costs_less_than_selling_brings(desk: Desk, order: list[str], product: str) -> None:
    one, other = order[:2]
    assert (
        rate(desk, one, other, "BUY", product=product)["rate"] > rate(desk, one, other, "SELL", product=product)["rate"]
    )


def test_a_pair_without_usd_has_a_rate_and_cannot_be_traded(desk: Desk) -> None:
    for product in ("PAY_IN", "PAY_OUT"):
        found = rates(desk, ("EUR", "GBP", "BUY"), ("EUR", "USD", "BUY"), product=product)["data"]["currencyList"]
        assert ["rateReferenceId" in entry for entry in found] == [False, True]


def test_a_pair_without_a_rate_is_refused_with_all_others(desk: Desk) -> None:
    for pair in (("EUR", "XXX", "BUY"), ("EUR", "EUR", "BUY")):
        refused = rates(desk, ("EUR", "USD", "BUY"), pair)
        assert (refused["code"], refused["msg"]) == ("CURRENCY_INVALID", f"The sandbox has no rate of EUR in {pair[1]}.")  # fmt: skip
        assert desk.policy == "other-currency"


def test_forty_pairs_are_answered_and_forty_one_are_not(desk: Desk) -> None:
    pairs = [("EUR", "USD", "BUY")] * 40
    assert len(rates(desk, *pairs)["data"]["currencyList"]) == 40
    assert rates(desk, *pairs, ("EUR", "USD", "BUY"))["code"] == "PARAMS_INVALID"
    assert desk.policy == "invalid-request"


def test_without_the_service_valid_time_is_ignored(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(locked_rates="off")
    current = rate(desk, "EUR", "USD", "BUY")
    assert current["rateType"] == "REFERENCE"
    for day in ("20250601", "19990101", "20991231", ""):
        assert rate(desk, "EUR", "USD", "BUY", validTime=day) == current


def test_valid_time_is_ignored_for_payouts(desk: Desk) -> None:
    current = rate(desk, "EUR", "USD", "BUY", product="PAY_OUT")
    assert rate(desk, "EUR", "USD", "BUY", product="PAY_OUT", validTime="19990101") == current


def test_the_locked_rate_of_the_period_holds_all_day(desk: Desk) -> None:
    locked = rate(desk, "EUR", "USD", "BUY")
    assert locked["rateType"] == "LOCKED"
    assert locked["validTime"] == locked["effectTime"] == "2025-06-01T00:00:00.000+00:00"
    assert locked["expiryTime"] == "2025-06-02T00:00:00.000+00:00"
    desk.clock.advance(11 * 3600)
    assert rate(desk, "EUR", "USD", "BUY") == locked == rate(desk, "EUR", "USD", "BUY", validTime="20250601")
    assert rate(desk, "EUR", "USD", "BUY", validTime="") == locked
    desk.clock.advance(3600)
    assert rate(desk, "EUR", "USD", "BUY") != locked


def test_the_next_period_is_there_fifteen_minutes_before_it(desk: Desk) -> None:
    desk.clock.advance(12 * 3600 - 901)
    assert rates(desk, ("EUR", "USD", "BUY"), validTime="20250602")["code"] == "PARAMS_INVALID"
    assert desk.policy == "invalid-request"
    desk.clock.advance(1)
    early = rate(desk, "EUR", "USD", "BUY", validTime="20250602")
    assert early["effectTime"] == "2025-06-02T00:00:00.000+00:00"
    assert rate(desk, "EUR", "USD", "BUY") != early
    desk.clock.advance(900)
    assert rate(desk, "EUR", "USD", "BUY") == early


@pytest.mark.parametrize(
    ("day", "policy"),
    [
        ("20250531", "invalid-request"), ("00010101", "invalid-request"), ("20250603", "invalid-request"),
        ("99991231", "invalid-request"), ("20250231", "invalid-request"), ("2025-06-01", "invalid-request"),
    ],
)  # fmt: skip
def test_days_that_have_no_rate_are_refused(desk: Desk, day: str, policy: str) -> None:
    answer = rates(desk, ("EUR", "USD", "BUY"), validTime=day)
    assert (answer["code"], "data" in answer, desk.policy) == ("PARAMS_INVALID", False, policy)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("initial-balance", "-1", "an amount such as"),
        ("initial-balance", "1.00 USD", "an amount such as"),
        ("largest-amount", "-1", "an amount such as"),
        ("largest-amount", "1 000", "an amount such as"),
        ("qr-methods", ("QRIS", ""), "a list of texts"),
        ("locked-rates", "yes", "one of on, off"),
    ],
)
def test_a_policy_says_what_it_must_look_like(name: str, value: object, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        make_policies({name: value})
