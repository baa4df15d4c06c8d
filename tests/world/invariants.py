"""What must hold in every world, in words that a merchant understands. A newcomer adds a function here, and calls it below."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, Any

from paywright_audit import AuditSettings, Severity, audit_files
from paywright_runtime.signing.keys import load_public_key
from tests.audit.helpers.operators import ALL
from tests.world.scheduler import Violation

if TYPE_CHECKING:
    from tests.world.shop import Said
    from tests.world.world import World

__all__ = ["check_end", "check_step", "check_words"]


def check_words(world: World, said: Said) -> None:
    """Every yes and every no of a call was true when it was said."""
    there = {order.out_trade_no for order in world.orders()} | {one.out_refund_no for one in world.refunds()}
    if not said.error and said.key not in there:
        raise Violation(f"the call for {said.key} succeeded, and the gateway does not have it")
    if said.error and not said.may_have_moved and said.key in there:
        raise Violation(f"the call for {said.key} said that no money moved, and the gateway has it")


def check_step(world: World) -> None:
    """Nothing is booked that the gateway does not have, and nothing twice."""
    rows = world.rows("SELECT kind, number, state, amount FROM bookings")
    if len(rows) == world.counts["bookings"]:
        return
    world.counts["bookings"] = len(rows)
    twice = [row for row, times in Counter(row[:3] for row in rows).items() if times > 1]
    if twice:
        raise Violation(f"{twice[0]} was booked twice")
    truth = _truth(world)
    for kind, number, state, amount in rows:
        if (kind, number, state) not in truth:
            raise Violation(f"{kind} {number} was booked as {state}, and the gateway does not have it so")
        if Decimal(amount) != truth[kind, number, state]:
            raise Violation(
                f"{kind} {number} was booked with {amount}, and the gateway has {truth[kind, number, state]}"
            )


def check_end(world: World) -> None:
    """When all is over, nothing is open, nothing is forgotten, and all records agree."""
    _everything_ended(world)
    _no_payment_forgotten(world)
    _records_agree(world)
    _money_adds_up(world)
    if world.chance("an auditor looks", world.limits.audited):
        _nobody_is_accused(world)


def _everything_ended(world: World) -> None:
    if world.scheduler.programs:
        program = world.scheduler.programs[0]
        raise Violation(f"{program.name} never ends: it is at {program.at}")
    counts = world.worker.follower.counts()
    if counts["open"]:
        raise Violation(f"{next(world.worker.follower.open_items()).key} is still open")


def _no_payment_forgotten(world: World) -> None:
    booked = {row[:3] for row in world.rows("SELECT kind, number, state FROM bookings")}
    items = {item.key: item for item in world.worker.follower.items()}
    for kind, number, state in _truth(world):
        item = items.get(number)
        if item is None:
            raise Violation(f"{number} is at the gateway, and nobody follows it")
        if (
            not {(kind, number, state), (kind, number, "BOUNCEBACK")} & booked
        ):  # a return may come before what it returns
            raise Violation(f"{number} is {state} at the gateway, and was never booked so")


def _records_agree(world: World) -> None:
    last: dict[str, tuple[str, int]] = {}
    for number, state, was, paid in world.rows("SELECT number, state, was, paid FROM bookings ORDER BY rowid"):
        if number not in last or was is not None:
            last[number] = state, paid
    for item in world.worker.follower.items():
        known: Any = last.get(item.key)
        if item.status == "settled" and (known is None or (item.state, item.paid) != (known[0], bool(known[1]))):
            raise Violation(f"the record of {item.key} says {item.state}, and {known and known[0]} was booked")
        if item.effect is not None and known is not None and item.effect != known[0]:
            raise Violation(f"the record of {item.key} says that {item.effect} had its effect, and {known[0]} had it")


def _money_adds_up(world: World) -> None:
    """What the shop has booked is what the gateway owes it."""
    ours = Decimal(0)
    for kind, _, amount, was, paid in world.rows("SELECT kind, number, amount, was, paid FROM bookings"):
        if paid:
            ours += Decimal(amount) * (-1 if kind == "refunds" else 1)
        elif was == "SUCCESS":
            ours -= Decimal(amount)
    theirs = sum((Decimal(one.amount) for one in world.orders() if one.status == "SUCCESS"), Decimal(0))
    theirs -= sum((Decimal(one.amount) for one in world.refunds() if one.status == "REFUND_SUCCESS"), Decimal(0))
    if ours != theirs:
        raise Violation(f"the shop has booked {ours}, and the gateway owes it {theirs}")


def _nobody_is_accused(world: World) -> None:
    """The shop did nothing wrong, whatever became of what the gateway recorded, but for its clock."""
    names = sorted(ALL)
    name = names[world.pick_by(names)]
    records = [json.loads(line) for line in world.sandbox.log().splitlines()]
    capture = ALL[name]({"log.jsonl": [one for one in records if one["kind"] == "call"]}, Random(len(world.story)))
    files = []
    for file, some in capture.items():
        path = world.file.with_name(file)
        path.write_text("".join(json.dumps(one) + "\n" for one in some))
        files.append(path)
    keys = {
        f"{side}_keys": [load_public_key(world.folder / "keys" / f"{side}.pub")] for side in ("merchant", "gateway")
    }
    report = audit_files(files, AuditSettings(require=(), **keys))
    for group in report.groups:
        late = group.code == "request-skew" and (world.counts["wrong clocks"] or world.counts["late"])
        if group.severity is Severity.ERROR and not late:
            raise Violation(
                f"the audit of what was recorded ({name}) accuses {group.by}: {group.code} in {group.operation}"
            )


def _truth(world: World) -> dict[tuple[str, str, str], Decimal]:
    """Return every final state of the gateway with its amount."""
    truth: dict[tuple[str, str, str], Decimal] = {}
    for order in world.orders():
        if order.finished_at is not None:
            first = "SUCCESS" if order.bounced_at else order.status
            truth["orders", order.out_trade_no, first] = Decimal(order.amount)
            if order.bounced_at:
                truth["orders", order.out_trade_no, order.status] = Decimal(order.amount)
    for refund in world.refunds():
        if refund.finished_at is not None:
            truth["refunds", refund.out_refund_no, refund.status] = Decimal(refund.amount)
    return truth
