"""The console's front page: the clock, the money, how much there is of everything, and what came last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Context, Decimal
from typing import Final

from paywright_sandbox.engine.clock import VirtualClock
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.money import in_currency, written
from paywright_sandbox.engine.sections import Action, Input, Section
from paywright_sandbox.pages.listing import Line, count_of, lines_of

__all__ = ["CLOCK_ACTIONS", "Money", "Overview", "Tally", "clock_actions", "overview"]

_LATEST: Final = 8
_EXACT: Final = Context(prec=200)
_STEPS: Final = ("3600", "86400", "604800", "2592000")
_NAMES: Final = {"3600": "An hour on", "86400": "A day on", "604800": "A week on", "2592000": "30 days on"}

CLOCK_ACTIONS: Final = (
    *(Action(_NAMES[step], "clock/advance", fixed={"seconds": step}) for step in _STEPS),
    Action("Advance", "clock/advance", inputs=(Input("seconds", "Seconds", "60", required=True),)),
)


@dataclass(frozen=True)
class Money:
    """What orders brought in one currency: paid, given back (or on its way), and the rest. `open` is not paid yet."""

    currency: str
    paid: str
    refunded: str
    rest: str
    open: str


@dataclass(frozen=True)
class Tally:
    """How much there is of a kind."""

    name: str
    title: str
    number: int


@dataclass(frozen=True)
class Overview:
    """What the front page shows."""

    now: datetime
    tallies: Sequence[Tally]
    money: Sequence[Money]
    orders: Sequence[Line]

    @property
    def empty(self) -> bool:
        """Whether there is no order yet."""
        return not self.orders


def overview(context: RequestContext, sections: Mapping[str, Section]) -> Overview:
    """Return what the front page shows of the state. `sections` are those of the console, by name."""
    tallies = [Tally(name, section.title, count_of(context, section.table)) for name, section in sections.items()]
    orders, _ = lines_of(context, sections["orders"], 1)
    return Overview(context.now, tallies, _money(context), orders[:_LATEST])


def clock_actions(engine: Engine) -> Sequence[Action]:
    """Return what can be done to the clock as it is."""
    if not isinstance(engine.clock, VirtualClock):
        return CLOCK_ACTIONS
    return (
        *CLOCK_ACTIONS,
        Action("Let it run", "clock/resume") if engine.clock.frozen else Action("Let it stand", "clock/freeze"),
    )


def _money(context: RequestContext) -> list[Money]:
    paid = _sums(context, "orders", "status = 'SUCCESS'")
    unpaid = _sums(context, "orders", "finished_at IS NULL")
    refunded = _sums(context, "refunds", "status != 'REFUND_FAILED'")
    nothing = Decimal(0)
    return [
        Money(
            currency,
            *(
                in_currency(written(amount), currency)
                for amount in (
                    paid.get(currency, nothing),
                    refunded.get(currency, nothing),
                    _EXACT.subtract(paid.get(currency, nothing), refunded.get(currency, nothing)),
                    unpaid.get(currency, nothing),
                )
            ),
        )
        for currency in sorted({*paid, *unpaid})
    ]


def _sums(context: RequestContext, table: str, which: str) -> dict[str, Decimal]:
    """Exact sums by currency: the state keeps amounts as text, and SQLite would add them as floats."""
    sums: dict[str, Decimal] = {}
    sql = f"SELECT currency, amount, count(*) AS times FROM {table} WHERE {which} GROUP BY currency, amount"
    for row in context.state.all(sql):
        currency, times = str(row["currency"]), Decimal(str(row["times"]))
        part = _EXACT.multiply(Decimal(str(row["amount"])), times)
        sums[currency] = _EXACT.add(sums.get(currency, Decimal(0)), part)
    return sums
