"""Handlers are registered once, before the first delivery, and are plain functions."""

from __future__ import annotations

import asyncio
import functools
import gc
import types
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from paywright import ConfigurationError, InvalidArgument, Ledger, Receiver, RsaVerifier
from paywright_receiver import MemoryLedger, SqliteLedger
from tests.receiver.helpers.desk import APP, Desk, key, order, transfer


def nothing(event: object) -> None: ...


def test_a_kind_has_one_handler(desk: Desk) -> None:
    receiver: Any = desk.receiver
    for register in (
        receiver.on_receive,
        receiver.on_subscription_payment,
        receiver.on_validate_bill_payment,
        receiver.on_other,
        receiver.on_kind("PAYMENT"),
    ):
        assert register(nothing) is nothing
        with pytest.raises(ConfigurationError, match="registered twice"):
            register(nothing)


def test_after_the_first_delivery_it_is_too_late(desk: Desk) -> None:
    desk.deliver(b"")
    receiver: Any = desk.receiver
    for register in (
        receiver.on_receive,
        receiver.on_other,
        receiver.on_kind("PAYMENT"),
        receiver.on_validate_bill_payment,
    ):
        with pytest.raises(ConfigurationError, match="received already"):
            register(nothing)


def test_a_kind_that_the_contract_shows_is_registered_with_its_type(desk: Desk) -> None:
    with pytest.raises(ConfigurationError, match="on_subscription_payment"):
        desk.receiver.on_kind("SUBSCRIPTION_PAYMENT")
    with pytest.raises(InvalidArgument, match="sequence of names"):
        desk.receiver.on_kind("PAYMENT", once_per="outTradeNo")


async def later(event: object) -> None: ...


def yields(event: object) -> Iterator[None]:
    yield


async def yields_later(event: object) -> AsyncIterator[None]:
    yield


class Methods:
    async def later(self, event: object) -> None: ...

    def yields(self, event: object) -> Iterator[None]:
        yield

    @staticmethod
    async def static(event: object) -> None: ...

    def plain(self, event: object) -> None: ...


class Calls:
    async def __call__(self, event: object) -> None: ...


class CallsPlainly:
    __wrapped__ = later  # says of itself that it wraps one, as what runs it to its end does
    func = later

    def __call__(self, event: object) -> None: ...


@functools.wraps(later)
def runs_it(event: object) -> None:
    asyncio.run(later(event))


NO_HANDLERS = {
    "async": later,
    "generator": yields,
    "async generator": yields_later,
    "bound async": Methods().later,
    "bound generator": Methods().yields,
    "static async": Methods.static,
    "async __call__": Calls(),
    "partial": functools.partial(later),
    "partial of a partial": functools.partial(functools.partial(yields)),
    "partial of an object": functools.partial(Calls()),
    "partial of a method": functools.partial(Methods().yields),
    "cached": functools.cache(later),
    "types.coroutine": types.coroutine(yields),
    "class": Methods,
}


@pytest.mark.parametrize("handler", NO_HANDLERS.values(), ids=NO_HANDLERS)
def test_what_does_nothing_when_it_is_called_is_no_handler(desk: Desk, handler: Any) -> None:
    receiver: Any = desk.receiver
    registers = [receiver.on_receive, receiver.on_other, receiver.on_kind("PAYMENT"), receiver.on_validate_bill_payment]
    for register in registers:
        with pytest.raises(ConfigurationError, match=r"takes a plain function, not an? "):
            register(handler)


@pytest.mark.parametrize(
    "handler",
    [Methods().plain, CallsPlainly(), runs_it, functools.partial(nothing), functools.cache(nothing), [].append],
    ids=["method", "object", "runs an async one", "partial", "cached", "builtin"],
)
def test_whatever_else_can_be_called_is_a_handler(desk: Desk, handler: Any) -> None:
    desk.receiver.on_receive(handler)
    assert desk.deliver(transfer()).outcome == "handled"


def test_what_cannot_be_called_is_no_handler(desk: Desk) -> None:
    receiver: Any = desk.receiver
    with pytest.raises(InvalidArgument, match="takes a function"):
        receiver.on_receive(None)


async def noted(done: list[str]) -> None:
    done.append("it ran")


def yielding(done: list[str]) -> Iterator[None]:
    done.append("it ran")
    yield


RETURNED: dict[str, tuple[Callable[[list[str]], object], str]] = {
    "False": (lambda done: False, "a bool"),
    "True": (lambda done: True, "a bool"),
    "0": (lambda done: 0, "an int"),
    "a future": (lambda done: Future(), "a Future"),
    "a coroutine": (noted, "a coroutine"),
    "a generator": (yielding, "a generator"),
    "an object": (lambda done: Methods(), "a Methods"),
}


