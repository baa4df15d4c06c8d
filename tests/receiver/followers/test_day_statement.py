"""What a day amounts to: which item counts where, by all histories that an item can have, and sums to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

import pytest

from paywright import InvalidArgument
from paywright_receiver import DayLine, DayStatement, MemoryLedger, day_of, day_statement
from paywright_runtime.webhooks.book import ItemId
from tests.receiver.helpers.day_items import AT, DAY, TIMES, item
from tests.receiver.helpers.desk import APP

NewLedger = Callable[[], Any]


class Cell(NamedTuple):
    """A history: when the item was opened, settled and changed last (names of TIMES), and what it is; and where it counts."""

    opened: str
    settled: str | None
    changed: str
    status: Any
    states: tuple[str | None, str | None]
    """The one in which it settled, and the one in which it is now."""
    counts: dict[str, Any]
    why: str


PAID, BACK = "SUCCESS", "BOUNCEBACK"
CELLS = (
    Cell("on", "on", "on", "settled", (PAID, PAID), {"settled": PAID}, "It settled on the day."),
    Cell("before", "first", "first", "settled", (PAID, PAID), {"settled": PAID}, "Its first moment belongs to the day."),
    Cell("on", "later on", "later on", "settled", (PAID, PAID), {"settled": PAID}, "So does its last one."),
    Cell("on", "on", "on", "settled", ("FAILED", "FAILED"), {"settled": "FAILED"}, "A failure settles it too."),
    Cell("on", "on", "later on", "settled", (PAID, BACK), {"settled": BACK}, "At the day's end it had been returned."),
    Cell("on", "on", "after", "settled", (PAID, BACK), {"settled": PAID, "changed": BACK}, "It was returned later."),
    Cell("on", "on", "next", "settled", (PAID, BACK), {"settled": PAID, "changed": BACK}, "The next midnight is later."),
    Cell("before", "before", "on", "settled", (PAID, BACK), {"earlier": BACK}, "Of an earlier day, returned on this one."),
    Cell("before", "before", "before", "settled", (PAID, PAID), {}, "It is of an earlier day."),
    Cell("before", "before", "after", "settled", (PAID, BACK), {}, "Neither was on this day."),
    Cell("on", "next", "next", "settled", (PAID, PAID), {"unsettled": PAID}, "It was open at the day's end."),
    Cell("before", "after", "after", "settled", (PAID, PAID), {"unsettled": PAID}, "So was one of an earlier day."),
    Cell("next", "next", "next", "settled", (PAID, PAID), {}, "It was opened the next day."),
    Cell("on", None, "on", "open", (None, "PENDING"), {"unsettled": "PENDING"}, "It is open."),
    Cell("before", None, "on", "open", (None, None), {"unsettled": None}, "The gateway has shown nothing of it."),
    Cell("next", None, "next", "open", (None, "PENDING"), {}, "It was opened the next day."),
    Cell("on", "on", "on", "closed", (None, None), {"closed": None}, "A person closed it on the day."),
    Cell("on", "on", "on", "closed", (None, "PENDING"), {"closed": "PENDING"}, "A person closed it on the day."),
    Cell("on", "on", "after", "closed", (None, PAID), {"closed": PAID}, "What came later belongs to no other day."),
    Cell("on", "after", "after", "closed", (None, None), {"unsettled": None}, "It was open at the day's end."),
    Cell("on", "on", "on", "closed", (PAID, PAID), {"settled": PAID}, "It settled before it was closed."),
    Cell("on", "on", "on", "open", (PAID, PAID), {"settled": PAID, "disputed": PAID}, "It settled, and was contradicted."),
    Cell("before", "before", "before", "open", (PAID, PAID), {"disputed": PAID}, "It waits for a person since."),
    Cell("on", "after", "after", "open", (PAID, PAID), {"unsettled": PAID}, "It settled, and was contradicted, later."),
)  # fmt: skip


def counted(made: DayStatement) -> dict[str, Any]:
    found: list[tuple[str, Any]] = [(line.status, line.state) for line in made.settled]
    found += [("unsettled", line.state) for line in made.unsettled]
    found += [("changed", one.now) for one in made.changed]
    found += [("earlier", one.now) for one in made.earlier]
    found += [("disputed", one.state) for one in made.disputed]
    return dict(found)


def test_each_history_counts_where_it_belongs(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    for number, cell in enumerate(CELLS):
        settled_state, state = cell.states
        settled = None if cell.settled is None else TIMES[cell.settled]
        book.open(
            item(
                f"O{number}",
                state,
                status=cell.status,
                settled_state=settled_state,
                opened_at=TIMES[cell.opened],
                changed_at=TIMES[cell.changed],
                settled_at=settled,
            )._replace(id=ItemId(f"app_{number}", "orders", "1"))
        )
    for number, cell in enumerate(CELLS):
        made = day_statement(book, DAY, app_id=f"app_{number}")
        assert counted(made) == cell.counts, (cell, made)
        assert sum(line.items for line in (*made.settled, *made.unsettled)) == len(
            {"settled", "closed", "unsettled"} & {*cell.counts}
        )


def test_sums_have_every_digit_and_cross_no_currency_merchant_or_gateway(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    long = "1234567890123456789012345678901234567890123456789012345678901234.0000000001"
    book.open(item("A", amount=long))
    book.open(item("B", amount="0.1"))
    book.open(item("C", amount="0.20"))
    book.open(item("D", amount=None, currency="USD"))
    book.open(item("E", amount="7", currency="EUR"))
    book.open(item("F", amount="8", address="http://127.0.0.1:8787"))
    book.open(item("G", amount="9")._replace(id=ItemId("app_9", "orders", "g")))
    book.open(item("H", "REFUND_SUCCESS", "3.00")._replace(id=ItemId(APP, "refunds", "h")))
    with localcontext() as context:
        context.prec = 3  # a program's own context changes nothing
        made = day_statement(book, DAY)
    usd = Decimal("1234567890123456789012345678901234567890123456789012345678901234.3000000001")
    line = DayLine(APP, AT, "orders", "settled", "SUCCESS", True, "USD", 4, usd, 1)
    assert set(made.settled) == {
        line,
        line._replace(currency="EUR", items=1, total=Decimal(7), without_amount=0),
        line._replace(address="http://127.0.0.1:8787", items=1, total=Decimal(8), without_amount=0),
        line._replace(app_id="app_9", items=1, total=Decimal(9), without_amount=0),
        line._replace(kind="refunds", state="REFUND_SUCCESS", items=1, total=Decimal(3), without_amount=0),
    }
    assert format(next(one for one in made.settled if one.kind == "refunds").total, "f") == "3.00"
    assert {one.app_id for one in day_statement(book, DAY, app_id="app_9").settled} == {"app_9"}


def test_a_refund_that_settled_later_is_shown_at_the_order_that_it_names(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    named = '{"content": {"outTradeNo": "ord_1"}}'
    book.open(item("ord_1"))
    for number, state, settled, content in (
        ("paid", "REFUND_SUCCESS", "after", named),
        ("failed", "REFUND_FAILED", "after", named),
        ("of that day", "REFUND_SUCCESS", "on", named),
        ("of no known order", "REFUND_SUCCESS", "after", '{"content": {"outTradeNo": "other"}}'),
        ("without its order", "REFUND_SUCCESS", "after", "{}"),
    ):
        refund = item(number, state, "4.25", settled_at=TIMES[settled], opened_at=TIMES["before"], content=content)
        book.open(refund._replace(id=ItemId(APP, "refunds", number)))
    made = day_statement(book, DAY)
    (one,) = made.changed
    assert made.earlier == ()
    (later,) = day_statement(book, date(2026, 11, 25)).earlier
    assert later == one
    assert (one.item.key, one.was, one.now, one.at) == ("ord_1", "SUCCESS", "SUCCESS", TIMES["after"])
    assert one.refund is not None
    assert (one.refund.key, one.refund.amount) == ("paid", "4.25")


def test_a_day_begins_at_the_offset_that_is_named() -> None:
    book = MemoryLedger().book
    book.open(item("A", settled_at=TIMES["before"].replace(day=21, hour=17)))
    book.open(item("B", settled_at=TIMES["on"].replace(hour=17)))
    east = day_statement(book, DAY, offset=timedelta(hours=7))
    assert (east.since.isoformat(), east.until.isoformat()) == (
        "2026-11-22T00:00:00+07:00",
        "2026-11-23T00:00:00+07:00",
    )
    assert [line.items for line in east.settled] == [1]
    assert [line.items for line in day_statement(book, DAY).settled] == [1]
    assert [line.items for line in day_statement(book, date(2026, 11, 21)).settled] == [1]
    assert [line.items for line in day_statement(book, date(2026, 11, 23), offset=timedelta(hours=7)).settled] == [1]


def test_a_day_that_is_not_over_says_so() -> None:
    book = MemoryLedger().book
    assert day_statement(book, DAY, now=TIMES["later on"]).complete is False
    assert day_statement(book, DAY, now=TIMES["next"]).complete is True


@pytest.mark.parametrize(
    ("day", "offset"),
    [(DAY, timedelta(hours=24)), (DAY, timedelta(hours=-25)), (date.max, timedelta(0)), ("2026-11-22", timedelta(0))],
)
def test_a_day_that_is_none_is_refused(day: Any, offset: timedelta) -> None:
    with pytest.raises(InvalidArgument, match="day is a date"):
        day_of(day, offset)


def test_an_item_of_a_kind_that_this_version_does_not_know_is_counted_all_the_same() -> None:
    book = MemoryLedger().book
    book.open(
        item("A", "DONE", settled_state="BEGUN", changed_at=TIMES["after"])._replace(id=ItemId(APP, "vouchers", "a"))
    )
    (line,) = day_statement(book, DAY).settled
    assert (line.kind, line.state, line.paid, line.items) == ("vouchers", "BEGUN", None, 1)
