"""What really happened, read from the gateway's own store, against what a shop believes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from paywright_sandbox.engine.engine import Engine
from tests.outcomes.intents import Intent

__all__ = ["HARM", "Tally", "effects_of", "judge"]

HARM: Final = (
    "double", "failed_but_charged", "placed_not_charged", "unsound", "foreign", "without_key", "misplaced", "left_open",
    "unsettled",
)  # fmt: skip
"""What must not happen at all; and no strangers either."""


@dataclass
class Tally:
    """Counts of one run; runs add up."""

    intents: int = 0
    orders: int = 0
    refunds: int = 0
    exchanges: int = 0
    calls: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    placed: int = 0
    failed: int = 0
    unknown: int = 0
    unknown_there: int = 0
    placed_again: int = 0
    repeats_refused: int = 0
    not_sent: int = 0
    seconds: float = 0.0
    # Harm
    double: int = 0
    failed_but_charged: int = 0
    placed_not_charged: int = 0
    unsound: int = 0
    foreign: int = 0
    without_key: int = 0
    misplaced: int = 0
    left_open: int = 0
    unsettled: int = 0
    strangers: list[str] = field(default_factory=list)

    @property
    def harm(self) -> dict[str, int]:
        """What there was of what must not be."""
        found = {name: getattr(self, name) for name in HARM if getattr(self, name)}
        return found | ({"strangers": len(self.strangers)} if self.strangers else {})

    @property
    def money_harm(self) -> int:
        """Charged twice, failed but charged, placed but not charged."""
        return self.double + self.failed_but_charged + self.placed_not_charged

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(value, Counter):
                mine.update(value)
            else:
                setattr(self, name, mine + value)


def effects_of(engine: Engine) -> Counter[tuple[str, str]]:
    """How often money moved, by kind of intent and key: paid drop-in orders, placed hosted ones, refunds, exchanges."""
    with engine.store.transaction() as state:
        orders = state.all("SELECT key, integrate, status FROM orders")
        refunds = state.all("SELECT out_refund_no, order_id FROM refunds")
        exchanges = state.all("SELECT out_trade_no FROM exchanges")
    found: Counter[tuple[str, str]] = Counter()
    for row in orders:
        hosted = "Hosted" in str(row["integrate"])
        if hosted or row["status"] == "SUCCESS":
            found["hosted" if hosted else "order", str(row["key"])] += 1
    found.update(("refund", str(row["out_refund_no"]).lower()) for row in refunds)
    found.update(("exchange", str(row["out_trade_no"]).lower()) for row in exchanges)
    return found


def judge(intents: list[Intent], engine: Engine, tally: Tally, *, more_keys: bool = False) -> None:
    """Adds to the tally what became of the intents. With `more_keys` a key with `_n1` and so on behind it is of the same intent."""
    happened: Counter[tuple[str, str]] = Counter()
    for (kind, key), times in effects_of(engine).items():
        happened[kind, key.partition("_n")[0] if more_keys else key] += times
    for intent in intents:
        times = happened[intent.kind, intent.key.lower()]
        tally.intents += 1
        tally.orders += intent.is_order
        tally.refunds += intent.kind == "refund"
        tally.exchanges += intent.kind == "exchange"
        tally.placed += intent.belief == "placed"
        tally.failed += intent.belief == "failed"
        tally.unknown += intent.belief == "unknown"
        tally.unknown_there += intent.belief == "unknown" and times > 0
        tally.double += times > 1
        tally.failed_but_charged += intent.belief == "failed" and times > 0
        tally.placed_not_charged += intent.belief == "placed" and times == 0
        tally.left_open += intent.belief == "open"
        tally.unsettled += (
            intent.settled_late is not None and not intent.is_order and intent.settled_late != (times > 0)
        )