@pytest.mark.parametrize(("make", "named"), RETURNED.values(), ids=RETURNED)
def test_anything_but_none_is_a_failure_with_words(
    new_ledger: Callable[[], Ledger],
    make: Callable[[list[str]], object],
    named: str,
    caplog: pytest.LogCaptureFixture,
    recwarn: pytest.WarningsRecorder,
) -> None:
    desk = Desk(new_ledger())
    done: list[str] = []
    handler: Any = lambda event: make(done)  # noqa: E731  # what it returns is the point
    desk.receiver.on_receive(handler)
    reply = desk.deliver(transfer())
    assert (reply.status, reply.outcome, reply.acknowledged) == (500, "failed", False)
    (entry,) = desk.ledger.list()
    assert (entry.status, done) == ("failed", [])
    assert entry.why.startswith(f"the handler returned {named}: ")
    assert entry.why.endswith(
        "it returns None once the effect is there (nothing else is waited for), and raises to refuse"
    )
    assert f"the handler returned {named}" in caplog.text
    gc.collect()
    assert not [one for one in recwarn if "never awaited" in str(one.message)]


def test_a_decorator_gives_the_function_back_and_it_is_called_with_the_event(desk: Desk) -> None:
    got: list[str] = []

    @desk.receiver.on_receive
    def handle(event: Any) -> None:
        got.append(event.key)

    assert desk.deliver(transfer()).outcome == "handled"
    assert got == [f"{APP}/RECEIVE/R1/SETTLED"]
    assert callable(handle)


WRONG: list[tuple[str, object]] = [
    *(("app_id", value) for value in ("", " ", None, 5, b"app_1")),
    *(("merchant_no", value) for value in (8001, b"M1")),
    *(("gateway_keys", value) for value in (None, 5, object())),
    *(("ledger", value) for value in (None, "notifications.db", SqliteLedger)),
    *(("sign_answers", value) for value in (True, 5, object())),
    *(("unhandled", value) for value in ("maybe", None, ["refuse"])),
    *(("conflicts", value) for value in ("", None)),
    *(
        ("lease", value)
        for value in (
            0,
            "60",
            None,
            True,
            Decimal(60),
            timedelta(seconds=60),
            float("inf"),
            float("nan"),
            1e13,
            10**400,
        )
    ),
    *(("bill_deadline", value) for value in (-1, "3", None, float("nan"), 10**400)),
    *(("max_bytes", value) for value in (0, "1024", 1e6, None, True)),
    *(("max_age", value) for value in (timedelta(0), 7 * 86400.0, "7 days", None, timedelta.max)),
    *(("max_ahead", value) for value in (timedelta(seconds=-1), 300, 300.0, None, timedelta.max)),
    *(("clock", value) for value in (0, "UTC", datetime.now)),
    ("hook", "print"),
    *(("log_tracebacks", value) for value in ("no", 1, None)),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_setting_that_means_nothing_is_refused_by_its_name(name: str, value: object) -> None:
    settings: dict[str, Any] = {
        "app_id": APP,
        "gateway_keys": RsaVerifier([key().public_key()]),
        "ledger": MemoryLedger(),
    }
    with pytest.raises(InvalidArgument, match=name):
        Receiver(**{**settings, name: value})


WAYS: dict[str, Callable[[Receiver], Callable[..., Any]]] = {
    "their content": lambda receiver: receiver.on_other,
    "the members outTradeNo, status": lambda receiver: receiver.on_kind("PAYMENT", once_per=("outTradeNo", "status")),
    "the members outTradeNo": lambda receiver: receiver.on_kind("PAYMENT", once_per=("outTradeNo",)),
    "the result of orders": lambda receiver: receiver.on_result("orders"),
}


@pytest.mark.parametrize("number", ["ord_1", "ORD_1"])
@pytest.mark.parametrize("now", WAYS)
@pytest.mark.parametrize("before", WAYS)
def test_how_effects_are_told_apart_is_changed_only_when_somebody_accepts_it(
    before: str, now: str, number: str, new_ledger: Callable[[], Ledger], caplog: pytest.LogCaptureFixture
) -> None:
    """Otherwise the same signed bytes would have a second effect, or contradict themselves for ever."""
    ledger, done = new_ledger(), []
    first = Desk(ledger)
    WAYS[before](first.receiver)(lambda event: done.append(event.key))
    assert first.deliver(order(number)).outcome == "handled"
    second = Desk(ledger)
    WAYS[now](second.receiver)(lambda event: done.append(event.key))
    again = second.deliver(order(number))
    if before == now:
        assert (again.outcome, ledger.forget_identity(f"{APP}/OTHER")) == ("duplicate", None)
        return
    # What had its effect by its content is known by it; all else is refused, and kept.
    assert again.outcome == ("duplicate" if before == "their content" else "failed")
    for _ in range(2):
        reply = second.deliver(order("ORD_2"))
        assert (reply.outcome, reply.acknowledged, len(done)) == ("failed", False, 1)
    said = (
        f"effects of {APP}/PAYMENT were identified by {before}, and now are by {now}: a notification that had its effect could "
        f"have it again. Register the handler as it was, or stop all receivers and run `paywright notifications accept {APP}/PAYMENT`"
    )
    assert said in caplog.text
    assert ledger.list(status="failed")[0].why == said  # it is kept: nothing of it is lost
    assert first.deliver(order(number)).outcome == "duplicate"  # who registers it as it was goes on
    assert ledger.forget_identity(f"{APP}/PAYMENT") == before
    outcomes = [second.receiver.replay(entry.key).outcome for entry in ledger.list(status="failed")]
    assert ({*outcomes} <= {"handled", "conflict"}, outcomes.count("handled")) == (True, len(done) - 1)
    assert (ledger.list(status="failed"), len(done) > 1) == ([], True)
