"""Every cell of the receiver's table, on every ledger, through `Receiver.receive`."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from paywright import Event, InvalidArgument, Ledger, Receiver, VerifiedBytes
from paywright_receiver import MemoryLedger, in_one_transaction
from paywright_receiver.items.ledger import ClaimRequest, Entry
from paywright_receiver.items.state_order import StateOrder
from paywright_receiver.ledgers.sql.sql_ledger import Claim
from paywright_receiver.webhooks.reply import DeliveryEvent
from paywright_runtime.signing.rsa import _MADE_BY_A_VERIFIER, SignatureProblem
from tests.receiver.helpers.delivery_table import (
    ANSWERS,
    CHANGES,
    HANDLERS,
    PLACES,
    STATUSES,
    VERDICTS,
    Cell,
    answer_of,
    cells,
    change_of,
    impossible,
    verdict_of,
)
from tests.receiver.helpers.desk import APP, MERCHANT, NOW, cells_on, transfer
from tests.support.pairs import Choose

if TYPE_CHECKING:
    from tests.receiver.helpers.mariadb_server import Server as MariaServer
    from tests.receiver.helpers.postgres_server import Server

_SECRET = b"what this test signs with: RSA is tested elsewhere, and takes longer than all the rest"
_DAY = 86_400_000_000


class Verifier:
    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        if not hmac.compare_digest(sign(body), signature):
            raise SignatureProblem("mismatch")
        return VerifiedBytes(body, "test", _MADE_BY_A_VERIFIER)


def sign(body: bytes) -> str:
    return hmac.new(_SECRET, body, sha256).hexdigest()


class Wall:
    """A clock on the wall, which may be put forward and back."""

    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        raise AssertionError("leases go by the wall")

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody waits")


class Told(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Bench:
    """A ledger, and receivers with every handler and choice over it. `shift` moves the ledger's clock."""

    def __init__(self, ledger: Ledger, wall: Wall, shift: Callable[[timedelta], None]) -> None:
        self.ledger = ledger
        self.wall = wall
        self.shift = shift
        self.number = 0
        self.effects: list[str] = []
        self.events: list[DeliveryEvent] = []
        self.told = Told()
        self._receivers: dict[tuple[str, str, str], Receiver] = {}

    def receiver(self, handler: str, choice: str, kind: str = "claimed before") -> Receiver:
        found = self._receivers.get((handler, choice, kind))
        if found is None:
            wall = Wall()  # of freshness: it stands still
            declared: Any = in_one_transaction if kind == "in one transaction" else lambda handler: handler
            found = self._receivers[handler, choice, kind] = Receiver(
                app_id=APP, merchant_no=MERCHANT,
                gateway_keys=Verifier(),
                ledger=self.ledger, clock=wall, conflicts="acknowledge" if choice == "acknowledge" else "refuse",
                hook=self.events.append,
            )  # fmt: skip
            if handler != "none":
                found.on_receive(declared(self._raise if handler == "raises" else self._note))
            if choice.startswith("on_conflict"):
                found.on_conflict(declared(self._raise if choice.endswith("raises") else self._reconcile))
        return found

    def _note(self, event: Event[Any]) -> None:
        assert event.conflict is None
        self.effects.append(event.key)

    def _reconcile(self, event: Event[Any]) -> None:
        assert event.conflict is not None
        assert event.conflict.key.startswith(event.key.rpartition("/")[0])
        self.effects.append(event.key)

    def _raise(self, event: Event[Any]) -> None:
        raise RuntimeError

    def entries(self, key: str) -> list[Entry]:
        return list(self.ledger.list(key=key))


def always(order: StateOrder) -> Callable[[str | None], StateOrder]:
    return lambda state: order


