"""A gateway small enough to be believed: what stands under which key, and answers that a cell asks for, signed by a real key."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from email.utils import format_datetime
from functools import cache
from typing import Any

import anyio

from paywright import FixedClock, contract
from paywright_runtime.contract.operation import Operation
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure

__all__ = ["AwaitedGateway", "TableGateway"]

_example = cache(contract.example)

_LOST = {
    "not connected": (Phase.CONNECTING, "connection_failed"),
    "lost while sending the head": (Phase.SENDING, "connection_failed"),
    "lost while waiting": (Phase.WAITING, "connection_lost"),
    "lost while reading": (Phase.READING, "connection_lost"),
    "late": (Phase.WAITING, "timeout"),
}
_UNHEARD: dict[str, tuple[Phase, str]] = {
    "nothing": (Phase.WAITING, "connection_lost"),
    "unsent": (Phase.CONNECTING, "connection_failed"),
}
_CODES = {"refused": ("SYSTEM_ERROR", "5005500"), "throttled": ("TOO_MANY_REQUEST", "4295500")}
"""Codes of a query that say neither, of one form and of the bank-style one."""


class TableGateway:
    """A transport of one write. `how` is the next ending, `turns` what the query says next; both are used up.

    With neither, it is honest: a new key takes effect once, a key that stands is refused as a repeat where the contract has a
    code for that, and the query shows what stands. `effects` counts, by key.
    """

    def __init__(self, sign: Callable[[bytes], str], clock: FixedClock, write: Operation) -> None:
        self._sign = sign
        self.clock = clock
        self.write = write
        query = write.resolution.operation if write.resolution is not None else None
        self.query = None if query is None else contract.operation(query)
        self.how = ""
        self.takes_effect = True
        self.turns: list[str] = []
        self.effects: Counter[str] = Counter()
        self.content: dict[str, dict[str, Any]] = {}
        self.sent: list[str] = []

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.Transport`."""
        body = json.loads(request.body)
        asked = body["data"] if isinstance(body.get("data"), dict) else body
        if self.query is not None and request.path == self.query.path:
            return self._queried(asked)
        key = asked[self.write.key or ""]
        how, self.how = self.how, ""
        self.sent.append(key)
        if how in ("not connected", "lost while sending the head"):
            raise TransportFailure(*_LOST[how])  # type: ignore[arg-type]  # the words are reasons
        if not how:
            return self._honest(key, asked)
        if self.takes_effect:
            self._effect(key, asked)
        if how == "interrupt":
            raise KeyboardInterrupt
        if how in _LOST:
            raise TransportFailure(*_LOST[how])  # type: ignore[arg-type]  # as above
        return self._ended(how, key, asked)

    def close(self) -> None:
        """Nothing is open."""

    def _effect(self, key: str, asked: dict[str, Any]) -> None:
        self.effects[key] += 1
        self.content[key] = asked

    def _honest(self, key: str, asked: dict[str, Any]) -> RawAnswer:
        if self.effects[key] and self.write.duplicate_codes:
            return self._coded(self.write, min(self.write.duplicate_codes))
        self._effect(key, asked)
        return self._whole(self.write, key, asked)

    def _ended(self, how: str, key: str, asked: dict[str, Any]) -> RawAnswer:
        if how.startswith("code "):
            return self._coded(self.write, how.removeprefix("code "))
        if how in ("unlisted code", "foreign code"):
            bank_style = self.write.envelope == "snap"
            foreign = "4045501" if bank_style else "ORDER_NOT_EXIST"
            return self._coded(
                self.write, foreign if how == "foreign code" else "5005700" if bank_style else "SYSTEM_ERROR"
            )
        if how == "not JSON":
            return self._answer(b"<html>")
        if how == "no code":
            return self._answer(b"{}")
        if how == "another key":
            return self._whole(self.write, "ANOTHER", asked)
        body = self._body(self.write, key, asked, spoil={"unreadable": _unreadable, "other content": _other}.get(how))
        if how == "unsigned":
            return RawAnswer(200, self._dated(), body)
        if how == "http 500":
            return RawAnswer(500, self._dated(), body)
        if how == "redirect":
            return RawAnswer(307, (*self._dated(), ("location", "/other")), body)
        if how == "signed twice":
            return RawAnswer(200, (*self._dated(), ("sign", self._sign(body)), ("sign", self._sign(body))), body)
        if how == "bad signature":
            return RawAnswer(200, (*self._dated(), ("sign", self._sign(b"other"))), body)
        return self._answer(body)

    def _queried(self, asked: dict[str, Any]) -> RawAnswer:
        assert self.query is not None
        assert self.write.resolution is not None
        key = asked[self.write.resolution.by or ""]
        turn = self.turns.pop(0) if self.turns else ""
        if turn == "absent" or (not turn and not self.effects[key]):
            return self._coded(self.query, min(self.query.not_found_codes))
        if turn in _UNHEARD:
            raise TransportFailure(*_UNHEARD[turn])
        if turn in _CODES:
            return self._coded(self.query, _CODES[turn][self.write.envelope == "snap"])
        if turn == "another":
            key = "ANOTHER"
        state = {"final": "00", "pending": "03", "unlisted": "04"}.get(turn, "05")
        spoils = {"unreadable": _unreadable, "other": _other, "keyless": _keyless}
        answer = self._whole(self.query, key, self.content.get(key, {}), state=state, spoil=spoils.get(turn))
        if turn == "forged":
            return RawAnswer(200, (*self._dated(), ("sign", self._sign(b"other"))), answer.body)
        return answer

    def _whole(self, operation: Operation, key: str, asked: dict[str, Any], **more: Any) -> RawAnswer:
        return self._answer(self._body(operation, key, asked, **more))

    def _body(
        self,
        operation: Operation,
        key: str,
        asked: dict[str, Any],
        *,
        state: str = "",
        spoil: Callable[[Operation, dict[str, Any]], None] | None = None,
    ) -> bytes:
        body = copy.deepcopy(_example(f"{operation.name}.response"))
        payload: Any = body.get("data", body)
        payload[self.write.key or ""] = key
        fields = contract.struct(operation.result or "").by_wire
        for shown in self.write.shows:
            first, _, rest = shown.answered.partition(".")
            value: Any = asked
            for step in shown.asked.split("."):
                value = value.get(step) if isinstance(value, dict) else None
            if first in fields and value is not None:
                if rest:
                    payload.setdefault(first, {})[rest] = value
                else:
                    payload[first] = str(value)
        if state and "latestTransactionStatus" in fields:
            payload["latestTransactionStatus"] = state
        if spoil is not None:
            spoil(self.write, payload)
        return json.dumps(body).encode()

    def _coded(self, operation: Operation, code: str) -> RawAnswer:
        member = operation.succeeds[0] if operation.succeeds is not None else "code"
        return self._answer(
            json.dumps({member: code, "responseMessage" if member != "code" else "msg": "words"}).encode()
        )

    def _answer(self, body: bytes) -> RawAnswer:
        return RawAnswer(200, (*self._dated(), ("sign", self._sign(body))), body)

    def _dated(self) -> tuple[tuple[str, str], ...]:
        return (("date", format_datetime(self.clock.now(), usegmt=True)),)


