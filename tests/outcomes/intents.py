"""What a shop means to do once: an order, a refund, an exchange."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Literal

__all__ = ["OVER_THE_LIMIT", "Belief", "Intent", "Kind", "refunds_of", "some_intents"]

Kind = Literal["order", "hosted", "refund", "exchange"]
Belief = Literal["open", "placed", "failed", "unknown"]

FAILS = Decimal("15")
"""The documented amount at which a drop-in payment fails."""
OVER_THE_LIMIT = Decimal("6000.00")


class Intent:
    """One. `belief` is what the shop makes of it in the end; `stored` the resolver of what it reports unknown."""

    __slots__ = ("amount", "belief", "key", "kind", "of", "settled_late", "stored")

    def __init__(self, kind: Kind, key: str, amount: Decimal, of: str | None = None) -> None:
        self.kind: Kind = kind
        self.key = key
        self.amount = amount
        self.of = of
        self.belief: Belief = "open"
        self.stored: str | None = None
        self.settled_late: bool | None = None

    @property
    def is_order(self) -> bool:
        return self.kind in ("order", "hosted")

    def __repr__(self) -> str:
        return f"<{self.kind} {self.key}: {self.belief}>"


def some_intents(count: int, random: Random, *, refusals: bool = True) -> list[Intent]:
    """Orders and exchanges; refunds follow from paid orders. With `refusals` the gateway has good reason to refuse some."""
    made = []
    for number in range(count):
        draw = random.random()
        kind: Kind = "order" if draw < 0.55 else "hosted" if draw < 0.7 else "exchange"
        if kind == "exchange":
            amount = (
                Decimal("99999999.00")
                if refusals and random.random() < 0.05
                else Decimal(random.randrange(100, 5000)) / 100
            )
            # The same number as an order's now and then: their numbers are not one space.
            made.append(Intent(kind, f"ORD_{number - 1}" if random.random() < 0.3 else f"EXC_{number}", amount))
            continue
        draw = random.random()
        amount = Decimal(random.randrange(1000, 400000)) / 100
        if draw < 0.06 and kind == "order":
            amount = FAILS
        elif draw < 0.10 and refusals:
            amount = OVER_THE_LIMIT
        made.append(Intent(kind, f"ORD_{number}", amount))
    return made


def refunds_of(orders: list[Intent], random: Random, *, refusals: bool = True) -> list[Intent]:
    """Refunds of most paid orders, in one part or two; a few of more than there is."""
    made = []
    for order in orders:
        if order.kind != "order" or order.belief != "placed" or random.random() < 0.1:
            continue
        if refusals and random.random() < 0.05:
            made.append(Intent("refund", f"REF_{order.key}_X", order.amount + 1, order.key))
        elif random.random() < 0.3:
            half = (order.amount / 2).quantize(Decimal("0.01"))
            made += [Intent("refund", f"REF_{order.key}_{part}", half - part, order.key) for part in (1, 2)]
        else:
            made.append(Intent("refund", f"REF_{order.key}", order.amount, order.key))
    return made
