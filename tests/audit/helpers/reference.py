"""The rules across exchanges of a complete capture written down a second time: plainly, slowly, from the tables of docs/audit.md,
over events as drawn, of which none is lost.

It shares no code with what it is compared with. Where a rule asks what came before, it looks at all that came before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from paywright.contract import CONTRACT
from tests.audit.helpers.histories import STATE_LISTS, Event

__all__ = ["Found", "expected"]

SLACK: Final = 10.0
INTERVAL: Final = 300
DAYS_180: Final = 180 * 86400

Found = tuple[int, str, str, str]
"""The event, the part of it, the pointer and the code."""

FAMILY: Final = {
    "orders.checkout": "orders", "orders.drop_in": "orders", "orders.query": "orders", "PAYMENT": "orders",
    "refunds.create": "refunds", "refunds.query": "refunds", "REFUND": "refunds",
    "exchanges.create": "exchanges", "exchanges.query": "exchanges", "subscriptions.create": "plans",
    "snap.status": "bank", "snap.cancel": "bank", "withdrawals.query": "withdrawals", "WITHDRAW": "withdrawals",
    "notifications.receive": "transfers", "notifications.subscription_payment": "periods",
}  # fmt: skip
WRITES: Final = ("orders.checkout", "orders.drop_in", "refunds.create", "exchanges.create", "subscriptions.create")
RETURNED: Final = {("orders", "BOUNCEBACK")}  # what a contract's move leads to: money moved back
_LISTS: Final = {family: CONTRACT.set(name) for family, name in STATE_LISTS.items()}
# Final states: those that mean that money moved or that the specification calls final, and the others.
HARD: Final = {"plans": set[str]()} | {
    family: {*one.paid, *one.stated, *one.returned} - {state for _, state in RETURNED} for family, one in _LISTS.items()
}
SOFT: Final = {"plans": set[str]()} | {
    family: {*one.final, *one.settled} - HARD[family] for family, one in _LISTS.items()
}
KEY_AT: Final = {
    "orders": "/data/outTradeNo", "refunds": "/data/outRefundNo", "exchanges": "/data/outTradeNo",
    "plans": "/data/subscriptionRequestId",
}  # fmt: skip
FINE, ODD, WRONG = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Seen:
    """What an event says of its subject: `what` is made, refused, repeated, unknown, lost, absent, seen, told or acted."""

    event: Event
    at: float
    until: float
    family: str
    owner: str
    key: str
    what: str
    state: str
    final: bool
    amount: Decimal | None
    currency: str | None
    content: str | None

    @property
    def write(self) -> bool:
        return self.event.operation in WRITES

    @property
    def there(self) -> bool:
        return self.what in ("made", "repeated", "seen", "told")


def expected(events: Sequence[Event]) -> set[Found]:
    """Every finding of the rules across exchanges over one history."""
    everyone = _owners(events)
    seen = [one for event in events for one in _said(event, everyone)]
    seen = _without_copies(seen)
    seen = _with_aliases(seen)
    subjects: dict[tuple[str, str, str], list[Seen]] = {}
    for one in sorted(seen, key=lambda one: (one.at, one.event.file, one.event.id, one.event.operation, one.state)):
        subjects.setdefault((one.family, one.owner, one.key), []).append(one)
    found: set[Found] = set()
    for history in subjects.values():
        found.update(_duplicate_keys(history))
        found.update(_moves(history))
    found.update(_refunds(subjects))
    found.update(_retries(seen, subjects))
    return found


def _owners(events: Sequence[Event]) -> dict[str, set[str]]:
    """By app the merchants that it names anywhere in what may be believed."""
    named: dict[str, set[str]] = {}
    for event in events:
        if event.app and event.merchant and _believed(event):
            named.setdefault(_app(event), set()).add(event.merchant)
    return named


def _believed(event: Event) -> bool:
    """Whether what comes first, a request or a notification, may be believed."""
    return event.answer != "forged" or not (
        event.operation[:1].isupper() or event.operation.startswith("notifications.")
    )


def _app(event: Event) -> str:
    return f"partner {event.app}" if event.operation.startswith("snap.") else str(event.app)


def _owner(event: Event, named: dict[str, set[str]]) -> str:
    prefix = f"partner {event.app}/" if event.operation.startswith("snap.") else ""
    if event.merchant:
        return f"{prefix}{event.merchant}"
    merchants = named.get(_app(event), set())
    return f"{prefix}{next(iter(merchants))}" if len(merchants) == 1 else f"app {_app(event)}"


def _said(event: Event, named: dict[str, set[str]]) -> Iterator[Seen]:
    """What an event says, if anything: the table of outcomes."""
    family, operation, answer = FAMILY[event.operation], event.operation, event.answer
    key = event.key.lower() if family == "orders" else event.key
    told = operation[:1].isupper() or operation.startswith("notifications.")
    if told:
        what = None if answer == "forged" else "told"
    elif operation in WRITES or operation == "snap.cancel":
        what = {
            "yes": "made", "refused": "refused", "repeated": "repeated", "other": "unknown", "none": "unknown",
            "gateway timeout": "unknown", "unsigned": "unknown", "echo": "unknown",
        }.get(answer)  # fmt: skip
        if answer == "repeated" and operation in ("snap.cancel", "subscriptions.create") and not _repeats(operation):
            what = "unknown"
        if operation == "snap.cancel":
            what = None if what in (None, "refused") else "acted"
    else:
        what = {"yes": "seen", "absent": "absent"}.get(answer)
    if what is None:
        return
    good = what in ("made", "seen", "told")
    state = event.state if good else ""
    hard_or_soft = state in HARD[family] | SOFT[family]
    final = hard_or_soft and not operation.startswith("orders.c") and operation != "orders.drop_in"
    amount = Decimal(event.amount) if event.amount is not None else None
    if operation in WRITES:
        shown = operation.startswith(("orders.", "refunds."))
    else:
        shown = (
            (operation == "orders.query" and final)
            or (operation == "refunds.query" and final)
            or (operation == "withdrawals.query" and good)
            or (told and operation != "notifications.receive")
        )
    currency = ("USD" if operation.startswith("notif") else event.currency) if shown else None
    content = None
    if operation in WRITES:
        ref = (event.order, event.token) if operation == "refunds.create" else None
        sum_of = amount if operation.startswith(("orders.", "refunds.")) else None
        money = event.currency if operation.startswith(("orders.", "refunds.")) else None
        content = repr((operation, event.content, sum_of, money, ref))
    signed = event.said if told else event.signed
    at, until = (event.at, event.until) if signed is None else (min(event.at, signed), max(event.until, signed))
    yield Seen(
        event,
        at,
        until,
        family,
        _owner(event, named),
        key,
        what,
        state,
        final,
        amount if shown else None,
        currency,
        content,
    )


def _repeats(operation: str) -> bool:
    from paywright.contract import CONTRACT

    return bool(CONTRACT.operation(operation).duplicate_codes)


def _without_copies(seen: list[Seen]) -> list[Seen]:
    """One for each exchange, wherever its sightings lie, at the earliest and the latest of their times."""
    sightings: dict[tuple[int, str], list[Seen]] = {}
    for one in sorted(seen, key=lambda one: (one.at, one.event.file, one.event.id)):
        event = one.event
        sightings.setdefault((event.id if event.copy is None else event.copy, one.family), []).append(one)
    return [
        (
            replace(some[0], at=min(one.at for one in some), until=max(one.until for one in some))
            if some[0].what != "told" or some[0].event.said is not None
            else one
        )
        for some in sightings.values()
        for one in (some[:1] if some[0].what != "told" or some[0].event.said is not None else some)
    ]


def _with_aliases(seen: list[Seen]) -> list[Seen]:
    """Inquiries that name a refund by the service's id alone are of the refund that was answered with it."""
    known = {
        (one.owner, f"R{one.event.key}"): one.key
        for one in seen
        if one.event.operation == "refunds.create" and one.what == "made" and one.event.answer != "echo"
    }
    made = []
    for one in seen:
        if one.event.alias and one.family == "refunds":
            alias = f"R{one.event.key}"
            made.append(replace(one, key=known.get((one.owner, alias), f"by alias {alias}")))
        else:
            made.append(one)
    return made