def _unreadable(write: Operation, payload: dict[str, Any]) -> None:
    """All members but the key are of another type."""
    for name, value in payload.items():
        if name not in (write.key, "responseCode", "responseMessage"):
            payload[name] = "text" if isinstance(value, (dict, list)) else {"an": "object"}


def _keyless(write: Operation, payload: dict[str, Any]) -> None:
    """The answer leaves out the key that it was asked for."""
    assert write.resolution is not None
    payload.pop(write.resolution.by or "", None)


def _other(write: Operation, payload: dict[str, Any]) -> None:
    """Another amount than was asked for."""
    for shown in write.shows:
        if shown.number:
            first, _, rest = shown.answered.partition(".")
            if rest:
                payload.setdefault(first, {})[rest] = "99.99"
            else:
                payload[first] = "99.99"


class AwaitedGateway:
    """The same, awaited. An interrupt is a cancellation: it strikes while the answer is awaited."""

    def __init__(self, inner: TableGateway) -> None:
        self.inner = inner
        self.scope: anyio.CancelScope | None = None

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.AsyncTransport`."""
        request.reach(Phase.WAITING)
        try:
            return self.inner.send(request, deadline)
        except KeyboardInterrupt:
            assert self.scope is not None
            self.scope.cancel()
        await anyio.sleep_forever()
        raise AssertionError

    async def aclose(self) -> None:
        """Nothing is open."""
