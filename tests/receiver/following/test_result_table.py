"""Every cell of the table of results, on every ledger: what a crash leaves is taken up by another process, with the same end."""

from __future__ import annotations

import hmac
import sqlite3
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from itertools import combinations
from typing import Any

import pytest

from paywright import (
    Client,
    Event,
    FixedClock,
    InvalidArgument,
    ItemResult,
    Merchant,
    Receiver,
    VerifiedBytes,
    contract,
)
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.items.ledger import ClaimRequest
from paywright_receiver.ledgers.sql.sql_ledger import Claim
from paywright_runtime import strict_json
from paywright_runtime.signing.rsa import _MADE_BY_A_VERIFIER, SignatureProblem
from paywright_runtime.transport.api import RawAnswer, SignedRequest
from tests.receiver.helpers.desk import APP, cells_on, written
from tests.receiver.helpers.result_table import VERDICTS, Cell, cells, expected, verdict_of
from tests.support.pairs import Choose, by_pairs, every

_SECRET = b"what this test signs with: RSA is tested elsewhere, and takes longer than all the rest"
_AT = "https://gateway.example"


class Secret:
    """Signs and verifies."""

    def sign(self, body: bytes, /) -> str:
        return b64encode(hmac.new(_SECRET, body, sha256).digest() * 8).decode()  # as long as one of RSA

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        if not hmac.compare_digest(self.sign(body), signature):
            raise SignatureProblem("mismatch")
        return VerifiedBytes(body, "test", _MADE_BY_A_VERIFIER)


class Died(BaseException):
    """The process is gone: nothing that it would do afterwards is done."""


class DyingClaim:
    def __init__(self, inner: Claim, seam: list[str]) -> None:
        self._inner = inner
        self._seam = seam

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def complete(self, also: Callable[[object], object] | None = None) -> None:
        _die(self._seam, "after the handler")
        self._inner.complete(also)
        _die(self._seam, "after the commit")

    def release(self, status: Any, why: str) -> None:
        if self._seam == ["dead"]:
            _cut_off(self._inner)
        else:
            self._inner.release(status, why)


class DyingBook:
    def __init__(self, inner: Any, seam: list[str]) -> None:
        self._inner = inner
        self._seam = seam

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def take(self, *place: Any, **more: Any) -> Any:
        lease = self._inner.take(*place, **more)
        if lease is not None:
            _die(self._seam, "after the lease")
        return lease


class DyingLedger:
    """A ledger whose process dies at a seam, once."""

    def __init__(self, inner: Any, seam: list[str]) -> None:
        self._inner = inner
        self._seam = seam
        self.book = DyingBook(inner.book, seam)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def acquire(self, request: ClaimRequest, /) -> Any:
        _die(self._seam, "before the claim")
        claim = self._inner.acquire(request)
        if isinstance(claim, str):
            return claim
        _die(self._seam, "after the claim")
        return DyingClaim(claim, self._seam)


def _die(seam: list[str], here: str) -> None:
    if seam == [here]:
        seam[:] = ["dead"]
        raise Died


def _cut_off(claim: Any) -> None:
    """End the connection of a process that died, as its operating system does: what was not committed is undone."""
    if hasattr(claim, "_end"):
        claim._end()


