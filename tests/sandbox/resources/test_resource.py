"""A resource is one value: a sandbox with another one needs no change anywhere else."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from paywright_runtime.clock import FixedClock
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.fields import text
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource, Resources
from paywright_sandbox.engine.routes import Call, Route, RouteField, amount_field, in_context, merchant_field
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import UNIQUE, TableRow
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from paywright_sandbox.resources import RESOURCES
from paywright_sandbox.resources.withdrawals import RESOURCE as WITHDRAWALS
from tests.sandbox.helpers.desk import Desk

KEY = "outTradeNo"


@dataclass(frozen=True, kw_only=True)
class Payout(TableRow, table="payouts"):
    merchant: str
    out_trade_no: str = field(metadata=UNIQUE)
    trade_no: str
    status: str
    currency: str
    amount: str
    created_at: datetime


def _shown(payout: Payout) -> dict[str, object]:
    currency, amount = payout.currency, payout.amount
    return {
        KEY: payout.out_trade_no, "tradeNo": payout.trade_no, "status": payout.status, "transactionCurrency": currency,
        "transactionAmount": amount, "targetCurrency": currency, "targetAmount": amount, "rate": "1",
        "rateTime": "2025-06-01T12:00:00.000+00:00", "remark": "", "callBackUrl": "", "payerFundsAccountNo": "1",
        "payeeBankAccountNo": "2", "fee": {"serviceFeeAmount": "0", "serviceFeeCurrency": currency}, "memberId": "M",
    }  # fmt: skip


def _query(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    payout = context.state.find(Payout, "WHERE out_trade_no = ?", text(data, KEY))
    assert payout is not None
    return _shown(payout)


def _make(context: RequestContext, call: Call) -> Mapping[str, object]:
    payout = context.state.add(
        Payout(
            merchant=merchant_field(context, call).app_id, out_trade_no=text(call.body, KEY),
            trade_no=context.number("PO", "payouts"), status="PROCESSING", currency="EUR",
            amount=str(amount_field(context, call, "EUR")), created_at=context.now,
        ),
    )  # fmt: skip
    settles = context.now + timedelta(seconds=context.policies.seconds("payout-settles-after"))
    context.state.set_timer(Timer(settles, "payout.settles", payout.id))
    return _shown(payout)


def _settle(context: RequestContext, row: int) -> None:
    context.state.change(context.state.get(Payout, row), status="SUCCESS")
    context.state.record(context.now, "payout.settled", str(row), {})


PAYOUTS = Resource(
    name="payouts", handlers={"withdrawals.query": _query}, timers={"payout.settles": _settle}, tables=(Payout,),
    routes=(
        Route(
            "POST", "payouts", "Makes a payout", in_context(_make),
            (RouteField(KEY, "string", "number", required=True), RouteField("amount", "decimal", "amount", required=True)),
        ),
    ),
    policies=(Policy("payout-settles-after", 30, "other-moves", "seconds to SUCCESS"),),
)  # fmt: skip


def _asked(desk: Desk) -> Mapping[str, object]:
    message = desk.envelope("withdrawals.query", {KEY: "P1"}, memberId="MB0000000000001")
    del message["merchantNo"]
    found = desk.send("withdrawals.query", message)["data"]
    assert isinstance(found, dict)
    return found


RESOURCES_WITH_PAYOUTS = (*(resource for resource in RESOURCES if resource is not WITHDRAWALS), PAYOUTS)


@pytest.fixture
def payouts_desk(folder: Path, clock: FixedClock) -> Iterator[Desk]:
    """A sandbox that serves payouts in place of withdrawals, and keeps to a policy of theirs."""
    with (folder / "sandbox.toml").open("a", encoding="utf-8") as settings:
        settings.write("payout-settles-after = 60\n")  # in [policies], the last table of the file
    store = open_store(resources=RESOURCES_WITH_PAYOUTS)
    try:
        engine = make_engine(
            read_settings(folder, resources=RESOURCES_WITH_PAYOUTS),
            store,
            address="http://127.0.0.1:8787",
            clock=clock,
            wall=clock,
            resources=RESOURCES_WITH_PAYOUTS,
        )
        yield Desk(engine, folder, clock)
    finally:
        store.close()


def test_a_resource_brings_its_handlers_timers_tables_routes_and_policies(payouts_desk: Desk) -> None:
    made = payouts_desk.control("POST", "payouts", {KEY: "P1", "amount": "12.50"})
    assert (made["httpStatus"], made["status"]) == (200, "PROCESSING")
    assert _asked(payouts_desk)["transactionAmount"] == "12.50"
    payouts_desk.clock.advance(timedelta(seconds=59))
    assert _asked(payouts_desk)["status"] == "PROCESSING"
    payouts_desk.clock.advance(timedelta(seconds=1))
    assert _asked(payouts_desk)["status"] == "SUCCESS"
    assert payouts_desk.control("POST", "reset")["httpStatus"] == 200
    with payouts_desk.engine.store.transaction() as state:
        assert state.select(Payout) == []


def test_the_control_api_has_the_routes_of_the_resources_that_are_served(payouts_desk: Desk) -> None:
    paths = payouts_desk.control("GET", "openapi.json")["paths"]
    assert "/_sandbox/payouts" in paths
    assert "/_sandbox/withdrawals" not in paths
    assert payouts_desk.control("GET", "withdrawals")["httpStatus"] == 404


def test_two_resources_share_no_operation_timer_or_policy() -> None:
    with pytest.raises(ValueError, match=r"operation withdrawals\.query"):
        _ = Resources((WITHDRAWALS, PAYOUTS)).handlers
    with pytest.raises(ValueError, match=r"timer payout\.settles"):
        _ = Resources((PAYOUTS, PAYOUTS)).timers
    with pytest.raises(ValueError, match="policy payout-settles-after"):
        _ = Resources((PAYOUTS, PAYOUTS)).policies


def test_no_two_resources_have_a_policy_or_a_route_of_the_same_name() -> None:
    policies = [policy.name for resource in RESOURCES for policy in resource.policies]
    routes = [(route.method, route.path) for resource in RESOURCES for route in resource.routes]
    for names in (policies, routes):
        assert len(names) == len(set(names))
