"""The examples end with an exit code that follows the state, in words and without a traceback, whatever the gateway answers."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paywright import FixedClock
from paywright.contract import CONTRACT
from paywright_runtime.signing.keys import KeyPair
from tests.docs.settings import set_up
from tests.receiver.helpers.desk import NOW, key
from tests.receiver.helpers.shop import QUERIES
from tests.runtime.helpers.canned_gateway import Gateway, Reply

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
URL = "https://cashier.example/TT1"
Made = tuple[int, str, str]


class World:
    """A gateway that answers placing with `placed` and queries with `shown`; examples run against it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clock: FixedClock) -> None:
        self.gateway = Gateway(KeyPair(key()))
        self.gateway.clock = clock
        self.gateway.reply = self.reply
        self.placed: Reply = ok({})
        self.shown: Reply = ok({})
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def reply(self, seen: Any) -> Reply:
        return self.shown if seen.path in QUERIES else self.placed

    def run(self, name: str, *arguments: str) -> Made:
        """Run an example; return its exit code and what it wrote."""
        source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        source = source.replace("datetime.now(UTC)", "client.context.clock.now()")
        self._monkeypatch.setattr(sys, "argv", [name, *arguments])
        with pytest.raises(SystemExit) as ended:
            exec(compile(source, name, "exec"), {"__name__": "__main__"})
        out, err = self._capsys.readouterr()
        code = ended.value.code
        return (code, out, err) if isinstance(code, int) else (1, out, str(code))


def ok(data: dict[str, object]) -> Reply:
    return Reply({"code": "APPLY_SUCCESS", "msg": "", "data": data})


def code(word: str) -> Reply:
    return Reply({"code": word, "msg": "no"})


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[World]:
    clock = FixedClock(NOW)
    world = World(monkeypatch, capsys, clock)
    set_up(monkeypatch, tmp_path, world.gateway, clock)
    monkeypatch.setattr(time, "sleep", clock.advance)
    yield world
    world.gateway.close()


def answer(operation: str, **data: object) -> Reply:
    return ok({**CONTRACT.example(f"{operation}.response")["data"], **data})


def placed_as(status: str | None) -> Reply:
    return answer("orders.checkout", outTradeNo="ORD_1", status=status, redirectUrl=URL)


def order(status: str | None) -> Reply:
    return answer("orders.query", outTradeNo="ORD_1", status=status, trade={"amount": "10.50", "currency": "USD"})


def refund(status: str, amount: float = 4.25) -> Reply:
    return answer("refunds.query", outRefundNo="REF_ORD_1", status=status, refundAmount=amount, refundCurrency="USD")


# Of queries that show nothing of what was placed.
NOTHING: dict[str, Reply] = {
    "absent": code("ORDER_NOT_EXIST"),
    "throttled": code("TOO_MANY_REQUEST"),
    "unreadable": ok({"outTradeNo": 3}),
    "lost": Reply(b"", signed=False, status=502),
    "unsigned": Reply(b"{}", signed=False),
}


@pytest.mark.parametrize(
    ("placed", "shown", "ended", "words"),
    [
        (placed_as("PENDING"), order("PENDING"), 0, f"send the payer to {URL}\nORD_1 is PENDING"),
        (placed_as("PENDING"), order("SUCCESS"), 0, "ORD_1 is SUCCESS"),
        (placed_as("PENDING"), order("FAILED"), 1, "ORD_1 is FAILED"),
        (placed_as("PENDING"), order("CLOSED"), 1, "ORD_1 is CLOSED"),
        (placed_as("PENDING"), order(None), 2, f"send the payer to {URL}\nORD_1 is placed; how it stands is not known"),
        (placed_as("PENDING"), order("NEWER"), 2, f"send the payer to {URL}\nORD_1 is NEWER"),
        (placed_as("PENDING"), order("BOUNCEBACK"), 1, "ORD_1 is BOUNCEBACK"),
        (placed_as("SUCCESS"), order("PENDING"), 0, f"send the payer to {URL}\nORD_1 is PENDING"),
        (code("AMOUNT_LIMIT"), order("PENDING"), 1, ""),
        (code("ORDER_REPEAT"), order("PENDING"), 2, ""),
        (NOTHING["lost"], order("PENDING"), 2, ""),
        *((placed_as("PENDING"), shown, 2, f"send the payer to {URL}\nORD_1 is placed; how it stands is not known") for shown in NOTHING.values()),
    ],
)  # fmt: skip
def test_an_order_ends_with_its_state(world: World, placed: Reply, shown: Reply, ended: int, words: str) -> None:
    world.placed, world.shown = placed, shown
    code, out, err = world.run("hosted_checkout", "ORD_1", "10.50", "USD")
    assert (code, out.strip()) == (ended, words), err


