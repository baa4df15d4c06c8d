"""The ASGI application by its messages alone: what a server may send that none of ours does."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from starlette.applications import Starlette

from paywright import BillPaymentDecision, BillPaymentValidationQuestion
from paywright_receiver import MemoryLedger, asgi_app
from paywright_receiver.starlette import route
from tests.receiver.helpers.desk import Desk, bill, sign, transfer

RAW = json.dumps(transfer("R1")).encode()


def exchanged(
    scope: Mapping[str, object], *received: dict[str, Any], max_bytes: int = 1 << 20, made: Any = asgi_app
) -> tuple[list[Any], int]:
    """What the application sends, and how many messages it takes of those there are."""
    desk = Desk(MemoryLedger(), max_bytes=max_bytes)
    desk.receiver.on_receive(lambda event: None)
    waiting, sent = list(received), list[Any]()

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    asyncio.run(made(desk.receiver)(scope, receive, send))
    return sent, len(received) - len(waiting)


def post(*parts: dict[str, Any], **options: Any) -> tuple[int, int]:
    """The status of what is answered, and how many parts were taken."""
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"sign", sign(RAW).encode())]}
    sent, taken = exchanged(scope, *({"type": "http.request", **part} for part in parts), **options)
    return sent[0]["status"], taken


def test_a_message_that_names_neither_more_nor_a_body_is_the_last_and_empty() -> None:
    assert post({"body": RAW}, {"body": b"never asked for"}) == (200, 1)
    assert post({"body": RAW, "more_body": True}, {}) == (200, 2)


def test_what_follows_a_whole_delivery_of_the_largest_size_is_not_cut_off() -> None:
    assert post({"body": RAW, "more_body": True}, {"body": b""}, max_bytes=len(RAW)) == (200, 2)
    assert post({"body": RAW, "more_body": True}, {"body": b" "}, max_bytes=len(RAW)) == (413, 2)


def test_of_a_body_without_end_a_second_limit_is_taken_and_the_sender_is_answered() -> None:
    part = {"body": b"x" * 250, "more_body": True}
    assert post(*[part] * 20, max_bytes=1000) == (413, 10)
    assert post(*[part] * 20, max_bytes=1000, made=lambda one: Starlette(routes=[route(one, "/")])) == (413, 5)


def test_a_sender_that_goes_is_not_answered() -> None:
    scope = {"type": "http", "method": "POST", "headers": []}
    part = {"type": "http.request", "body": RAW, "more_body": True}
    assert exchanged(scope, part, {"type": "http.disconnect"}) == ([], 2)


@pytest.mark.parametrize("kind", ["websocket", "another"])
def test_what_is_no_request_is_closed(kind: str) -> None:
    assert exchanged({"type": kind}) == ([{"type": "websocket.close"}], 0)


def test_the_lifespan_is_acknowledged_until_the_shutdown() -> None:
    sent, taken = exchanged(
        {"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}, {"type": "lifespan.startup"}
    )
    assert sent == [{"type": "lifespan.startup.complete"}, {"type": "lifespan.shutdown.complete"}]
    assert taken == 2


def test_a_bill_question_waits_for_no_handler_however_few_processors_there_are() -> None:
    slow, busy, over = 38, threading.Semaphore(0), threading.Event()
    desk = Desk(MemoryLedger())

    @desk.receiver.on_receive
    def handler(event: object) -> None:
        busy.release()
        over.wait(300)

    @desk.receiver.on_validate_bill_payment
    def decide(question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        return question.accept(min_amount=1, max_amount=5000)

    app = asgi_app(desk.receiver)

    async def post(body: dict[str, Any]) -> int:
        raw, sent = json.dumps(body).encode(), list[Any]()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": raw}

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        await app({"type": "http", "method": "POST", "headers": [(b"sign", sign(raw).encode())]}, receive, send)
        return int(sent[0]["status"])

    async def both() -> list[int]:
        posts = [asyncio.create_task(post(transfer(f"R{number}"))) for number in range(slow)]
        try:
            while not busy._value:  # the first is at it
                await asyncio.sleep(0.01)
            answered = await asyncio.wait_for(post(bill("BILL1")), 60)
        finally:
            over.set()
        return [answered, *await asyncio.gather(*posts)]

    assert asyncio.run(both()) == [200] * (slow + 1)
