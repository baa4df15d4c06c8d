"""A gateway that answers each request by the truth, and once sends an earlier answer of the same connection again.

It sends one answer for each request, so that whatever is one too many stays behind, unseen until the next request: the
worst that a peer can do which repeats answers. A connection on which it has not sent the earlier answer is honest.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from inspect import isawaitable
from itertools import product
from typing import Any, NamedTuple

from paywright import Client, GatewayError, NoAnswer, OutcomeUnknown, RatePair, UnreadableAnswer
from paywright.aio import Client as AwaitedClient
from paywright.contract import CONTRACT
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, ORDER_FOUND
from tests.runtime.helpers.transport_servers import http, read_request

__all__ = ["KINDS", "Cell", "ShiftingGateway", "cells", "outcome_of", "question_of"]

KINDS = {
    "found": "orders.query", "absent": "orders.query", "refused": "orders.query", "rate": "rates.query",
    "tokens": "payment_tokens.list", "no tokens": "payment_tokens.list", "placed": "orders.checkout",
    "write refused": "orders.checkout",
}  # fmt: skip
"""Each kind of answer, and the operation that it answers."""


def question_of(client: Client | AwaitedClient, kind: str, key: str) -> Any:
    """Ask what such an answer answers; what an awaited client gives is to be awaited."""
    operation = KINDS[kind]
    if operation == "orders.query":
        return client.orders.query(out_trade_no=key)
    if operation == "orders.checkout":
        return client.orders.checkout(**ORDER | {"out_trade_no": key})
    if operation == "payment_tokens.list":
        return client.payment_tokens.list(user_id=key)
    pair = RatePair(side="BUY", target_currency="USD", transaction_currency="EUR")
    return client.rates.query(ccy_pair_list=[pair], product="PAY_IN", extra={"about": key})


async def outcome_of(client: Client | AwaitedClient, kind: str, key: str) -> str:
    """Ask, and say in a word how it ended; a number in it is that of the call whose answer was believed."""
    try:
        result = question_of(client, kind, key)
        result = await result if isawaitable(result) else result
    except GatewayError as error:
        return error.code
    except (NoAnswer, OutcomeUnknown, UnreadableAnswer) as error:
        return f"{type(error).__name__} {getattr(error, 'reason', '')}"
    operation = KINDS[kind]
    if operation == "orders.query":
        return f"found {result.reference}"
    if operation == "orders.checkout":
        return f"placed {result.trade_token}"
    if operation == "payment_tokens.list":
        return f"tokens {[token.payment_token_id for token in result.token_list or ()]}"
    return f"rate {result.currency_list[0].rate}"


def _truth(kind: str, key: str, number: int) -> tuple[dict[str, Any], str]:
    """The body that answers the call of that number truly, and the word for it."""
    if kind in ("absent", "refused", "write refused"):
        code = "ORDER_NOT_EXIST" if kind == "absent" else "PARAMS_INVALID"
        return {"code": code, "msg": "words"}, code
    if kind == "found":
        body, shown, word = ORDER_FOUND, {"outTradeNo": key, "reference": str(number)}, f"found {number}"
    elif kind == "placed":
        body, shown, word = ORDER_CREATED, {"outTradeNo": key, "tradeToken": str(number)}, f"placed {number}"
    elif kind == "rate":
        body = CONTRACT.example("rates.query.response")
        [rate] = body["data"]["currencyList"]
        shown, word = {"currencyList": [rate | {"rate": number}]}, f"rate {Decimal(number)}"
    else:
        body = CONTRACT.example("payment_tokens.list.response")
        [token] = body["data"]["tokenList"]
        tokens = [token | {"userId": key, "paymentTokenID": str(number)}] if kind == "tokens" else []
        shown, word = {"tokenList": tokens}, f"tokens {[str(number)] if tokens else []}"
    return {**body, "data": {**body["data"], **shown}}, word  # type: ignore[dict-item]  # data is an object in each


class Cell(NamedTuple):
    """What was answered before on the connection, and which of it comes once more when `asked` is asked.

    It comes before the true answer, or `instead` of it. With `same` the question is that of the repeated answer, asked anew;
    with `one_key` all that was asked before was one question.
    """

    history: tuple[str, ...]
    asked: str
    copied: int
    instead: bool
    same: bool
    one_key: bool = False

    @property
    def key(self) -> str:
        return self.key_of(self.copied) if self.same else "N"

    def key_of(self, number: int) -> str:
        """The key of what was asked before."""
        return "H" if self.one_key else f"H{number}"

    def may_end(self) -> set[str]:
        """How the call may end: with its own answer; with an older one to the same question, where that is true for good or a read.

        A write may end as unknown.
        """
        number, write = len(self.history), KINDS[self.asked] == "orders.checkout"
        allowed = {_truth(self.asked, self.key, number)[1]}
        if write:
            allowed |= {"OutcomeUnknown wrong_echo", "OutcomeUnknown surplus", "OutcomeUnknown foreign_code"}
        if self.same and (not write or self.history[self.copied] == "placed"):
            allowed.add(_truth(self.history[self.copied], self.key, self.copied)[1])
        return allowed


def cells(asked: str, length: int, before: Iterable[str] = KINDS) -> Iterator[Cell]:
    """Every cell in which this is asked after so many answers of the kinds `before`."""
    for history in product(before, repeat=length):
        alike = length > 1 and len({KINDS[kind] for kind in history}) == 1
        for copied, instead, same, one_key in product(range(length), *[(False, True)] * 3):
            if (alike or not one_key) and (not same or KINDS[history[copied]] == KINDS[asked]):
                yield Cell(history, asked, copied, instead, same, one_key)


class ShiftingGateway:
    """The script of a server. `cell` is what it plays; `call` counts the calls, whose true answers are of the kind `says`."""

    def __init__(self, sign: Callable[[bytes], str]) -> None:
        self._sign = sign
        self.cell = Cell((), "found", 0, False, False)
        self.call = 0
        self.says = "found"
        self.repeated = 0

    def __call__(self, peer: socket.socket) -> None:
        sent: dict[int, bytes] = {}
        queue: list[bytes] = []
        while (request := read_request(peer))[0]:
            own = self._own(json.loads(request[1])["data"])
            if self.call == len(self.cell.history) and self.cell.copied in sent:
                self.repeated += 1
                queue.append(sent[self.cell.copied])
                if self.cell.instead:
                    own = b""
            sent[self.call] = own
            queue += [own] if own else []
            peer.sendall(queue.pop(0))

    async def visit(self, client: Client | AwaitedClient, cell: Cell) -> dict[str, set[str]]:
        """Play a cell; return each outcome that is not allowed, with what is. Afterwards a write and a read are as they should be."""
        self.cell, self.call = cell, 0
        length = len(cell.history)
        turns = [(kind, cell.key_of(number)) for number, kind in enumerate(cell.history)]
        turns += [(cell.asked, cell.key), ("placed", "Z1"), ("found", "Z2"), ("placed", "Z3")]
        wrong: dict[str, set[str]] = {}
        for self.call, (self.says, key) in enumerate(turns):
            outcome = await outcome_of(client, self.says, key)
            if self.call == length:
                allowed = cell.may_end()
            else:
                allowed = {_truth(self.says, key, self.call)[1]}
                if self.call > length and self.says == "placed":
                    allowed |= {"OutcomeUnknown wrong_echo", "OutcomeUnknown surplus"}
            if outcome not in allowed:
                wrong[f"{cell}: {self.says} {key} ended as {outcome}"] = allowed
        return wrong

    def _own(self, data: dict[str, Any]) -> bytes:
        key = data.get("outTradeNo") or data.get("userId") or data.get("about") or ""
        body = json.dumps(_truth(self.says, key, self.call)[0]).encode()
        return http(body, "200 OK", f"sign: {self._sign(body)}")