TAKEN = answer("refunds.create", outRefundNo="REF_ORD_1", status="REFUND_PENDING")
PENDING = refund("REFUND_PENDING")


@pytest.mark.parametrize(
    ("placed", "shown", "ended", "words"),
    [
        (TAKEN, refund("REFUND_SUCCESS"), 0, "REF_ORD_1 is REFUND_SUCCESS"),
        (TAKEN, refund("REFUND_FAILED"), 1, "REF_ORD_1 is REFUND_FAILED"),
        (TAKEN, refund("REFUND_SUCCESS", 4.75), 2, "REF_ORD_1 is not known"),
        (code("ORDER_REPEAT"), refund("REFUND_SUCCESS"), 0, "REF_ORD_1 is REFUND_SUCCESS"),
        (code("ORDER_REPEAT"), refund("REFUND_FAILED"), 1, "REF_ORD_1 is REFUND_FAILED"),
        (code("ORDER_REPEAT"), refund("REFUND_SUCCESS", 4.75), 2, "REF_ORD_1 is not known"),
        (NOTHING["lost"], refund("REFUND_SUCCESS"), 0, "REF_ORD_1 is REFUND_SUCCESS"),
        (ok({"outRefundNo": 3}), refund("REFUND_SUCCESS"), 0, "REF_ORD_1 is REFUND_SUCCESS"),
        (TAKEN, PENDING, 2, "REF_ORD_1 is REFUND_PENDING"),
        (code("REFUND_INSUFFICIENT_BALANCE"), PENDING, 1, ""),
        *((TAKEN, shown, 2, "REF_ORD_1 is not known") for shown in NOTHING.values()),
        *((NOTHING["lost"], shown, 2, "REF_ORD_1 is not known") for shown in NOTHING.values()),
    ],
)  # fmt: skip
def test_a_refund_ends_with_its_state(world: World, placed: Reply, shown: Reply, ended: int, words: str) -> None:
    world.placed, world.shown = placed, shown
    code, out, err = world.run("refund", "ORD_1", "4.25", "USD", "900")
    assert code == ended, (out, err)
    last = out.splitlines()[-1] if out else ""
    assert last.startswith(words), (out, err)


@pytest.mark.parametrize("amount", ["10,50", "10_50", "ten", "", "-4.25", "1e3", "NaN", "10.5.0", "٤"])
@pytest.mark.parametrize("name", ["hosted_checkout", "refund"])
def test_a_mistyped_amount_is_refused_and_the_right_one_goes(world: World, name: str, amount: str) -> None:
    assert world.run(name, "ORD_1", amount, "USD") == (
        1,
        "",
        f"{amount!r} is no amount such as 10.50. Nothing was sent.",
    )
    assert world.gateway.seen == []
    world.placed = placed_as("PENDING") if name == "hosted_checkout" else TAKEN
    world.shown = order("PENDING") if name == "hosted_checkout" else refund("REFUND_SUCCESS")
    assert world.run(name, "ORD_1", "10.50" if name == "hosted_checkout" else "4.25", "USD")[0] == 0


@pytest.mark.parametrize("name", ["hosted_checkout", "refund"])
def test_what_breaks_the_contract_is_refused_in_words(world: World, name: str) -> None:
    for arguments in (("NO SPACES" * 9, "10.50", "USD"), ("ORD_1", "0", "USD"), ("ORD_1", "10.50", "dollars")):
        code, out, err = world.run(name, *arguments)
        assert (code, out, "Nothing was sent" in err) == (1, "", True), err
    assert f"{name}.py ORD_1" in world.run(name, "ORD_1")[2]
    assert world.gateway.seen == []
