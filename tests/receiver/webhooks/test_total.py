"""`receive` answers, whatever it is given and whatever of its parts fails; and it acknowledges nothing by accident."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright import FixedClock, LedgerProblem, Receiver, Reply, RsaVerifier
from paywright_receiver import MemoryLedger
from tests.receiver.helpers.desk import APP, NOW, Desk, bill, key, sign, transfer

RAW = json.dumps(transfer()).encode()
SIGNATURE = sign(RAW)


class Odd(LedgerProblem):
    """An error that fails where it is looked at."""

    def __init__(self) -> None:
        super().__init__("odd")

    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


ERRORS: list[Callable[[], Exception]] = [
    KeyError, RuntimeError, MemoryError, RecursionError, StopIteration, UnicodeError, OSError, ArithmeticError, AssertionError,
    lambda: LedgerProblem("no"), lambda: pickle.PicklingError("no"), Odd, lambda: UnicodeDecodeError("x", b"", 0, 1, "no"),
]  # fmt: skip
errors = st.sampled_from(ERRORS)


def raising(error: Callable[[], Exception]) -> Callable[..., Any]:
    def raises(*_: object, **__: object) -> Any:
        raise error()

    return raises


def sound(reply: Reply, acknowledged: bool = False) -> None:
    assert type(reply) is Reply
    assert reply.acknowledged is acknowledged
    assert (reply.status == 200) is acknowledged
    body = json.loads(reply.body)
    assert (body["code"] == "SUCCESS") is acknowledged


# What is given


METHODS = ("__len__", "__bytes__", "__iter__", "__eq__", "decode", "__getitem__")
LIES: dict[str, Any] = {"__len__": lambda self: 0, "__bytes__": lambda self: b"{}", "decode": lambda self: "{}"}
hostile = st.tuples(st.sets(st.sampled_from(METHODS)), st.booleans(), errors)
"""What makes a class of bytes: which methods raise or lie, and with what."""


def hostile_bytes(made: tuple[set[str], bool, Callable[[], Exception]]) -> bytes:
    """The signed bytes, in a class whose methods raise or lie."""
    names, lies, error = made
    methods = {name: LIES[name] if lies and name in LIES else raising(error) for name in names}
    kind: Any = type("Bytes", (bytes,), {"__hash__": bytes.__hash__, **methods})
    return kind(RAW)  # type: ignore[no-any-return]


def late(error: Callable[[], Exception]) -> Any:
    def items(*_: object) -> Iterator[tuple[str, str]]:
        yield "sign", SIGNATURE
        raise error()

    return type("Late", (), {"__iter__": items})()


def text(value: str, error: Callable[[], Exception]) -> Any:
    names = ("lower", "__len__", "__str__", "encode")
    kind: Any = type("Text", (str,), dict.fromkeys(names, raising(error)))
    return kind(value)


def with_items(items: Callable[..., Any]) -> Any:
    return type("Headers", (), {"items": items})()


def failing_at(name: str, error: Callable[[], Exception]) -> Any:
    return type("Headers", (), {name: property(raising(error))})()


HEADERS: dict[str, Callable[[Callable[[], Exception]], Any]] = {
    "items raises": lambda error: with_items(raising(error)),
    "items raises late": lambda error: with_items(lambda self: late(error)),
    "items of nothing": lambda error: with_items(lambda self: None),
    "items of a list": lambda error: with_items(lambda self: [[("sign", SIGNATURE)]]),
    "items cannot be had": lambda error: failing_at("items", error),
    "no class": lambda error: failing_at("__class__", error),
    "pairs that end": late,
    "an odd name": lambda error: [(text("sign", error), SIGNATURE)],
    "an odd value": lambda error: [("sign", text(SIGNATURE, error))],
    "a function": lambda error: [("sign", raising(error))],
    "no text": lambda error: [("sign", b"\xff" * 344)],
    "a name alone": lambda error: [("sign",)],
    "empty pairs": lambda error: [(), ()],
    "None for it": lambda error: {"sign": None},
    "a list for it": lambda error: {"sign": [SIGNATURE]},
    "twice": lambda error: {b"sign": SIGNATURE.encode(), "sign": SIGNATURE},
    "good ones": lambda error: {"Sign": SIGNATURE},
    "None": lambda error: None,
    "a number": lambda error: 7,
    "a text": lambda error: "sign",
    "a class": lambda error: object,
}


def quiet() -> Desk:
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(lambda event: None)
    return desk


@pytest.mark.parametrize("named", HEADERS)
@given(error=errors, raw=st.one_of(st.just(RAW), hostile, st.none(), st.text(), st.integers()))
def test_no_headers_and_no_body_make_it_raise(named: str, error: Callable[[], Exception], raw: Any) -> None:
    desk = quiet()
    body = hostile_bytes(raw) if isinstance(raw, tuple) else raw
    reply = desk.receiver.receive(body, HEADERS[named](error))
    sound(reply, acknowledged=[entry.status for entry in desk.ledger.list()] == ["done"])


@given(hostile)
def test_a_class_of_bytes_is_the_bytes_that_it_holds_whatever_it_says(raw: Any) -> None:
    reply = quiet().receiver.receive(hostile_bytes(raw), {"sign": SIGNATURE})
    assert (reply.outcome, reply.acknowledged) == ("handled", True)


# What it is made of


class Failing:
    """A part of a receiver, every method of which fails after so many calls."""

    def __init__(self, inner: Any, error: Callable[[], Exception], after: int) -> None:
        self._inner = inner
        self._error = error
        self._left = after

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def called(*values: Any, **named: Any) -> Any:
            self._left -= 1
            if self._left < 0:
                raise self._error()
            result = found(*values, **named)
            wrap = name == "acquire" and not isinstance(result, str)
            return Failing(result, self._error, self._left) if wrap else result

        return called


class Signs:
    def sign(self, body: bytes, /) -> str:
        return "A" * 341 + "Q=="


@given(st.sampled_from(["ledger", "verifier", "signer", "clock"]), errors, st.integers(0, 5))
def test_whatever_fails_at_whichever_call_it_answers(part: str, error: Callable[[], Exception], after: int) -> None:
    parts: dict[str, Any] = {
        "ledger": MemoryLedger(),
        "verifier": RsaVerifier([key().public_key()]),
        "signer": Signs(),
        "clock": FixedClock(NOW),
    }
    real = parts["ledger"]
    parts[part] = Failing(parts[part], error, after)
    receiver = Receiver(
        app_id=APP,
        gateway_keys=parts["verifier"],
        ledger=parts["ledger"],
        sign_answers=parts["signer"],
        clock=parts["clock"],
    )
    receiver.on_receive(lambda event: None)
    for _ in range(4):
        reply = receiver.receive(RAW, {"sign": SIGNATURE})
        statuses = [entry.status for entry in real.list()]
        sound(reply, acknowledged=reply.acknowledged)
        assert not reply.acknowledged or statuses == ["done"]


def test_a_signer_that_is_away_at_the_first_delivery_is_asked_again_at_the_next() -> None:
    away = True

    class Comes(Signs):
        def sign(self, body: bytes, /) -> str:
            if away:
                raise ConnectionError
            return super().sign(body)

    done: list[str] = []
    desk = Desk(MemoryLedger(), sign_answers=Comes())
    desk.receiver.on_receive(lambda event: done.append(event.key))
    first = desk.deliver(transfer())
    assert (first.status, first.outcome, first.acknowledged) == (500, "internal", False)
    away = False
    second = desk.deliver(transfer())
    assert (second.outcome, dict(second.headers)["sign"], len(done)) == ("duplicate", Signs().sign(b""), 1)


def test_a_receiver_that_cannot_be_built_answers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Withdrawn:
        """A verifier of a key service that was there when the receiver was made, and is gone since."""

        asked = 0

        @property
        def verify(self) -> Callable[..., object]:
            self.asked += 1
            if self.asked > 1:
                raise ConnectionError
            return lambda body, signature: None

    desk = Desk(MemoryLedger(), gateway_keys=Withdrawn())
    for _ in range(2):
        reply = desk.deliver(transfer())
        assert (reply.status, reply.outcome) == (500, "internal")
        sound(reply)


@pytest.mark.parametrize(
    "body", [transfer(), bill(), {}, {"notifyType": "X"}], ids=["known", "bill", "nothing", "unknown"]
)
def test_a_log_that_fails_changes_no_answer(body: dict[str, Any]) -> None:
    logger = logging.getLogger("paywright.receiver")
    fails: Any = raising(RuntimeError)
    desk = Desk(MemoryLedger())
    expected = desk.deliver(body).outcome
    logger.addFilter(fails)
    try:
        assert Desk(MemoryLedger()).deliver(body).outcome == expected
    finally:
        logger.removeFilter(fails)


@pytest.mark.parametrize("ends", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_the_program_passes_also_where_the_ledger_fails(ends: type[BaseException]) -> None:
    class Gone(MemoryLedger):
        def _release(self, *ended: str) -> None:
            raise LedgerProblem("gone")

    desk = Desk(Gone())

    @desk.receiver.on_receive
    def interrupted(event: object) -> None:
        raise ends

    with pytest.raises(ends):
        desk.deliver(transfer())