class Case:
    """One cell, set up: what its notification is, and what the ledger has of it."""

    def __init__(self, bench: Bench, cell: Cell) -> None:
        self.bench = bench
        self.cell = cell
        bench.number += 1
        self.state, self.there = PLACES[cell.place]
        number = f"R{bench.number}"
        self.subject = f"{APP}/RECEIVE/{number}"
        self.key = f"{self.subject}/{self.state}"
        body = transfer(number, self.state)
        if cell.handler == "unreadable":
            del body["data"]["paymentDetail"]
        self.raw = json.dumps(body).encode()
        receiving = bench.receiver("there", "refuse")._processor
        delivery = receiving._verifier.delivery(self.raw, receiving._verifier.parse(self.raw), "RECEIVE", NOW, None)
        self.digest = delivery.fingerprint()
        self.time = (NOW - datetime.fromtimestamp(0, NOW.tzinfo)) // timedelta(microseconds=1)
        self.busy: Claim | None = None
        self.live: Claim | None = None
        self.effect_was = False
        self.set_up()

    def request(self, key: str, state: str | None, **more: Any) -> ClaimRequest:
        """What another delivery claimed, whatever the contract says of its state."""
        digest = more.pop("digest", "f" * 64)
        given = {"order": always(StateOrder(ends=True)), "lease": 60_000_000, "notify_time": self.time, **more}
        return ClaimRequest(key, self.subject, "RECEIVE", state, raw=self.raw, digest=digest, keep=_DAY, **given)

    def granted(self, request: ClaimRequest) -> Claim:
        claim = self.bench.ledger.acquire(request)
        assert not isinstance(claim, str), claim
        return claim

    def moved(self, state: str) -> None:
        """The subject has come to a state."""
        newer = self.cell.time == "newer"
        time = self.time + (2_000_000 if newer else -2_000_000)
        digest = self.digest if self.cell.place == "the same state" else "0" * 64
        self.granted(self.request(f"{self.subject}/there", state, notify_time=time, digest=digest)).complete()
        self.bench.ledger.list(key=f"{self.subject}/there")

    def set_up(self) -> None:
        cell, ledger = self.cell, self.bench.ledger
        status = cell.status.removeprefix("beside: ") if cell.status.startswith("beside") else cell.status
        same = cell.content == "same"
        time = self.time + {"newer": -1_000_000, "older": 1_000_000}.get(cell.content, 0)  # of what is there
        own = self.request(self.key, self.state, digest=self.digest if same else "f" * 64, notify_time=time)
        if cell.status.startswith("beside") or status == "done":
            self.granted(own).complete()
        if status in ("stale", "conflict") and not cell.status.startswith("beside"):
            self.granted(self.request(f"{self.subject}/first", "FIRST")).complete()
            first = frozenset({"FIRST"})
            own.order = always(StateOrder(later=first) if status == "stale" else StateOrder(excluded=first))
            assert ledger.acquire(own) == status
        if status in ("failed", "unhandled", "unreadable"):
            self.granted(own).release(status, "for the table")  # type: ignore[arg-type]  # a word of `Status`
        done = cell.status == "done" or cell.status.startswith("beside")
        if self.there is not None and not (done and self.there == self.state):
            self.moved(self.there)
        if status.startswith("claim"):
            own.state = None  # whatever its subject has come to
        if cell.status.startswith("beside"):
            other = self.digest if cell.content == "beside" else "e" * 64
            self.make_beside(status, other)
        elif status == "claimed":
            self.live = self.granted(own)
        elif status == "claim expired":
            own.lease = -1
            self.granted(own)
        elif status == "claim from the future":
            own.lease = 10 * _DAY
            self.bench.shift(timedelta(days=1))
            self.granted(own)
            self.bench.shift(timedelta(days=-1))
        if cell.busy == "yes":
            self.busy = self.granted(self.request(f"{self.subject}/busy", "BUSY"))

    def make_beside(self, status: str, digest: str) -> None:
        beside = self.request(self.key, self.state, digest=digest, reconciles=True)
        if status == "claim expired":
            beside.lease = -1
        if status.startswith("claim"):
            claim = self.granted(beside)
            assert claim.conflict is not None
            return
        beside.reconciles = False
        assert self.bench.ledger.acquire(beside) == "conflict"
        if status == "discarded":
            assert self.bench.ledger.discard(self.key, digest)

    def deliver(self) -> Any:
        handler = "there" if self.cell.handler == "unreadable" else self.cell.handler
        return self.bench.receiver(handler, self.cell.choice, self.cell.kind).receive(
            self.raw, {"sign": sign(self.raw)}
        )

    def kept(self) -> set[tuple[str, str]]:
        """What is there: digests with their statuses. A lost claim and a conflict may have the same content."""
        return {(entry.digest, entry.status) for entry in self.bench.entries(self.key)}

    def end(self) -> None:
        for claim in (self.busy, self.live):
            if claim is not None:
                claim.release("failed", "the table goes on")


def visit(bench: Bench, cell: Cell) -> None:
    """What the table says of the cell is so."""
    case = Case(bench, cell)
    row, verdict = answer_of(cell), verdict_of(cell).verdict
    before = case.kept()
    bench.effects.clear(), bench.events.clear(), bench.told.lines.clear()  # a line each would hide the point
    reply = case.deliver()
    assert (reply.outcome, reply.acknowledged) == (row.outcome, row.acknowledged)
    assert bench.effects == ([case.key] if row.effect else [])
    assert reply.key == case.key
    after = case.kept()
    if row.kept is None:
        assert after == before
    else:
        assert (case.digest, row.kept) in after
        # What was there stays, except a record without an effect, whose place it takes.
        replaced = verdict in ("handle", "stale", "contradiction")
        assert dict(before).keys() <= dict(after).keys() or (replaced and len(after) == 1)
    (event,) = bench.events
    assert (event.outcome, event.acknowledged, event.key, event.kind) == (
        row.outcome, row.acknowledged, case.key, "RECEIVE",
    )  # fmt: skip
    told = bool(bench.told.lines)
    if row.acknowledged:
        # The effect is there, was there, or it is kept as one that somebody was told of.
        was = verdict in ("duplicate", "stale") and (
            "done" in {status for _, status in before} or case.there is not None
        )
        assert row.effect or was or ((case.digest, "conflict") in after and told)
    if not row.acknowledged or verdict in ("contradiction", "other content"):
        assert told
    if row.effect:
        assert case.deliver().outcome == "duplicate"
        assert bench.effects == [case.key]
    case.end()


