"""What pages tell as a sequence is played as that sequence: one page's advice after another's, and the handlers that pages show."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tests.receiver.lives.walk import a_story, told

TOP: Final = Path(__file__).resolve().parents[3]
ABSENT: Final = "open; call, late; run; run; run"

# What pages advise, as operations, and what the handler has been told at rest; "a person" where one has to decide.
PLAYED: Final = {
    "not sent, closed by the shop's send, called again with the same key": ("open; call, not sent; close; open; call, ok; placed", "SUCCESS"),
    "the same by who only calls again": ("open; call, not sent; close; call, ok; placed", "SUCCESS"),
    "refused, closed, put right and called again": ("open; call, refused; close; open; call, ok; placed", "SUCCESS"),
    "it never arrived, and is not wanted: closed": (f"{ABSENT}; close", "a person"),
    "closed, and the payer pays by another way": ("open; call, ok; placed; close; note, SUCCESS", "SUCCESS"),
    "it never arrived, and is asked about further": (f"{ABSENT}; run; run; arrive; become, SUCCESS; run", "SUCCESS"),
    "it never arrived, and is placed again": (f"{ABSENT}; permission; use, ok; placed", "SUCCESS"),
    "it is placed again while somebody closes it": (f"{ABSENT}; permission; close; use, ok", "a person"),
    "the shop's send around the call with a permission": (f"{ABSENT}; permission; use, refused; close; arrive", "a person"),
    "a day without answers: the network is mended": ("open; call, ok; placed; lose the network; become, SUCCESS; run; run", "SUCCESS"),
    "a day without answers: closed all the same": ("open; call, ok; placed; become, SUCCESS; lose the network; close", "a person"),
    "the handler failed, and is mended: replayed": ("open; call, ok; note, SUCCESS fails; replay", "SUCCESS"),
    "a conflict is decided, and an older one comes": ("open; call, ok; note, CLOSED; note, BOUNCEBACK; discard; note, SUCCESS", "CLOSED"),
    "two ends, decided and closed, and an older one comes": ("open; call, ok; note, CLOSED; note, BOUNCEBACK; discard; close; note, SUCCESS", "CLOSED"),
    "booked by hand, closed, and the webhook comes": ("open; call, ok; placed; close, SUCCESS; note, SUCCESS", "SUCCESS"),
    "booked by hand, closed, and returned": ("open; call, ok; placed; close, SUCCESS; note, BOUNCEBACK", "SUCCESS BOUNCEBACK"),
    "booked before it is known to be there, and said to be placed": ("open; call, ok; become, SUCCESS; close, SUCCESS; placed", "SUCCESS"),
    "booked as returned, and said to be placed": ("open; call, ok; note, CLOSED; become, BOUNCEBACK; close, BOUNCEBACK; placed", "CLOSED BOUNCEBACK"),
    "the ledger is lost, and orders are opened again": ("call, ok; become, SUCCESS; open; run", "SUCCESS"),
    "the address has changed, and open items are moved": ("open; call, ok; placed; change the address; move; run", "SUCCESS"),
    "a paid order is asked about before its refund": ("open; call, ok; note, SUCCESS; become, BOUNCEBACK; hint, settled; run", "SUCCESS BOUNCEBACK"),
    "a follower without handlers, and then one with them": ("open; call, ok; become, SUCCESS; run, without a receiver; run", "SUCCESS"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAYED)
def test_what_pages_advise_loses_nothing(name: str) -> None:
    life, end = PLAYED[name]
    with a_story() as story:
        for each in told(life):
            story.do(each)
        story.rest()
        (item,) = story.items.values()
        facts = story.facts["orders"]
        assert item is not None
        decides = item.step in ("decide", "place_again") and not facts.told
        assert ("a person" if decides else " ".join(facts.told)) == end


# Words of a page, a life that follows them, and what the last operation answers.
SAID: Final = (
    ("paid", "the follower asks whether the order was placed", "open; call, lost; run", "asked 1, handled 0, failed 0, conflicts 0"),
    ("paid", "After a success, call `follower.placed(...)`", "open; call, ok; placed", "True"),
    ("paid", "the second is a duplicate", "open; call, ok; placed; become, SUCCESS; hint; run; note, SUCCESS", "duplicate"),
    ("paid", "is the state that had its effect before", "open; call, ok; note, SUCCESS fails; discard; note, BOUNCEBACK", "handled"),
    ("outcomes", "other content takes a new one", "open; call, refused; close; open, otherwise", "! InvalidArgument"),
    ("outcomes", "the same content keeps its key", "refunds: open; refunds: call, refused; refunds: close; refunds: open; refunds: call, ok; refunds: placed", "True"),
    ("outcomes", "One call uses it up, however it ends", f"{ABSENT}; permission; use, refused; use, ok", "! TooEarly"),
    ("outcomes", "voids the permission", f"{ABSENT}; permission; close; use, ok", "! TooEarly"),
    ("refunds", "`follower.open` returns False", "refunds: open; refunds: call, ok; refunds: placed; refunds: open", "False"),
    ("follow", "a webhook opens it again", "open; call, ok; placed; close; note, SUCCESS bare; run", "asked 1, handled 1, failed 0, conflicts 0"),
    ("follow", "then the webhook has no second effect", "open; call, ok; placed; become, SUCCESS; close, SUCCESS; note, SUCCESS", "duplicate"),
    ("notifications", "handled once what it contradicted was replaced", "open; call, ok; note, CLOSED; note, BOUNCEBACK; note, SUCCESS; replay, conflicts", "['handled']"),
    ("notifications", "Without a last state it is `noted`", "call, ok; note, PENDING bare", "noted"),
    ("notifications", "or `unreadable` if no such item is registered", "call, ok; note, SUCCESS bare", "unreadable"),
    ("reference/python/paywright_receiver", "for a state that is no last one, and while a notification was acknowledged", "open; call, ok; note, SUCCESS bare; close", "! InvalidArgument"),
    ("go-live", "What had its effect is remembered without the record", "open; call, ok; note, SUCCESS; prune; note, SUCCESS", "duplicate"),
)  # fmt: skip


@pytest.mark.parametrize(("page", "words", "life", "answer"), SAID, ids=[f"{one[0]}: {one[2]}" for one in SAID])
def test_what_a_page_says_is_what_happens(page: str, words: str, life: str, answer: str) -> None:
    text = re.sub(r"<!--.*?-->", "", (TOP / "docs" / f"{page}.md").read_text(encoding="utf-8"))
    assert words in " ".join(text.split())
    with a_story("orders", *(["refunds"] if life.startswith("refunds") else [])) as story:
        assert [story.do(each) for each in told(life)][-1] == answer
        story.rest()


# The handlers of the pages

BEFORE: Final = ("PLACED", "REFUSED")
COMES: Final = (
    ("SUCCESS",),
    ("CLOSED", "SUCCESS"),
    ("SUCCESS", "BOUNCEBACK"),
    ("FAILED", "SUCCESS", "BOUNCEBACK"),
    ("SUCCESS", "SUCCESS"),
)


def handlers() -> Iterator[tuple[str, Callable[[Any], object]]]:
    """Find the handlers of results that pages show, each with what its block names before it."""
    for page in sorted([TOP / "README.md", *(TOP / "docs").glob("*.md")]):
        for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            if "UPDATE" not in block or "Event[ItemResult]" not in block:
                continue
            names: dict[str, Any] = {"__name__": "page"}
            for node in ast.parse(block).body:
                if isinstance(node, ast.FunctionDef):
                    node.decorator_list = []
                plain = not any(isinstance(one, ast.Call) for one in ast.walk(node))  # opens and asks for nothing
                if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef)) or (
                    isinstance(node, ast.Assign) and plain
                ):
                    with suppress(Exception):  # what needs settings, or another framework
                        exec(compile(ast.Module([node], []), str(page), "exec"), names)
            for name, one in names.items():
                if callable(one) and "event" in getattr(one, "__annotations__", {}) and name != "Event":
                    yield f"{page.name}: {name}", one


def left_by(handler: Callable[[Any], object], before: str, states: tuple[str, ...]) -> str:
    """Return the state in the shop's row after a handler was told some states, each once more at the end."""
    db = sqlite3.connect(":memory:")
    for table in ("payments", "orders"):
        db.execute(f"CREATE TABLE {table} (number TEXT PRIMARY KEY, amount TEXT, state TEXT)")
        db.execute(f"INSERT INTO {table} VALUES ('ORD_1', '10.50', ?)", (before,))
    for state in states:
        data = SimpleNamespace(
            kind="orders", key="ORD_1", state=state, is_paid=state == "SUCCESS", was=None, amount=None
        )
        handler(SimpleNamespace(transaction=db, data=data, by="notification", redelivered=False))
    found = {one for (one,) in db.execute("SELECT state FROM payments UNION SELECT state FROM orders")} - {before}
    db.close()
    return found.pop() if found else before


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("states", COMES, ids=" then ".join)
def test_a_handler_of_a_page_writes_what_came_last(states: tuple[str, ...], before: str) -> None:
    found = dict(handlers())
    assert len(found) >= 3
    assert {name: left_by(one, before, states) for name, one in found.items()} == dict.fromkeys(found, states[-1])


def test_a_handler_that_loses_money_is_seen() -> None:
    def ended(event: Any) -> None:
        change = "UPDATE payments SET state = ? WHERE number = ? AND state = 'PLACED'"
        event.transaction.execute(change, (event.data.state, event.data.key))

    lost = [states for states in COMES if left_by(ended, "PLACED", states) != states[-1]]
    assert lost == [one for one in COMES if len(set(one)) > 1]
