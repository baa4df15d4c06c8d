"""What must hold in every world, in words that a merchant understands. A newcomer adds a function here, and calls it below."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from paywright_audit import Severity
from tests.audit.helpers.operators import ALL
from tests.world.captures import POINTS
from tests.world.scheduler import Violation

if TYPE_CHECKING:
    from tests.world.shop import Said, Shop
    from tests.world.world import World

__all__ = ["check_end", "check_permission", "check_step", "check_words"]


def check_words(world: World, shop: Shop, said: Said) -> None:
    """Every yes and every no of a call was true when it was said."""
    there = world.gateway.has(shop.app_id, said.key)
    if not said.error and not there:
        raise Violation(f"the call for {said.key} succeeded, and the gateway does not have it")
    there = there or any(program.name == shop.late(said.key) for program in world.scheduler.programs)
    maker = world.gateway.placed_by.get((shop.app_id, said.key))
    if maker is not None and maker is not world.scheduler.current() and maker.name != shop.late(said.key):
        return  # two people were permitted to place it, and the other's call did
    if said.error and not said.may_have_moved and there and not world.counts["careless"]:
        raise Violation(f"the call for {said.key} said that no money moved, and the gateway has it")


def check_permission(world: World, shop: Shop, number: str) -> None:
    """An order may be placed again after two "not there" that are five minutes apart, the second of them of late [4.3]."""
    now, heard = world.scheduler.elapsed, world.absences.get((shop.app_id, number), ())
    if not any(asked - answered >= 300 and now - later < 300 for _, answered in heard for asked, later in heard):
        raise Violation(
            f"{number} may be placed again, and nobody has asked twice, five minutes apart, whether it is there"
        )


def check_step(world: World) -> None:
    """Nothing is booked that the gateway does not have, and nothing twice."""
    rows = _bookings(world)
    if len(rows) == world.counts["bookings"]:
        return
    world.counts["bookings"] = len(rows)
    twice = [row for row, times in Counter(row[:4] for row in rows).items() if times > 1]
    if twice:
        raise Violation(f"{' '.join(twice[0][1:])} was booked twice")
    truth = world.gateway.truth()
    for app, kind, number, state, amount, _, paid in rows:
        fact = next((one for one in truth.get((app, kind, number), ()) if one.state == state), None)
        if fact is None:
            raise Violation(f"{kind} {number} was booked as {state}, and the gateway does not have it so")
        if Decimal(amount) != fact.amount:
            raise Violation(f"{kind} {number} was booked with {amount}, and the gateway has {fact.amount}")
        if bool(paid) != fact.paid:
            raise Violation(
                f"{kind} {number} was booked as {'' if paid else 'not '}paid, and the gateway says otherwise"
            )


def check_end(world: World) -> None:
    """When all is over, nothing is open, nothing is forgotten, and all records agree."""
    _everything_ended(world)
    _no_payment_forgotten(world)
    _records_agree(world)
    _money_adds_up(world)
    _bills_are_paid_by_consent(world)
    if world.captures.wanted:
        _the_audit_is_just(world)


def _everything_ended(world: World) -> None:
    if world.scheduler.programs:
        program = world.scheduler.programs[0]
        raise Violation(f"{program.name} never ends: it is at {program.at}")
    for shop in world.shops:
        for item in shop.worker.follower.open_items():
            if item.id.kind != "subscriptions":  # a plan has no end
                raise Violation(f"{item.key} is still open")


def _no_payment_forgotten(world: World) -> None:
    booked: dict[tuple[str, str, str], set[str]] = {}
    for app, kind, number, state, *_ in _bookings(world):
        booked.setdefault((app, kind, number), set()).add(state)
    followed = {
        (item.id.app_id, item.id.kind, item.key) for shop in world.shops for item in shop.worker.follower.items()
    }
    closed = {number for shop in world.shops for number in shop.closed}
    twice = {(shop.app_id, number) for shop in world.shops for number in shop.twice}
    for (app, kind, number), facts in world.gateway.truth().items():
        if not facts[-1].ours or (app, number) in twice:
            continue
        if kind != "periods" and (app, kind, number) not in followed:
            raise Violation(f"{number} is at the gateway, and nobody follows it")
        if number in closed and not any(fact.paid for fact in facts):
            continue  # closed by hand, and no money: nobody is told
        states = [fact.state for fact in facts]
        if states[-1] not in booked.get((app, kind, number), set()):
            raise Violation(f"{number} is {states[-1]} at the gateway, and was never booked so")


def _records_agree(world: World) -> None:
    last: dict[tuple[str, ...], tuple[str, int]] = {}
    for app, kind, number, state, _, was, paid in _bookings(world):
        if (app, kind, number) not in last or was is not None:
            last[app, kind, number] = state, paid
    for item in (item for shop in world.shops for item in shop.worker.follower.items()):
        known: Any = last.get((item.id.app_id, item.id.kind, item.key))
        booked = item.status == "settled" or (item.status == "closed" and known is not None)
        if (
            booked
            and item.id.kind != "subscriptions"
            and (known is None or (item.state, item.paid) != (known[0], bool(known[1])))
        ):
            raise Violation(f"the record of {item.key} says {item.state}, and {known and known[0]} was booked")
        if item.effect is not None and known is not None and item.effect != known[0]:
            raise Violation(f"the record of {item.key} says that {item.effect} had its effect, and {known[0]} had it")


def _money_adds_up(world: World) -> None:
    """What the shops have booked is what the gateway owes them. What a clerk sent twice, or somebody paid through a link, is counted there."""
    ours = theirs = Decimal(0)
    left_out = {(shop.app_id, number) for shop in world.shops for number in shop.twice}
    for (app, kind, number), facts in world.gateway.truth().items():
        if not facts[-1].ours:
            left_out.add((app, number))
        elif facts[-1].paid and (app, number) not in left_out:
            theirs += facts[-1].amount * (-1 if kind == "refunds" else 1)
    for app, kind, number, _, amount, was, paid in _bookings(world):
        if (app, number) not in left_out and paid:
            ours += Decimal(amount) * (-1 if kind == "refunds" else 1)
        elif (app, number) not in left_out and was == "SUCCESS":
            ours -= Decimal(amount)
    if ours != theirs:
        raise Violation(f"the shops have booked {ours}, and the gateway owes them {theirs}")


def _bills_are_paid_by_consent(world: World) -> None:
    """Only the bill that the shop knows is paid, and once."""
    paid = [(app, reference, amount) for app, reference, amount, status in world.gateway.bills if status == "PAID"]
    for _, reference, amount in paid:
        if reference != "BILL_1" or amount != Decimal("70.00"):
            raise Violation(f"{amount} was paid for {reference}, which the shop does not know")


_BY_CONTRADICTION = {"state-moved-back", "notification-disagrees", "amount-not-asked", "final-state-left"}
_BY_CLERK = {"placed-again", "key-reused"}
_BY_STRANGER = {*_BY_CONTRADICTION, "refund-exceeds-paid", "placed-again"}
_ACROSS = {*_BY_STRANGER, *_BY_CLERK, "key-changed", "refund-currency", "refund-too-late"}
"""What the audit finds in several exchanges; a stranger's answer is a fault of its own exchange alone."""
_UNPROVEN = {"parsed", "seen parsed", "keys masked", "masked", "seen masked"}
"""After these a stranger's answer may be the gateway's: its signature cannot be verified."""