class Gateway:
    """Carries requests, and answers with what it shows."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, str]] = {}

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        asked = strict_json.parse(request.body)
        number = asked["data"]["outTradeNo"]  # type: ignore[call-overload, index]  # every question has it
        if str(number) not in self.shown:  # of another cell, and due once more
            raise ConnectionError
        state, amount = self.shown[str(number)]
        body: Any = contract.example("orders.query.response")
        body["data"] |= {"outTradeNo": number, "status": state, "trade": {"amount": amount, "currency": "USD"}}
        raw = strict_json.write(body)
        return RawAnswer(200, [("sign", Secret().sign(raw))], raw)

    def close(self) -> None:
        pass


class World:
    """A ledger, its database, and processes that come and go."""

    def __init__(self, ledger: Any, clock: FixedClock, passing: Callable[[float], object]) -> None:
        self.ledger = ledger
        self.clock = clock
        self.passes = passing
        self.gateway = Gateway()
        self.start([])

    def start(self, seam: list[str]) -> None:
        """Start a process that dies at a seam."""
        ledger: Any = DyingLedger(self.ledger, seam)
        secret = Secret()
        merchant = Merchant(app_id=APP, private_key=secret, gateway_keys=secret)
        self.client = Client(base_url=_AT, merchant=merchant, clock=self.clock, transport=self.gateway, retries=0)
        self.receiver = Receiver(app_id=APP, gateway_keys=secret, ledger=ledger, clock=self.clock)
        self.receiver.on_result("orders")(self.handle)
        self.follower = Follower(self.client, ledger, receiver=self.receiver)

    def handle(self, event: Event[ItemResult]) -> None:
        one = event.data
        told = str(one.state) + (" of 11" if one.amount == 11 else "")
        into = (
            "effects VALUES (?, ?)"
            if isinstance(self.ledger, SqliteLedger)
            else f"{self.ledger._schema}.effects VALUES (%s, %s)"
        )
        event.transaction.execute(f"INSERT INTO {into}", (one.key, told))

    def notify(self, number: str, told: str, kind: str | None = None) -> str:
        state, _, amount = told.partition(" of ")
        data = {"outTradeNo": number, "status": kind or state, "totalAmount": amount or "10", "currency": "USD"}
        root = {
            "code": "APPLY_SUCCESS", "msg": "", "keyVersion": "1", "appId": APP,
            "notifyTime": written(self.clock.now()),
        }  # fmt: skip
        raw = strict_json.write({**root, "notifyType": "PAYMENT", "data": data})  # type: ignore[arg-type]  # JSON
        return self.receiver.receive(raw, {"sign": Secret().sign(raw)}).outcome

    def inquire(self, number: str, told: str) -> None:
        """Have the item asked about until nothing is due soon."""
        state, _, amount = told.partition(" of ")
        self.gateway.shown[number] = (state, amount or "10")
        if self.follower.get("orders", number).due_at is None:  # type: ignore[union-attr]  # it is registered
            self.notify(number, told, "HELD")  # which is not listed, and has it asked about
        for _ in range(4):
            due = self.follower.get("orders", number).due_at  # type: ignore[union-attr]  # it is registered
            if due is None or (due - self.clock.now()).total_seconds() > 7200:
                return
            self.passes(max(0.0, (due - self.clock.now()).total_seconds()))
            self.follower.run_due(10_000)

    def tell(self, number: str, told: str, way: str) -> None:
        if way == "inquiry":
            self.inquire(number, told)
        else:
            self.notify(number, told)


def play(world: World, number: str, cell: Cell) -> None:
    world.start([])
    if cell.item != "unknown to the book":
        world.follower.open(None, world.client.orders.follow(number))
    if cell.item == "closed":
        world.follower.close("orders", number, "seen")
    world.tell(number, cell.first, cell.first_way)
    seam = [cell.seam]
    world.start(seam)
    with suppress(Died):
        world.tell(number, cell.next, cell.next_way)
    if seam == ["dead"]:
        world.start([])  # another process goes on, when the leases have ended
        world.passes(200)
        world.tell(number, cell.next, cell.next_way)


def check(world: World, number: str, cell: Cell, effects: list[str]) -> None:
    wanted = expected(cell)
    assert tuple(effects) == wanted.effects, cell
    entries = [entry for entry in world.ledger.list(most=100_000) if f"/{number.lower()}/" in entry.key.lower()]
    assert sum(entry.status == "conflict" for entry in entries) == wanted.conflicts, (cell, entries)
    assert {entry.status for entry in entries} <= {"done", "conflict", "stale"}, (cell, entries)
    item = world.follower.get("orders", number)
    if wanted.item is None:
        assert item is None
    else:
        assert item is not None
        state, status, decides = wanted.item
        # What nobody asked about, and no last state was told of, is not known.
        shown = item.state if item.state is not None or state != "PENDING" else "PENDING"
        if not decides:
            assert (shown, item.status, item.step == "decide") == (state, status, False), (cell, item)
        else:
            assert (item.step, "contradict" in item.why) == ("decide", True), (cell, item)


@pytest.fixture(scope="module")
def world(ledger_of_cells: Any) -> World:
    ledger, *_ = ledger_of_cells
    made = "CREATE TABLE {}effects (number TEXT, told TEXT)"
    if isinstance(ledger, SqliteLedger):
        with closing(sqlite3.connect(ledger._path)) as db:
            db.execute(made.format(""))
    else:
        ledger._server.ask(made.format(f"{ledger._schema}."))
    return World(*ledger_of_cells)


@cells_on("ledger_of_cells")
def test_a_cell_is_as_the_table_says(world: World, choose: Choose, record_property: Any) -> None:
    count = 0
    for count, cell in enumerate(choose(cells(), lambda cell: (*cell, verdict_of(cell.first, cell.next))), 1):
        number = f"N{count}"
        play(world, number, cell)
        check(world, number, cell, _effects(world, number))
        if world.follower.get("orders", number) is not None:
            with suppress(InvalidArgument):
                world.follower.close("orders", number, "the cell has ended")  # the next one is asked about alone
    record_property("counts", f"{count:>8,}  cells of the table of results")
    assert count == (800 if choose is every else 80)


def test_the_part_that_is_visited_has_every_two_members_that_stand_together() -> None:
    def pairs(some: list[Cell]) -> set[object]:
        return {pair for cell in some for pair in combinations(enumerate(cell), 2)}

    part = by_pairs(cells(), tuple, share=800)
    assert pairs(part) == pairs(list(cells()))
    assert len(part) < 80
    assert part == by_pairs(cells(), tuple, share=800)


def _effects(world: World, number: str) -> list[str]:
    if isinstance(world.ledger, SqliteLedger):
        with world.ledger._reading() as db:
            return [
                told for (told,) in db.execute("SELECT told FROM effects WHERE number = ? ORDER BY rowid", (number,))
            ]
    ledger = world.ledger
    asked = f"SELECT told FROM {ledger._schema}.effects WHERE number = '{number}'"
    return [str(told) for (told,) in ledger._server.ask(asked)]


def test_every_row_of_the_table_is_needed() -> None:
    used = {verdict_of(cell.first, cell.next) for cell in cells()}
    assert used == set(VERDICTS)
