"""A handler that fails: the same answer on every ledger, where it failed, who is told, and nothing that stays claimed."""

from __future__ import annotations

import logging
import re
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import ConfigurationError, DeliveryEvent, Event, Receiver
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, POSTGRES, Desk, bill, transfer

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

KEY = f"{APP}/RECEIVE/R1/SETTLED"
TABLES = (
    "CREATE TABLE shops (id INTEGER PRIMARY KEY)",
    "CREATE TABLE credits (number TEXT PRIMARY KEY CHECK (number <> ''), "
    "shop INTEGER REFERENCES shops (id) DEFERRABLE INITIALLY DEFERRED)",
)


class Place:
    """A ledger beside tables of the merchant's own, which its handlers write to."""

    def __init__(self, ledger: Any, ask: Callable[[str], Any], hold: Callable[[], Callable[[], None]]) -> None:
        self.ledger = ledger
        self.ask = ask
        self.hold = hold
        """Takes the last connection that may write; what comes back gives it free."""


@pytest.fixture(params=["sqlite", POSTGRES])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return sqlite_place(tmp_path / "shop.db")
    server: Server = request.getfixturevalue("postgres")
    return postgres_place(server, request.getfixturevalue("schema"))


def sqlite_place(path: Path) -> Place:
    def ask(text: str) -> Any:
        with sqlite3.connect(path) as db:
            return db.execute(text).fetchall()

    ledger = SqliteLedger(path, timeout=0.2)

    def hold() -> Callable[[], None]:
        return partial(ledger.end, ledger.begin(), ended=False)

    for table in TABLES:
        ask(table)
    return Place(ledger, ask, hold)


def postgres_place(server: Server, schema: str) -> Place:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    database = f"shop_{schema}"
    server.ask(f"CREATE DATABASE {database}")
    ledger = PostgresLedger(server.conninfo(database), most=1, timeout=0.2)

    def hold() -> Callable[[], None]:
        return partial(ledger.end, ledger.begin(), ended=False)

    for table in TABLES:
        server.ask(table, database)
    return Place(ledger, partial(server.ask, database=database), hold)


# The same answer on every ledger


def raises(event: Event[Any]) -> None:
    event.transaction.execute("INSERT INTO credits (number) VALUES ('R1')")
    raise ValueError("SECRET_WORDS")


def breaks_a_rule(event: Event[Any]) -> None:
    event.transaction.execute("INSERT INTO credits (number) VALUES ('')")


def breaks_a_rule_at_the_commit(event: Event[Any]) -> None:
    event.transaction.execute("INSERT INTO credits (number, shop) VALUES ('R1', 7)")


def misspells(event: Event[Any]) -> None:
    event.transaction.execute("INSRET INTO credits (number) VALUES ('R1')")


def names_no_table(event: Event[Any]) -> None:
    event.transaction.execute("INSERT INTO debits (number) VALUES ('R1')")


def closes(event: Event[Any]) -> None:
    event.transaction.execute("INSERT INTO credits (number) VALUES ('R1')")
    event.transaction.close()  # type: ignore[attr-defined]  # every connection has it


def closes_and_raises(event: Event[Any]) -> None:
    closes(event)
    raise ValueError("SECRET_WORDS")


def returns_something(event: Event[Any]) -> object:
    event.transaction.execute("INSERT INTO credits (number) VALUES ('R1')")
    return False