# Keys


def _duplicate_keys(history: list[Seen]) -> Iterator[Found]:
    for place, one in enumerate(history):
        before = history[:place]
        if not one.write:
            continue
        used = next((other for other in reversed(before) if other.write and other.what != "refused"), None)
        certain = _certain(one, before)
        if used is None and certain is None:
            continue
        permitted = _permitted(history, place, used)
        if permitted == "yes":
            continue
        key = used is not None and (one.event.key != used.event.key or one.content != used.content)
        code = "key-reused" if key else "placed-again"
        if permitted == "no" and certain is None:
            assert used is not None
            if one.what == "refused" and one.at < used.until + SLACK:
                permitted = "unclear"
        yield one.event.id, "request", KEY_AT[one.family], code if permitted == "no" else "time-unclear"


def _certain(one: Seen, before: list[Seen]) -> Seen | None:
    """What shows that the key was there before a write, whatever else happened."""
    for other in before:
        if other.there and one.at >= other.until + SLACK:
            return other
    effective = [other for other in before if other.write and other.what in ("made", "repeated")]
    if effective and one.what in ("made", "repeated"):
        other = effective[-1]
        span = max(one.until, other.until) - min(one.at, other.at) + 2 * SLACK
        if span < INTERVAL or one.what == other.what == "made":
            return other
    return None


