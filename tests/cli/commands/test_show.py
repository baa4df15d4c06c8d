"""`paywright show`: all that is known of a number, in order of time, over a real ledger and against the sandbox on loopback."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest

from paywright import Event, ItemResult, Receiver
from paywright_cli.commands import show
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.items.state_memory import Source
from paywright_receiver.items.times import micros
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.cli.helpers.command_line import Ended, paywright
from tests.sandbox.helpers.place import place


class Shop:
    """A shop whose webhooks the sandbox sends in this process, and whose handler fails as long as `broken`."""

    def __init__(self, folder: Path, sandbox: RunningSandbox) -> None:
        self.folder, self.sandbox, self.broken = folder, sandbox, False
        self.ledger = SqliteLedger(folder / "shop.db")
        self.receiver = Receiver.from_env(self.ledger, sandbox.env)
        self.receiver.on_result("orders")(self.ended)
        with sandbox.client() as client:
            place(client, "ORD_1")
            self.follower = Follower(client, self.ledger, receiver=self.receiver)
            self.follower.open(None, client.orders.follow("ORD_1", total_amount=Decimal("10.50"), currency="USD"))

    def ended(self, event: Event[ItemResult]) -> None:
        if self.broken:
            raise LookupError("SECRET_WORDS")

    def show(self, key: str, *arguments: str, code: int = 0, **env: str) -> Ended:
        env = {**self.sandbox.env, **env}
        ended = paywright("show", key, "--ledger", "shop.db", *arguments, cwd=self.folder, env=env)
        assert ended.code == code, ended
        return ended

    def told(self, key: str, *arguments: str, code: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.show(key, *arguments, "--format", "json", code=code).out)
        times = [row["at"] for row in found["timeline"]]
        assert times == sorted(times)
        return found


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with running_sandbox(tmp_path / "gateway") as running:
        yield Shop(tmp_path, running)


def test_what_was_booked_by_hand_is_no_effect_of_the_handler(shop: Shop) -> None:
    shop.sandbox.pay("ORD_1")
    with shop.sandbox.client() as client:
        follower = Follower(client, shop.ledger, receiver=shop.receiver)
        follower.hint("orders", "ORD_1")
        assert follower.run_due().handled == 1
        follower.close("orders", "ORD_1", "returned in cash", state="BOUNCEBACK")
    rows = [row["what"] for row in shop.told("ORD_1")["timeline"] if row["who"] == "ledger"]
    assert rows == ["SUCCESS: your handler's effect was committed"]
    assert "BOUNCEBACK: booked by hand" in shop.show("ORD_1").out


def test_a_number_in_any_letters_shows_item_webhooks_and_gateway_in_order_of_time(shop: Shop) -> None:
    found = shop.told("ord_1")
    assert [(row["who"], row["what"].partition(":")[0]) for row in found["timeline"]][:2] == [
        ("follower", "opened"),
        ("follower", "is asked about (0 times so far)"),
    ]
    assert [one.partition("   # ")[0] for one in found["do"]] == [
        "paywright follow hint --ledger shop.db orders ORD_1",
        "grep paywright.receiver in your web server's log",
    ]
    shop.sandbox.pay("ORD_1")
    shop.broken = True
    with shop.sandbox.client() as client:
        follower = Follower(client, shop.ledger, receiver=shop.receiver)
        follower.hint("orders", "ORD_1")
        follower.run_due()
        asked = shop.told("ORD_1", "--ask")
        assert asked["timeline"][-1]["what"] in ("says now: SUCCESS, 10.50 USD", "is asked about (once so far)")
        assert "says now: SUCCESS, 10.50 USD" in [row["what"] for row in asked["timeline"]]
        (record,) = asked["notifications"]
        assert record["status"] == "failed"
        assert any("LookupError at test_show.py" in row["what"] for row in asked["timeline"])
        said = next(row["what"] for row in asked["timeline"] if row["about"] == record["key"])
        assert said == "said this, in a webhook or an answer"  # the ledger does not tell which of them
        assert (
            f"paywright notifications replay --receiver MODULE:RECEIVER {record['key']}   # once its cause is mended"
            in asked["do"]
        )
        shop.broken = False
        assert shop.receiver.replay(record["key"]).outcome == "handled"
    text = shop.show("oRd_1").out
    assert "settled" in text
    assert "SUCCESS: your handler's effect was committed" in text
    assert (
        "do: paywright follow redeliver --receiver MODULE:RECEIVER orders ORD_1   # if your own tables lack SUCCESS"
        in text
    )
    assert "SECRET_WORDS" not in text + json.dumps(asked)


@pytest.mark.parametrize(
    ("step", "due", "ask", "do"),
    [
        ("place_again", 60, [], []), ("place_again", 60, ["--ask"], ["hint"]), ("untold", None, [], ["run"]),
        ("decide", None, [], []), ("decide", 60, [], ["hint"]), ("decide", -60, [], ["run"]),
    ],
)  # fmt: skip
def test_the_commands_say_what_the_next_step_says(
    shop: Shop, step: str, due: int | None, ask: list[str], do: list[str]
) -> None:
    at = None if due is None else datetime.now(UTC) + timedelta(seconds=due)
    (item,) = shop.follower.items()
    assert shop.ledger.book.change(item.id, lambda one: one._replace(step=step, due_at=at))
    found = shop.told("ORD_1", *ask)
    assert [one.split()[2] for one in found["do"] if one.startswith("paywright")] == do
    # What the gateway shows now is not placed again.
    assert found["items"][0]["next"].startswith("place it again") == (step == "place_again" and not ask)
    assert ("do not place it again: the gateway shows it" in shop.show("ORD_1", *ask).out) == bool(ask)


@pytest.mark.parametrize("other", ["address", "app_id"])
def test_what_the_gateway_shows_says_nothing_of_an_item_at_another_one(shop: Shop, other: str) -> None:
    at = datetime.now(UTC) + timedelta(seconds=60)
    place = "https://elsewhere.example:443" if other == "address" else "app_other"
    with sqlite3.connect(shop.folder / "shop.db") as db:
        db.execute(f"UPDATE paywright_items SET step = 'place_again', due_at = ?, {other} = ?", (micros(at), place))
    assert shop.told("ORD_1", "--ask")["items"][0]["next"].startswith("place it again")


def test_of_what_nobody_registered_the_gateway_is_asked_under_every_kind(shop: Shop) -> None:
    with shop.sandbox.client() as client:
        place(client, "ORD_2")
    assert (
        "nobody registered it, and no webhook about it is kept; --ask asks the gateway"
        in shop.show("ORD_2", code=1).err
    )
    text = shop.show("ORD_2", "--ask").out
    assert (text.count("\n"), "orders ORD_2  says now: PENDING, 10.50 USD" in text) == (1, True)
    nothing = shop.show("ORD_3", "--ask", code=1)
    assert "orders ORD_3" in nothing.out
    assert "ORDER_NOT_EXIST" in nothing.out
    assert "nothing here is about ORD_3" in nothing.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("ORD_1", "--raw"), 2, "--raw and --digest go with the key of a webhook"),
        (("app_sandbox_1/PAYMENT/ORD_1/SUCCESS",), 1, "the ledger has no notification app_sandbox_1/PAYMENT/ORD_1/SUCCESS"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said(shop: Shop, arguments: tuple[str, ...], code: int, words: str) -> None:
    assert words in shop.show(*arguments, code=code).err


def test_without_an_answer_the_exit_code_is_1(shop: Shop) -> None:
    said = shop.show("ORD_1", "--ask", code=1, PAYWRIGHT_BASE_URL="http://127.0.0.1:9").out
    assert "no verified answer: " in said
    assert "10.50 USD registered" in said


def test_each_source_of_a_remembered_state_has_its_words() -> None:
    assert list(show._SOURCES) == list(get_args(Source))