def _the_audit_is_just(world: World) -> None:
    """Nobody is accused who did nothing wrong, whatever became of what was recorded, and a clerk who did is found where that is left."""
    counts, names, points = world.counts, sorted(ALL), list(POINTS)
    just = _BY_CLERK if counts["careless"] else set()
    contradicted = ("stale", "paid after all", "false amounts", "old absences")
    just = just | (_BY_CONTRADICTION if any(counts[what] for what in contradicted) else set())
    just = just | ({"request-skew"} if counts["wrong clocks"] or counts["late"] else set())
    # By a clock that is wrong for a year, what was sent first is the last.
    just = just | (_BY_CLERK if counts["old absences"] or counts["asked by hand"] or counts["wrong years"] else set())
    for _ in range(world.limits.audits):
        where, name = points[world.pick_by(points)], names[world.pick_by(names)]
        unproven, forgiven = name in _UNPROVEN, set(just)
        if counts["harms"] and unproven:
            forgiven |= _BY_STRANGER
        if counts["wrong years"] and unproven:  # the refusal of a query, which shows the wrong clock, proves nothing
            forgiven |= {"refund-too-late"}
        if counts["wrong clocks"] and name == "times lost":  # the wrong clock's time alone is left
            forgiven |= _BY_CLERK | _BY_CONTRADICTION
        found = set()
        for group in world.captures.audited(where, name, world.folder).groups:
            if group.severity is not Severity.ERROR:
                continue
            found.add(group.code)
            alone = group.code not in _ACROSS and counts["harms"]
            if group.code not in forgiven and not alone:
                raise Violation(f"the audit of {where} ({name}) accuses {group.by}: {group.code} in {group.operation}")
        if (
            counts["placed twice"]
            and where != "the shop's points"
            and name in ("nothing", "in another order")
            and not found & _BY_CLERK
        ):
            raise Violation(f"the audit of {where} ({name}) does not find the clerk who placed an order twice")


def _bookings(world: World) -> list[Any]:
    """Return what all shops have booked: app id, kind, number, state, amount, what was before, and whether it is paid."""
    databases = {id(shop.database): shop for shop in world.shops}
    wanted = "SELECT app, kind, number, state, amount, was, paid FROM bookings ORDER BY rowid"
    return [row for shop in databases.values() for row in shop.rows(wanted)]