def _permitted(history: list[Seen], place: int, used: Seen | None) -> str:
    write = history[place]
    if write.family != "orders":
        return "no"
    absent: list[Seen] = []
    earlier: list[Seen] = []
    ended: tuple[Seen, list[Seen]] | None = None
    for one in history[:place]:
        if one.what == "absent":
            absent.append(one)
        elif one.there and not one.write:
            if absent:
                ended = one, absent
            absent, earlier = [], []
        elif one.write and one.what != "refused":
            earlier = [other for other in absent if other.until + SLACK >= one.at]
            absent, ended = [], None
    if len(absent) > 1 and absent[-1].until - absent[0].at >= INTERVAL:
        return "yes"
    if ended is not None:
        showing, given = ended
        if showing.until + SLACK >= write.at and given[-1].until - given[0].at + SLACK >= INTERVAL:
            return "unclear"
    last = max(write.until, write.at if used is None else used.until) + SLACK
    later = [one for one in history[place + 1 :] if one.what == "absent" and one.at <= last]
    possible = [*earlier, *absent, *later]
    if len(possible) < 2:
        return "no"
    span = max(one.until for one in possible) - min(one.at for one in possible)
    return "unclear" if span + SLACK >= INTERVAL else "no"


# States


def _move(family: str, before: str, after: str) -> int:
    if (
        before == after
        or before not in HARD[family] | SOFT[family]
        or (family, before, after) == ("orders", "SUCCESS", "BOUNCEBACK")
    ):
        return FINE
    return WRONG if before in HARD[family] or (family, before) in RETURNED else ODD


def _is_hard(one: Seen) -> bool:
    return one.state in HARD[one.family] or (one.family, one.state) in RETURNED