FAULTS = {
    raises: "the handler raised ValueError at test_faults.py:",
    breaks_a_rule: "test_faults.py:",
    breaks_a_rule_at_the_commit: "broke a constraint that is looked at when the transaction is committed",
    misspells: "test_faults.py:",
    names_no_table: "test_faults.py:",
    closes_and_raises: "the transaction ended within the handler",
    returns_something: "the handler returned a bool",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_handlers_fault_is_one_answer_whatever_the_ledger(fault: Callable[..., Any], place: Place) -> None:
    desk = Desk(place.ledger)
    desk.receiver.on_receive(fault)
    for attempt in (1, 2):
        reply = desk.deliver(transfer())
        assert (reply.status, reply.outcome, reply.acknowledged) == (500, "failed", False)
        (entry,) = desk.ledger.list()
        assert (entry.status, entry.attempts) == ("failed", attempt)
        assert re.search(FAULTS[fault], entry.why) or (fault is closes_and_raises and "ValueError" in entry.why)
        assert "SECRET_WORDS" not in entry.why
    assert place.ask("SELECT * FROM credits") == []
    after = Desk(place.ledger)
    after.receiver.on_receive(lambda event: None)
    assert after.deliver(transfer()).outcome == "handled"


def test_no_connection_after_the_claim_leaves_nothing_in_progress(place: Place) -> None:
    """The claim is given back as soon as there is a connection, and not when its lease of a minute is over."""
    freed: list[Callable[[], None]] = []
    desk = Desk(place.ledger)

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        if not freed:
            freed.append(place.hold())
        event.transaction.execute("INSERT INTO credits (number) VALUES (" + repr(event.data.request_no) + ")")

    assert desk.deliver(transfer()).outcome == "ledger_failed"
    assert desk.deliver(transfer()).outcome == "ledger_failed"  # there is none yet
    freed[0]()
    assert desk.deliver(transfer("R2")).outcome == "handled"
    assert {entry.key: entry.status for entry in desk.ledger.list()}[KEY] == "failed"
    assert desk.deliver(transfer()).outcome == "handled"
    assert place.ask("SELECT number FROM credits ORDER BY number") == [("R1",), ("R2",)]


def test_a_claim_that_another_one_has_taken_over_is_not_given_back(place: Place) -> None:
    """What could not be given back names its owner: who has the record meanwhile keeps it."""
    held = Desk(place.ledger)
    freed: list[Callable[[], None]] = []

    @held.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        freed.append(place.hold())
        raise ValueError

    assert held.deliver(transfer()).outcome == "ledger_failed"
    freed[0]()
    mine = place.ask("UPDATE paywright_notifications SET owner = 'another' WHERE status = 'claimed' RETURNING owner")
    assert mine == [("another",)]
    assert held.deliver(transfer()).outcome == "in_progress"


# Where it failed


def own(event: Event[Any]) -> None:
    sqlite3.connect("/no/such/folder/x")


def in_the_library(event: Event[Any]) -> None:
    shutil.copyfile("/no/such/folder/x", "x")


def in_the_receiver(event: Event[Any]) -> None:
    event.transaction.set_authorizer(None)  # the ledger's stays


def line_of(function: Callable[..., Any]) -> str:
    return f"test_faults.py:{function.__code__.co_firstlineno + 1}"


@pytest.mark.parametrize("wrap", [lambda handler: handler, partial], ids=["plain", "partial"])
def test_a_failure_names_the_handlers_own_line(wrap: Callable[..., Any]) -> None:
    for handler, what in ((own, "OperationalError"), (in_the_library, "FileNotFoundError")):
        desk = Desk(MemoryLedger())
        desk.receiver.on_receive(wrap(handler))
        assert desk.deliver(transfer()).outcome == "failed"
        (entry,) = desk.ledger.list()
        assert entry.why.startswith(f"the handler raised {what} at ")
        assert entry.why.endswith(line_of(handler))
        # What a library raised is named by its own line too.
        assert ("shutil" in entry.why) == (", called from " in entry.why) == (handler is in_the_library)


def test_a_failure_inside_of_the_receiver_names_the_line_that_asked_for_it() -> None:
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(in_the_receiver)
    assert desk.deliver(transfer()).outcome == "failed"
    why = desk.ledger.list()[0].why
    assert why.startswith("the handler raised NotSupportedError at sqlite_connections.py:")
    assert why.endswith(f", called from {line_of(in_the_receiver)}")


def test_a_merchants_installed_package_is_his_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all of a program is installed, that of the handler's package is its own."""
    packages = tmp_path / "site-packages"
    for name, text in {
        "shop_of_mine/__init__.py": "",
        "shop_of_mine/handlers.py": "from shop_of_mine import credits\ndef handle(event):\n    credits.credit()\n",
        "shop_of_mine/credits.py": "import driver_of_others\ndef credit():\n    driver_of_others.execute()\n",
        "driver_of_others.py": "def execute():\n    raise LookupError('SECRET_WORDS')\n",
    }.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(text)
    monkeypatch.syspath_prepend(str(packages))
    from shop_of_mine.handlers import handle  # type: ignore[import-not-found]  # it has just been written

    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(handle)
    desk.deliver(transfer())
    assert desk.ledger.list()[0].why == (
        "the handler raised LookupError at driver_of_others.py:2, called from credits.py:3"
    )


# Who is told


def test_the_hook_gets_the_error_and_the_reason_and_shows_no_words_of_it() -> None:
    events: list[DeliveryEvent] = []
    desk = Desk(MemoryLedger(), hook=events.append)
    raised = ValueError("SECRET_WORDS")

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        raise raised

    @desk.receiver.on_validate_bill_payment
    def decide(question: Any) -> Any:
        raise raised

    desk.deliver(transfer())
    desk.deliver(bill())
    failed, answered = events
    assert (failed.outcome, failed.error, answered.outcome, answered.error) == ("failed", raised, "answered", raised)
    assert failed.why == desk.ledger.list()[0].why
    assert "test_faults.py:" in answered.why
    assert "SECRET_WORDS" not in repr(events)
    assert "error=ValueError" in repr(failed)


@pytest.mark.parametrize("switch", [False, True])
def test_a_developer_may_have_the_whole_traceback(switch: bool, caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(MemoryLedger(), log_tracebacks=switch)
    desk.receiver.on_receive(raises)
    desk.receiver.on_validate_bill_payment(raises)  # type: ignore[arg-type]  # it fails before that matters
    with caplog.at_level(logging.DEBUG):
        assert desk.deliver(transfer()).outcome == "failed"
        assert desk.deliver(bill()).outcome == "answered"
    assert ("Traceback (most recent call last)" in caplog.text) == switch
    assert (caplog.text.count('test_faults.py", line') >= 2) == switch
    assert ("OperationalError: no such table: credits" in caplog.text) == switch


@pytest.mark.parametrize(("word", "switch"), [("yes", True), ("ON", True), ("no", False), ("", False)])
def test_the_environment_switches_tracebacks_on(word: str, switch: bool) -> None:
    assert Receiver.from_env(MemoryLedger(), environment(LOG_TRACEBACKS=word)).log_tracebacks == switch


@pytest.mark.parametrize("name", ["LOG_TRACEBACKS", "SIGN_ANSWERS"])
def test_a_switch_with_an_unknown_word_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"PAYWRIGHT_{name} is none of 1, yes") as refused:
        Receiver.from_env(MemoryLedger(), environment(**{name: "ture"}))
    assert "ture" not in str(refused.value).replace("nature", "")


def environment(**more: str) -> dict[str, str]:
    from tests.receiver.helpers.desk import key

    given = {"APP_ID": APP, "GATEWAY_KEYS": "".join(KeyPair(key()).public_pem.splitlines()[1:-1]), **more}
    return {f"PAYWRIGHT_{name}": value for name, value in given.items()}


def test_a_receiver_from_the_environment_takes_a_hook() -> None:
    events: list[DeliveryEvent] = []
    receiver = Receiver.from_env(MemoryLedger(), environment(), hook=events.append)
    receiver.receive(b"{}", {})
    assert [event.outcome for event in events] == ["unsigned"]
