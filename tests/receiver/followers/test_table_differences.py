"""A table of the shop's own beside what the gateway has shown: each difference once, with the call that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pytest

from paywright import InvalidArgument
from paywright_receiver import Difference, TableRow, day_of, differences, read_table
from paywright_runtime.webhooks.book import ItemId
from tests.receiver.helpers.day_items import DAY, TIMES, item
from tests.receiver.helpers.desk import APP

NewLedger = Callable[[], Any]
SINCE, UNTIL = day_of(DAY)
WORDS = ("paid", "unpaid", "open", "closed", "SUCCESS", "FAILED", "PENDING", "BOUNCEBACK", "nonsense")
# What an item is (status, settled in, state now), the words of a table that agree with it, and why no other does.
AGREES = (
    ("open", None, None, {"open"}, "Nothing is known of it."),
    ("open", None, "PENDING", {"open", "PENDING"}, "It is not paid yet, and it may be."),
    ("open", "SUCCESS", "SUCCESS", {"open", "SUCCESS"}, "It was contradicted: whether it is paid is in dispute."),
    ("settled", "SUCCESS", "SUCCESS", {"paid", "SUCCESS"}, "Money moved."),
    ("settled", "FAILED", "FAILED", {"unpaid", "FAILED"}, "No money moved."),
    ("settled", "SUCCESS", "BOUNCEBACK", {"unpaid", "BOUNCEBACK"}, "The money went back."),
    ("closed", None, None, {"closed"}, "Nobody knows whether money moved."),
    ("closed", None, "PENDING", {"closed", "PENDING"}, "Nobody knows whether money moved since."),
    ("closed", "SUCCESS", "SUCCESS", {"paid", "SUCCESS"}, "It settled before it was closed."),
)


def row(key: str, state: str = "paid", amount: str | None = "10.50", currency: str | None = "USD") -> TableRow:
    return TableRow("orders", key, None if amount is None else Decimal(amount), currency, state)


def compared(book: Any, *rows: TableRow, **options: Any) -> list[Difference]:
    return list(differences(book, rows, app_id=APP, since=SINCE, until=UNTIL, **options))


def test_each_word_agrees_with_what_the_item_is_or_is_a_difference(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    for number, (status, settled, state, _, _) in enumerate(AGREES):
        at = None if settled is None else TIMES["before"]
        book.open(item(f"o{number}", state, status=status, settled_state=settled, settled_at=at))
    for number, (*_, agree, why) in enumerate(AGREES):
        for word in WORDS:
            found = compared(book, row(f"o{number}", word))
            assert [one.what for one in found] == ([] if word in agree else ["state"]), (AGREES[number], word, why)


def test_amounts_and_currencies_are_compared_as_what_they_are(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    book.open(item("o1", amount="10.50"))
    book.open(item("o2", amount=None))
    book.open(item("o3", "PENDING", status="open", settled_state=None, settled_at=None, amount="10.50"))
    book.open(item("o4", amount="no number"))
    rest = (row("o2", amount=None, currency=None), row("o4", amount="1"))

    def of(*rows: TableRow) -> list[tuple[str, str | None, str | None]]:
        found = compared(book, *rows, *rest)
        return [(one.what, one.table, one.gateway) for one in found if one.key not in ("o2", "o4")]

    assert of(row("o1", amount="10.5")) == []
    assert of(row("o1", amount="10.500000000000000000000000000001")) == [
        ("amount", "10.500000000000000000000000000001", "10.50")
    ]
    assert of(row("o1", amount=None)) == [("amount", None, "10.50")]
    assert of(row("o1", currency="EUR")) == [("currency", "EUR", "USD")]
    assert of(row("o1", currency=None)) == [("currency", None, "USD")]
    assert of(row("o1"), row("o3", "open", "99", "EUR")) == []  # what is open may still change
    assert [one.what for one in compared(book, row("o1"), *rest)] == ["amount"]  # what is no number is never equal
    assert [one.what for one in compared(book, row("o1"), row("o2"), rest[1])] == ["amount", "currency", "amount"]


def test_what_one_of_both_does_not_have_is_a_difference(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    book.open(item("ord_1"))
    book.open(item("back", "BOUNCEBACK", settled_state="SUCCESS"))
    book.open(item("failed", "FAILED"))
    book.open(item("of another day", settled_at=TIMES["before"]))
    book.open(item("open", "PENDING", status="open", settled_state=None, settled_at=None))
    book.open(item("other")._replace(id=ItemId("app_9", "orders", "other")))
    book.open(item("paid since", "SUCCESS", settled_state="FAILED"))
    asked = '{"asks": {"userId": "u_1"}}'
    book.open(item("refund", "REFUND_SUCCESS", content=asked)._replace(id=ItemId(APP, "refunds", "refund")))
    found = compared(book, row("unknown"), row("x" * 500), row("ORD_1"), row("ord_1", "unpaid"), source="shop.csv")
    assert [(one.what, one.key[:9]) for one in found] == [
        ("not in the book", "unknown"),
        ("not in the book", "x" * 9),
        ("twice in the table", "ord_1"),
        ("not in the table", "back"),
        ("not in the table", "paid sinc"),
    ]
    assert found[0].why.startswith("shop.csv has it as paid, and it was never registered")
    assert (found[3].query, found[3].arguments) == ("orders.query", {"outTradeNo": "back"})
    both = compared(book, row("ord_1"), row("back", "unpaid"), row("paid since"), kinds=("orders", "refunds"))
    assert [(one.what, one.kind, one.query, one.arguments) for one in both] == [
        ("not in the table", "refunds", "refunds.query", {"outRefundNo": "refund", "userId": "u_1"})
    ]


def read(text: str) -> list[TableRow]:
    return list(read_table(text.splitlines(keepends=True)))


@pytest.mark.parametrize(
    "text",
    [
        "key,amount,currency,state\nord_1,1234.50,USD,paid\nord_2,,,open\n",
        "\ufeffState,Note,Key,Currency,Amount\r\npaid,\"a, note\",ord_1,USD,1234.50\r\nopen,,ord_2,,\r\n\r\n",
        "key;amount;currency;state\n ord_1;1234.50;USD;paid\nord_2;;;open",
    ],
)  # fmt: skip
def test_a_table_is_read_as_programs_write_it(text: str) -> None:
    first, second = read(text)
    assert first == TableRow("orders", "ord_1", Decimal("1234.50"), "USD", "paid", 2)
    assert second == TableRow("orders", "ord_2", None, None, "open", 3)


def test_a_table_may_have_several_kinds() -> None:
    assert [one.kind for one in read("kind,key,amount,currency,state\nrefunds,r,1,USD,paid\n,o,1,USD,paid\n")] == [
        "refunds",
        "orders",
    ]


HEAD = "key,amount,currency,state\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Line 1 .* it lacks key, amount, currency, state"),
        ("key,amount,state\n", "Line 1 .* it lacks currency"),
        ("key,key,amount,currency,state\n", "it lacks key"),
        (HEAD + 'o,"1,234.50",USD,paid\n', "Line 2 .* the amount '1,234.50' is not in plain digits"),
        (HEAD + "o,1e3,USD,paid\n", "Line 2 .*plain digits"),
        (HEAD + "o,1,USD\n", "Line 2 .* not as many columns"),
        (HEAD + "o,1,USD,paid\no,1,USD,paid,more\n", "Line 3 .* not as many columns"),
        (HEAD + ",1,USD,paid\n", "Line 2 .* no key, or no state"),
        (HEAD + "o,1,USD,\n", "Line 2 .* no key, or no state"),
        (HEAD + 'o,"1,USD,paid\n', "it is no CSV"),
        ("kind,key,amount,currency,state\nplans,o,1,USD,paid\n", "Line 2 .* no kind 'plans'.* orders"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(text: str, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        read(text)


def test_a_kind_that_no_query_shows_is_refused(new_ledger: NewLedger) -> None:
    rows: Iterable[TableRow] = [TableRow("subscriptions", "s", None, None, "open")]
    with pytest.raises(InvalidArgument, match="no kind 'subscriptions' to compare"):
        compared(new_ledger().book, *rows)
    with pytest.raises(InvalidArgument, match="no kind 'cards'"):
        compared(new_ledger().book, kinds=("cards",))