def _moves(history: list[Seen]) -> Iterator[Found]:
    believed: Seen | None = None
    exists: Seen | None = None
    made = False
    sums: dict[bool, Seen] = {}
    cancels = [one.at for one in history if one.what == "acted"]
    hard: Seen | None = None
    for one in history:
        told = one.what == "told"
        part = "notification" if told else "response"
        if one.what == "absent":
            if exists is not None and one.at >= exists.until:
                certain = one.at >= exists.until + SLACK
                code_at = "/responseCode" if one.family == "bank" else "/code"
                yield one.event.id, part, code_at, "state-moved-back" if certain else "time-unclear"
            continue
        if not one.there:
            continue
        exists = one if exists is None or one.until < exists.until else exists
        if one.write:
            if one.what == "made" and not made:
                made = True
                if one.amount is not None:
                    sums.setdefault(False, one)
                if believed is None and one.final:
                    believed = one
            continue
        at = "" if one.family == "bank" else "/data"
        other = sums.get(not told)
        if other is not None and (
            (one.amount is not None and one.amount != other.amount)
            or (one.currency is not None and one.currency != other.currency)
        ):
            yield one.event.id, part, at, "notification-disagrees"
        if one.amount is not None:
            sums.setdefault(told, one)
        if not one.state:
            continue
        earlier, hard = hard, min(
            (other for other in (hard, one if _is_hard(one) else None) if other is not None),
            key=lambda other: other.until,
            default=None,
        )
        if believed is None:
            believed = one if one.final else None
            continue
        if (one.state != believed.state or earlier is not None) and any(
            cancel <= one.until + SLACK for cancel in cancels
        ):
            believed = one if one.final else None
            continue
        late = earlier is not None and not told and one.at >= earlier.until + SLACK
        if late and earlier is not None and _move(one.family, earlier.state, one.state) == WRONG:
            yield one.event.id, part, at, "notification-disagrees" if earlier.what == "told" else "state-moved-back"
            continue
        if one.state == believed.state:
            continue
        order = _order(one, believed)
        onward, back = _move(one.family, believed.state, one.state), _move(one.family, one.state, believed.state)
        said = {"after": onward, "later": onward, "open": min(onward, back), "before": back}[order]
        if said == WRONG:
            code = "state-moved-back" if told == (believed.what == "told") else "notification-disagrees"
            unclear = order == "later" and back != WRONG
            yield one.event.id, part, at, "time-unclear" if unclear else code
            continue
        if said == ODD:
            yield one.event.id, part, at, "final-state-left"
        if one.final and order in ("after", "later"):
            believed = one


def _order(one: Seen, believed: Seen) -> str:
    if one.what == "told" and believed.what == "told":
        mine, other = one.event.said, believed.event.said
        if mine is None or other is None or mine == other:
            return "open"
        return "after" if mine > other else "before"
    if one.at >= believed.until:
        order = "after" if one.at >= believed.until + SLACK else "later"
    else:
        order = "before" if one.until + SLACK <= believed.at else "open"
    if one.what == "told" and order != "before":
        return "open"
    return order


# Refunds


def _refunds(subjects: dict[tuple[str, str, str], list[Seen]]) -> Iterator[Found]:
    asked: dict[tuple[str, str, str], list[tuple[Seen, bool, Decimal | None]]] = {}
    for (family, owner, _), history in subjects.items():
        if family != "refunds":
            continue
        writes = [one for one in history if one.write and one.what != "refused"]
        made = [one for one in writes if one.what == "made"]
        states = {one.state for one in history}
        there = any(one.there for one in history)
        happened = (there and "REFUND_FAILED" not in states) or "REFUND_SUCCESS" in states
        counted = (made or writes or [None])[0]
        shown = [one.amount for one in history if one.what in ("seen", "told") and one.amount is not None]
        asks = max((one.amount for one in writes if one.amount is not None), default=None)
        for one in writes:
            whose = _whose(one, owner, subjects)
            if whose is None:
                continue
            amount = (
                one.amount if one.what == "made" or not shown else min(max(shown), max(shown) if asks is None else asks)
            )
            asked.setdefault(whose, []).append((one, one is counted and happened, amount))
    for whose, refunds in asked.items():
        history = subjects.get(whose, [])
        refunds.sort(key=lambda refund: (refund[0].at, refund[0].event.file, refund[0].event.id))
        yield from _refunds_of(history, refunds)


