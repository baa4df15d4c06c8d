"""Two merchants do whatever comes to mind, the clock jumps, things break, the past is put back: money always adds up.

After every step all tables, the outbox and the log are judged (`machine_rows`); what must become of an act follows from the
tables before it (`machine_player`). What is refused, or undone by a fault, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_sandbox.engine.state.tables import instant
from paywright_sandbox.faults.vocabulary import ENDS_WHOLE, KINDS, NOTIFICATION_KINDS
from tests.sandbox.helpers.desk import checkout_data
from tests.sandbox.helpers.machine_player import KEYS, Player, keys, merchants
from tests.sandbox.helpers.machine_rows import look
from tests.sandbox.helpers.machine_world import Place, World, place
from tests.support.examples import examples

DAY = 86400
FAULTY = [None, None, None, None, "orders.checkout", "orders.drop_in", "orders.query", "refunds.create", "snap.cancel"]  # fmt: skip
HAPPENS = {
    "order.paid", "order.failed", "order.closed", "order.bounced", "refund.succeeded", "refund.failed", "plan.moved", "period.tried", "exchange.success",
    "exchange.failed", "withdraw.finished", "transfer.settled", "bill.paid", "link.expired", "token.saved", "case.opened", "case.moved",
}  # fmt: skip
NONSENSE = [
    "signature", "newline", "no-signature", "others-signature", "json", "missing", "type", "time", "merchant", "mixed", "path",
]  # fmt: skip


class Machine(Player):
    """The life of one sandbox in memory."""

    at: Place

    def __init__(self) -> None:
        super().__init__()
        self.world = World(self.at)

    def teardown(self) -> None:
        self.world.store.close()

    @invariant()
    def everything_is_as_it_must_be(self) -> None:
        look(self.world)

    # Time

    @rule(seconds=st.sampled_from([0, 1, 2, 30, 601, 3600, 6 * 3600, DAY, DAY, 3 * DAY, 10 * DAY, 181 * DAY]))
    def advance(self, seconds: int) -> None:
        """Afterwards every attempt that was due has been made."""
        world = self.world
        world.advance(seconds)
        assert all(
            row["next_at"] is None or row["next_at"] > instant(world.now)
            for row in world.rows["notifications"].values()
        )

    @rule(seconds=st.sampled_from([1, 2, 3600, 2 * DAY]))
    def time_passes_unseen(self, seconds: int) -> None:
        self.world.wall.advance(seconds)

    @rule(freeze=st.booleans())
    def stop_the_clock(self, freeze: bool) -> None:
        world = self.world
        now = world.now
        world.frozen_at, world.ahead = now if freeze else None, now - world.wall.now()
        world.did(f"clock/{'freeze' if freeze else 'resume'}", None, 200)

    # Notifications

    @rule(mood=st.sampled_from(["takes", "takes", "breaks", "refuses", "babbles"]))
    def the_shop_is(self, mood: str) -> None:
        self.world.shop.mood = mood

    @precondition(lambda self: self.world.rows["notifications"])
    @rule(number=st.integers(0, 7))
    def redeliver(self, number: int) -> None:
        ids = list(self.world.rows["notifications"])
        self.world.did(f"notifications/{ids[number % len(ids)]}/redeliver", None, 200)

    # Faults

    @rule(kind=st.sampled_from([*KINDS, *NOTIFICATION_KINDS]), before=st.booleans(), operation=st.sampled_from(FAULTY),
          times=st.sampled_from([1, 1, 2]))  # fmt: skip
    def plant(self, kind: str, before: bool, operation: str | None, times: int) -> None:
        of_answers = kind in KINDS
        body = {
            "kind": kind,
            "when": "before" if before and of_answers and kind not in ENDS_WHOLE else "after",
            "times": times,
        }
        self.world.did("faults", body | ({"operation": operation} if operation and of_answers else {}), 200)

    @rule()
    def lift(self) -> None:
        self.world.control("DELETE", "faults")

    # The whole workspace

    @rule(what=st.sampled_from(["save", "save", "put back", "put back", "reset"]), number=st.integers(0, 2))
    def the_whole_workspace(self, what: str, number: int) -> None:
        if what == "put back" and self.world.saved:
            self.world.put_back(number)
        elif what == "reset" and number == 0:
            self.world.start_anew()
        elif len(self.world.saved) < 3:
            self.world.save()

    # Nonsense

    @rule(
        who=merchants,
        how=st.sampled_from(NONSENSE),
        operation=st.sampled_from(["orders.checkout", "refunds.create", "exchanges.create", "orders.query"]),
        key=keys,
        at=st.integers(0, 2047),
    )
    def nonsense(self, who: int, how: str, operation: str, key: str, at: int) -> None:
        till, other = self.world.tills[who], self.world.tills[1 - who]
        data = sensible(operation, key)
        message = till.message(operation, data)
        if how == "missing":
            del data[sorted(data)[at % len(data)]]
        elif how == "type":
            data[sorted(data)[at % len(data)]] = [True]
        elif how == "time":
            off = timedelta(seconds=121 + at) * (1 if at % 2 else -1)
            message["requestTime"] = (self.world.wall.now() + off).isoformat(timespec="milliseconds")
        elif how == "merchant":
            message["appId"] = "app_of_nobody"
        elif how == "mixed":
            message["merchantNo"] = other.merchant.numbers["merchant_no"]
        raw = strict_json.write(message)
        if how == "json":
            raw = raw[: at % len(raw)]
        signature = (other if how == "others-signature" else till).signer.sign(raw)
        if how == "newline":
            raw += b"\n"
        elif how == "signature":
            spot = at % 300
            signature = signature[:spot] + ("A" if signature[spot] != "A" else "B") + signature[spot + 1 :]
        headers = [("content-type", "application/json")] + ([] if how == "no-signature" else [("sign", signature)])
        path = "/nowhere" if how == "path" else CONTRACT.operation(operation).path or ""
        with nothing_changes(self.world):
            reply = self.world.send(path, headers, raw)
        answer = till.judged(None if how == "path" else operation, reply)
        assert answer["code"] != "APPLY_SUCCESS", answer


def sensible(operation: str, key: str) -> dict[str, Any]:
    if operation == "orders.checkout":
        return checkout_data(key + "_n")
    if operation == "orders.query":
        return {"outTradeNo": key}
    if operation == "refunds.create":
        amount = Decimal("0.01")
        return {"outRefundNo": "REF_n", "refundAmount": amount, "refundCurrency": "USD", "outTradeNo": key}
    return {
        "ccyPair": "EURUSD", "outTradeNo": "EXC_n", "side": "SELL", "transactionAmount": "1.00", "transactionCcy": "EUR",
        "targetCcy": "USD",
    }  # fmt: skip


@contextmanager
def nothing_changes(world: World) -> Iterator[None]:
    world.engine.run_due_timers()  # so that their effects do not count as the effects of the call
    before = everything(world)
    yield
    assert everything(world) == before


def everything(world: World) -> dict[str, list[dict[str, Any]]]:
    with world.store.transaction() as state:
        tables = state.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        names = [str(row["name"]) for row in tables if row["name"] != "captures"]
        return {name: state.all(f"SELECT * FROM {name}") for name in names}


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with place(tmp_path_factory.mktemp("machine")) as made:
        yield made


def run(at: Place, count: int, steps: int, record: Any, phases: Sequence[Phase]) -> None:
    at.counted = {}
    run_state_machine_as_test(  # type: ignore[no-untyped-call]  # Hypothesis has no types here
        type("Life", (Machine,), {"at": at}),
        settings=examples(count, stateful_step_count=steps, phases=phases, report_multiple_bugs=False),
    )
    for name, count in sorted(at.counted.items()):
        record(f"count: sandbox machine: {name}", count)
    assert at.counted["steps"] > 0
    assert at.counted["notifications judged"] > 0
    assert len({key.lower() for key in KEYS}) < len(KEYS)


@pytest.mark.slow
def test_money_adds_up_whatever_comes(at: Place, record_property: Any) -> None:
    """A finding is shown as it was found; the long lives make one smaller, which may take Hypothesis five minutes."""
    run(at, 150, 40, record_property, (Phase.generate,))


@pytest.mark.full
def test_money_adds_up_in_long_lives(at: Place, record_property: Any) -> None:
    run(at, 600, 60, record_property, (Phase.generate, Phase.shrink))
    happened = {name.removeprefix("event: ") for name in at.counted if name.startswith("event: ")}
    struck = {name.removeprefix("struck: ") for name in at.counted if name.startswith("struck: ")}
    assert happened >= HAPPENS  # the short lives may miss a rare one
    assert struck == {*KINDS, *NOTIFICATION_KINDS}  # here too
