"""Whatever comes: never an exception, never an effect without a valid signature."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright import Reply, validate
from paywright_receiver import MemoryLedger
from tests.receiver.helpers.desk import APP, Desk, bill, order, period, sign, transfer
from tests.support.examples import examples

FULL = 20
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
BODIES: list[dict[str, Any]] = [transfer(), period(), order(), bill()]


def listening() -> tuple[Desk, list[str]]:
    """A receiver that handles everything, and what it did."""
    desk = Desk(MemoryLedger(), bill_deadline=600)
    done: list[str] = []

    def note(event: Any) -> None:
        assert event.data is not None
        assert event.violations is not None
        assert event.unknown is not None
        done.append(event.key)

    desk.receiver.on_receive(note)
    desk.receiver.on_subscription_payment(note)
    desk.receiver.on_other(note)
    desk.receiver.on_validate_bill_payment(lambda question: question.refuse("no"))
    return desk, done


def sound(reply: Reply) -> None:
    """An answer that is valid by contract, and is an acknowledgement by every reading of it or by none."""
    assert type(reply) is Reply
    assert reply.acknowledged is (reply.status == 200) is (json.loads(reply.body)["code"] == "SUCCESS")
    operation = "merchant.validate_bill_payment" if reply.outcome == "answered" else "notifications.receive"
    assert validate(operation, "response" if reply.outcome == "answered" else "answer", reply.body) == []


odd = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.lists(st.integers(), max_size=3)
header_names = (
    st.sampled_from(["sign", "SIGN", b"sign", "Sign ", "content-type"]) | st.text(max_size=5) | st.binary(max_size=5)
)
headers = (
    odd
    | st.lists(st.tuples(header_names, st.text(max_size=400) | st.binary(max_size=400) | odd), max_size=4)
    | st.dictionaries(header_names, st.text(max_size=400), max_size=4)
)


@examples(400)
@given(raw=odd | st.binary(max_size=300), given_headers=headers)
def test_no_body_and_no_header_makes_it_raise_or_act(raw: Any, given_headers: Any) -> None:
    desk, done = LISTENING
    reply = desk.receiver.receive(raw, given_headers)
    sound(reply)
    assert not reply.acknowledged
    assert done == []
    assert desk.ledger.list() == []


LISTENING = listening()


@st.composite
def changed_bodies(draw: st.DrawFn) -> dict[str, Any]:
    """A message with some of its members taken away, or given values that nobody would expect."""
    body: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(BODIES))))
    for _ in range(draw(st.integers(0, 4))):
        at = body
        while True:
            if not at:
                break
            name = draw(st.sampled_from(sorted(at)))
            if isinstance(at[name], dict) and at[name] and draw(st.booleans()):
                at = at[name]
                continue
            if draw(st.booleans()):
                at[name] = draw(json_values)
            else:
                del at[name]
            break
    return body


@pytest.mark.slow
@pytest.mark.parametrize("count", [250, pytest.param(250 * FULL, marks=pytest.mark.full)])
def test_whatever_is_signed_is_answered_soundly_and_has_one_effect(count: int) -> None:
    desk, done = listening()

    @examples(count)
    @given(body=changed_bodies())
    def check(body: dict[str, Any]) -> None:
        raw = json.dumps(body).encode()
        before = len(done)
        reply = desk.deliver(raw)
        sound(reply)
        again = desk.deliver(raw)
        sound(again)
        assert len(done) - before == (reply.outcome == "handled")
        if reply.outcome == "handled":
            assert again.outcome == "duplicate"
        assert len(set(done)) == len(done)
        if done[before:]:
            assert done[-1].startswith(f"{APP}/")
        if reply.outcome == "answered":
            assert json.loads(reply.body)["data"]["confirmation"] == "N"
        assert reply.outcome not in ("internal", "ledger_failed", "failed")

    check()


@examples(60)
@given(at=st.integers(0, 2000), bit=st.integers(0, 7), where=st.sampled_from(["body", "sign"]))
def test_one_changed_bit_is_no_signature(at: int, bit: int, where: str) -> None:
    desk, done = LISTENING
    raw = bytearray(json.dumps(transfer()).encode())
    signature = bytearray(sign(bytes(raw)).encode())
    changed = raw if where == "body" else signature
    changed[at % len(changed)] ^= 1 << bit
    reply = desk.receiver.receive(bytes(raw), {"sign": signature.decode("latin-1")})
    assert reply.status == 401
    assert done == []


@examples(300)
@given(raw=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_signed_bytes_are_answered(raw: bytes) -> None:
    desk, done = LISTENING
    sound(desk.deliver(raw))
    assert done == []