def _whose(one: Seen, owner: str, subjects: dict[tuple[str, str, str], list[Seen]]) -> tuple[str, str, str] | None:
    if one.event.order is not None:
        return "orders", owner, one.event.order.lower()
    owners = [
        (0 if family == "periods" else 1, family, whose, key)
        for (family, whose, key), history in subjects.items()
        if family in ("orders", "periods") and whose == owner
        for other in history
        if other.event.token is not None and other.event.token == one.event.token
        and (other.what == "told" or (other.write and other.what == "made"))
    ]  # fmt: skip
    return min(owners)[1:] if owners else None


def _refunds_of(history: list[Seen], refunds: list[tuple[Seen, bool, Decimal | None]]) -> Iterator[Found]:
    made = [one for one in history if one.write and one.what == "made"]
    shown = [one for one in history if one.what in ("seen", "told") and one.amount is not None]
    placed = min((one.until for one in made), default=None)
    asked = [one for one in made if one.amount is not None]
    best = max(shown or asked, key=lambda one: one.amount or 0, default=None)
    paid = any(one.state in HARD[one.family] for one in history if one.what in ("seen", "told"))
    unpaid = next(
        (one for one in history if one.what in ("seen", "told") and one.final and one.state not in HARD[one.family]),
        None,
    )
    total = Decimal(0)
    for one, counts, amount in refunds:
        identity = one.event.id, "request"
        if one.amount is not None and one.amount < 0:
            yield *identity, "/data/refundAmount", "refund-negative"
            continue
        if best is not None and one.currency != best.currency:
            yield *identity, "/data/refundCurrency", "refund-currency"
            continue
        if placed is not None and one.at - SLACK - placed > DAYS_180:
            yield *identity, "/data/outRefundNo", "refund-too-late"
        if unpaid is not None and not paid and one.at >= unpaid.until + SLACK:
            yield *identity, "/data/outRefundNo", "refund-not-paid"
            continue
        if amount is None or best is None or not counts:
            continue
        total += amount
        if total > (best.amount or 0):
            yield *identity, "/data/refundAmount", "refund-exceeds-paid"


# Retries


def _retries(seen: list[Seen], subjects: dict[tuple[str, str, str], list[Seen]]) -> Iterator[Found]:
    writes = sorted(
        (one for one in seen if one.write and one.content is not None),
        key=lambda one: (one.at, one.event.file, one.event.id),
    )
    for place, one in enumerate(writes):
        mine = (one.family, one.owner, one.key)
        before: dict[tuple[str, str, str], Seen] = {}
        for other in writes[:place]:
            subject = (other.family, other.owner, other.key)
            if other.content != one.content or other.owner != one.owner:
                continue
            before.pop(subject, None)
            if other.what == "unknown":
                before[subject] = other
        for subject, other in before.items():
            if subject == mine or not other.until <= one.at <= other.until + INTERVAL:
                continue
            between = [
                event
                for event in subjects[subject]
                if _spot(other) < _spot(event) < _spot(one) and (event.there or event.what == "refused")
            ]
            if between:
                continue
            both = all(
                any(event.there and event.event.proven for event in subjects[which]) for which in (subject, mine)
            )
            learned = next(
                (
                    event
                    for event in subjects[subject]
                    if _spot(other) < _spot(event) and (event.there or event.what == "refused")
                ),
                None,
            )
            close = one.at < other.until + SLACK or (learned is not None and learned.at - SLACK <= one.at)
            code = "placed-twice" if both else "key-changed"
            yield one.event.id, "request", KEY_AT[one.family], "time-unclear" if close else code


def _spot(one: Seen) -> tuple[float, int, int]:
    return one.at, one.event.file, one.event.id
