"""docs/watching.md: its programs run, and its tables list what the code emits, and nothing else."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import Client, Event, FixedClock, Merchant, PaywrightError
from paywright_receiver import Follower, MemoryLedger
from paywright_receiver.webhooks.reply import OUTCOMES
from paywright_runtime.transport.blocking import HttpTransport
from paywright_sandbox.testing import running_sandbox
from paywright_sandbox.testing.inprocess import in_process_sandbox
from tests.docs.pages import Page, environment, python
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED
from tests.support.telemetry import Watched, attributes, events

PAGE = Page("watching")
_TEXT = PAGE.text
PROGRAM, TRANSPORT = PAGE.blocks("python")
_CODE = re.compile(r"`([^`]+)`")


def rows(title: str) -> list[list[str]]:
    """Return the rows of all tables of a section, without their heads."""
    lines = PAGE.section(f"## {title}").splitlines()
    return [re.split(r" *\| *", line)[1:-1] for line in lines if line.startswith("| ")]


def listed(cell: str) -> set[str]:
    return set(_CODE.findall(cell))


SPANS = {_CODE.findall(row[0])[0].split()[0]: row for row in rows("Spans") if len(row) == 4 and "`" in row[0]}
METRICS = {row[0].strip("`"): row for row in rows("Metrics") if "`" in row[0]}


@pytest.fixture(scope="module")
def watched() -> Watched:
    """Everything that a shop lives through."""
    watched = Watched()
    with (
        in_process_sandbox(clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))) as sandbox,
        sandbox.client(observer=watched.telemetry) as client,
    ):
        ledger = MemoryLedger(clock=sandbox.engine.wall)
        watched.telemetry.watch_items(ledger)
        sandbox.fault("html", status=502, times=1)
        client.accounts.list_authorized(product_type_list=["payin"])
        sandbox.fault("code", code="CURRENCY_INVALID", times=1)
        sandbox.fault("reset", when="after", times=1)
        for number in ("ORD_1", "ORD_2", "ORD_3"):
            try:
                client.orders.checkout(**ORDER | {"out_trade_no": number})
            except PaywrightError:
                continue
        Follower(client, ledger).open(
            None, client.orders.follow("ORD_3", total_amount=Decimal("10.50"), currency="USD")
        )
        sandbox.pay("ORD_3")
        sandbox.advance(timedelta(hours=1))
        receiver = sandbox.receiver(ledger, observer=watched.telemetry)

        @receiver.on_result("orders")
        def fail(event: Event[Any]) -> None:
            raise KeyError

        follower = Follower(client, ledger, receiver=receiver)
        follower.run_due()
        client._transport.close()
        client._clock = None  # type: ignore[assignment]  # the next inquiry cannot even be signed
        follower._core.context.clock.advance(7200)  # type: ignore[attr-defined]  # a FixedClock
        follower.run_due()
    return watched


@pytest.mark.parametrize("span", SPANS)
def test_the_table_of_spans_lists_their_kinds_and_attributes(watched: Watched, span: str) -> None:
    _, kind, _, names = SPANS[span]
    found = [one for one in watched.spans() if one.name.split()[0] == span]
    assert {one.kind.name.lower() for one in found} == {kind}
    assert {name for one in found for name in attributes(one)} == listed(names)


def test_no_span_and_no_event_is_missing_on_the_page(watched: Watched) -> None:
    assert {one.name.split()[0] for one in watched.spans()} == set(SPANS)
    names = {name for one in watched.spans() for event in events(one) for name in event}
    assert names == set(re.findall(r"`(paywright\.attempt\.\w+)`", _TEXT))


def test_the_table_of_metrics_lists_all_with_their_attributes(watched: Watched) -> None:
    found = {name: {key for point in points for key in point.attributes} for name, points in watched.points().items()}
    assert found == {name: listed(row[2]) for name, row in METRICS.items()}


def test_the_alarms_watch_what_there_is() -> None:
    alarms = rows("What to watch")[1:]
    assert {listed(row[0]).intersection(METRICS).pop() for row in alarms if row[0].startswith("`")} == set(METRICS)
    errors = {"NoAnswer", "NotSent", "GatewayError"}
    words = {word for row in alarms for cell in row[:2] for word in listed(cell) if "." not in word}
    assert words - errors - {"now"} <= set(OUTCOMES)


def test_the_program_watches_a_shop(tmp_path: Path) -> None:
    rest = "with client:\n    print(client.accounts.list_authorized(product_type_list=['payin']))\n"
    with running_sandbox(tmp_path / "shop") as sandbox:
        said = python(tmp_path, "-c", PROGRAM + rest, env=environment(**sandbox.env))
    assert '"name": "POST accounts.list_authorized"' in said
    for name in ("paywright.call.duration", "paywright.call.unknown", "paywright.items.open"):
        assert f'"name": "{name}"' in said


def test_the_transport_sends_the_trace_of_the_call(gateway: Gateway, merchant: Merchant, watched: Watched) -> None:
    names: dict[str, Any] = {}
    exec(TRANSPORT, names)
    gateway.reply = Reply(ORDER_CREATED)
    transport = names["Traced"](HttpTransport(gateway.base_url))
    seen = Watched()
    with Client(base_url=gateway.base_url, merchant=merchant, transport=transport, observer=seen.telemetry) as client:
        client.orders.checkout(**ORDER)
    (span,) = seen.spans()
    assert span.context is not None
    assert f"{span.context.span_id:016x}" in gateway.seen[-1].headers["traceparent"]
