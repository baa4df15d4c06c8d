"""What runs of following came to, and the report of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

__all__ = ["MOST_ABOVE", "FollowTally"]

MOST_ABOVE: Final = 1.3
"""Questions an order above the least possible, at most."""


@dataclass
class FollowTally:
    """Counts of one run or of several. `minutes` are from each payment to its effect."""

    orders: int = 0
    refunds: int = 0
    links: int = 0
    settled: int = 0
    answers: int = 0
    harmed: int = 0
    dropped: int = 0
    killed_followers: int = 0
    killed_receivers: int = 0
    open: int = 0
    forgotten: int = 0
    twice: int = 0
    not_there: int = 0
    missing: int = 0
    questions: int = 0
    oracle: int = 0
    naive_orders: int = 0
    naive_questions: int = 0
    naive_twice: int = 0
    seconds: float = 0.0
    minutes: list[float] = field(default_factory=list)
    naive_minutes: list[float] = field(default_factory=list)
    gateway_sums: defaultdict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    shop_sums: defaultdict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    outcomes: Counter[str] = field(default_factory=Counter)
    balance: Decimal = Decimal(0)
    gateway_balance: Decimal = Decimal(0)
    records: int = 0

    def add(self, other: FollowTally) -> None:
        """Add the counts of another run."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(value, dict):
                for key, number in value.items():
                    mine[key] += number
            else:
                setattr(self, name, mine + value)

    @property
    def above(self) -> float:
        """Questions an order above those of the oracle."""
        return (self.questions - self.oracle) / max(self.orders, 1)

    @property
    def harm(self) -> dict[str, int | Decimal]:
        """What must not be, where it is."""
        counts = {
            "open at the end": self.open,
            "forgotten": self.forgotten,
            "effects twice": self.twice,
            "effects that the gateway does not have": self.not_there,
            "effects that never came": self.missing,
            "records that differ from what the handler was given": self.records,
            "cents by which the merchant's balance differs": abs(self.balance - self.gateway_balance) * 100,
            "sums that differ": sum(
                self.gateway_sums[status] != self.shop_sums[status] for status in {*self.gateway_sums, *self.shop_sums}
            ),
        }
        return {name: number for name, number in counts.items() if number}

    def report(self) -> str:
        """Return the counts in words."""
        each, polled = max(self.orders, 1), max(self.naive_orders, 1)
        sums = ", ".join(f"{status} {amount}" for status, amount in sorted(self.shop_sums.items()))
        return "\n".join([
            f"{self.orders:,} orders, {self.refunds:,} refunds and {self.links:,} links followed in {self.seconds:,.0f} s of one process each",
            f"{self.answers:,} answers, {self.harmed / max(self.answers, 1):.1%} harmed; {self.dropped:,} notifications dropped; "
            f"killed: {self.killed_followers} followers, {self.killed_receivers} receivers",
            f"{self.settled:,} settled; {self.harm or 'no harm'}; sums as the gateway has them: {sums}",
            f"questions: {self.questions / each:.2f} an order, an oracle {self.oracle / each:.2f}, above it {self.above:.2f}",
            f"minutes from paid to known: {_spread(self.minutes)}",
            f"a naive poller: {self.naive_questions / polled:.1f} questions an order of {self.naive_orders:,}, "
            f"minutes {_spread(self.naive_minutes)}, {self.naive_twice} credited twice",
        ])  # fmt: skip


def _spread(minutes: list[float]) -> str:
    if not minutes:
        return "none"
    ordered = sorted(minutes)
    parts = (("median", 0.5), ("95 of 100", 0.95), ("most", 1.0))
    return ", ".join(f"{name} {ordered[min(int(len(ordered) * part), len(ordered) - 1)]:.1f}" for name, part in parts)