# Ledgers


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.full)])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    wall = Wall()

    def shift(by: timedelta) -> None:
        wall.time += by

    if request.param == "sqlite":  # in memory: what a disk takes says nothing about the table
        yield from listening(Bench(MemoryLedger(clock=wall), wall, shift))
    else:
        server: Server | MariaServer = request.getfixturevalue(request.param)
        timed = server.ledger(f"deliveries_{uuid4().hex[:12]}")
        timed.prepare()  # the table is looked at before the first delivery, and a look makes nothing
        yield from listening(Bench(timed, wall, timed.pass_time))


def listening(bench: Bench) -> Iterator[Bench]:
    log = logging.getLogger("paywright.receiver")
    log.addHandler(bench.told)
    yield bench
    log.removeHandler(bench.told)


# The tables

ALL = list(cells())


@cache
def chosen(choose: Choose) -> list[Cell]:
    return choose(ALL, lambda cell: (*cell, verdict_of(cell).verdict, id(answer_of(cell))))


@pytest.mark.parametrize("status", STATUSES)
@cells_on("bench")
def test_a_cell_is_as_the_table_says(bench: Bench, choose: Choose, status: str, record_property: Any) -> None:
    visited = [cell for cell in chosen(choose) if cell.status == status]
    for cell in visited:
        try:
            visit(bench, cell)
        except AssertionError as wrong:
            raise AssertionError(f"{cell}: the table says {answer_of(cell)}") from wrong
    record_property("count: cells of the receiver's table", len(visited))


def test_every_row_of_the_tables_is_needed() -> None:
    assert {id(verdict_of(cell)) for cell in ALL} == {id(row) for row in VERDICTS}
    assert {id(answer_of(cell)) for cell in ALL} == {id(row) for row in ANSWERS}
    assert len(ALL) > 10_000
    left_out = product(STATUSES, ["same"], PLACES, ["older"], HANDLERS, ["no"], ["refuse"])
    assert any(impossible(Cell(*members)) for members in left_out)


@pytest.mark.parametrize("act", sorted({row.act for row in CHANGES}))
def test_what_is_done_by_hand_changes_what_the_table_says(bench: Bench, act: str) -> None:
    for status, choice, content in product(STATUSES, ("refuse", "acknowledge"), ("same", "newer", "older")):
        cell = Cell(status, content, NATURAL.get(status, "a state that is not listed"), "older", "there", "no", choice)
        if status.startswith("beside") or impossible(cell) is not None or (act == "replay" and content != "same"):
            continue  # what is replayed has the content that is kept
        change_by_hand(bench, act, cell)


NATURAL = {"done": "the same state", "stale": "a later state", "conflict": "an end that contradicts"}


def change_by_hand(bench: Bench, act: str, cell: Cell) -> None:
    case, row = Case(bench, cell), change_of(act, cell.status)
    before = case.kept()
    changed = done_by_hand(bench, act, case)
    after = {(entry.digest, entry.status) for entry in bench.entries(case.key) if entry.own}
    if row.after is None:
        assert changed is False, cell
        assert after == before, cell
        return
    assert changed is True, cell
    digest = case.digest if cell.content == "same" else "f" * 64
    assert after == (set() if row.after == "none" else {(digest, row.after)}), cell
    # From there on it is a cell of the table like any other.
    moved = row.after == "done" and cell.status != "conflict"
    other = row.after == "none" and cell.status == "done" and cell.content != "same"
    place = "the same state, other content" if other else "the same state" if moved else cell.place
    then = cell._replace(status=row.after, content="same" if row.after == "none" else cell.content, place=place)
    bench.told.lines.clear()
    reply, wanted = case.deliver(), answer_of(then)
    assert (reply.outcome, reply.acknowledged) == (wanted.outcome, wanted.acknowledged), (cell, then)
    case.end()


def done_by_hand(bench: Bench, act: str, case: Case) -> bool:
    ledger = bench.ledger
    if act == "discard":
        return ledger.discard(case.key)
    if act == "release":
        return ledger.release(case.key)
    if act == "replay":
        try:
            reply = bench.receiver("there", case.cell.choice).replay(case.key)
        except InvalidArgument:
            return False
        return reply.outcome == "handled"
    if act == "prune later":
        bench.shift(timedelta(days=9))
        now = bench.wall.time if not hasattr(ledger, "pass_time") else datetime.now(NOW.tzinfo)
        gone = case.key not in left(bench, case, now)
        bench.shift(timedelta(days=-9))
        return gone and case.cell.status != "none"
    now = bench.wall.time if not hasattr(ledger, "pass_time") else datetime.now(NOW.tzinfo)
    return case.key not in left(bench, case, now + timedelta(seconds=1)) and case.cell.status != "none"


def left(bench: Bench, case: Case, before: datetime) -> set[str]:
    bench.ledger.prune(before)
    return {entry.key for entry in bench.entries(case.key)}
