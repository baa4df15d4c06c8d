"""A handler cannot end the ledger's transaction: every way to try it, on every kind of ledger, whatever it does next.

A way is *refused* (nothing was ended: a handler that goes on is handled, one that lets the error out has failed), or it has
*ended* the transaction (the handler has failed, whatever it does next), or it is *allowed*. In every cell the effect is
there exactly if the record says that it is done, and the next delivery, whose handler does nothing of the kind, has it once.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from paywright import ClaimLost, Event, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import SqliteLedger, in_one_transaction
from tests.receiver.helpers.credits import Credits, File, fails
from tests.receiver.helpers.desk import Desk, transfer

if TYPE_CHECKING:
    from tests.receiver.helpers.mariadb_server import Server as MariaServer
    from tests.receiver.helpers.postgres_server import Server

Way = Callable[[Any, str], object]
Then = Literal["lets the error out", "swallows it", "writes more", "writes more and commits"]
THENS: tuple[Then, ...] = ("lets the error out", "swallows it", "writes more", "writes more and commits")


def with_block(db: Any, number: str) -> None:
    with db:
        pass


def rolls_back_within(db: Any, number: str) -> None:
    """One statement for many rows, whose rows come from what rolls back in between."""

    def rows() -> Iterator[tuple[str]]:
        yield (f"{number} b",)
        with suppress(sqlite3.Error):
            db.execute("INSERT OR ROLLBACK INTO credits VALUES ('taken')")
        yield (f"{number} c",)

    db.executemany("INSERT INTO credits VALUES (?)", rows())


def blob_after_the_end(db: Any, number: str) -> None:
    with suppress(sqlite3.Error):
        db.execute("INSERT OR ROLLBACK INTO credits VALUES ('taken')")
    with db.blobopen("credits", "number", 1) as blob:
        blob.write(b"t")


def with_savepoint(db: Any, number: str) -> None:
    db.execute("SAVEPOINT mine")
    db.execute("INSERT INTO credits VALUES ('undone')")
    db.execute("ROLLBACK TO mine")
    db.execute("RELEASE SAVEPOINT mine")


def changes_the_schema(db: Any, number: str) -> None:
    """Tables are made in the transaction, and are gone with it."""
    db.execute("CREATE TABLE made (x INTEGER)")
    db.execute("ALTER TABLE made ADD COLUMN y INTEGER")
    db.execute("DROP TABLE made")


def isolation(level: str | None) -> Way:
    return lambda db, number: setattr(db, "isolation_level", level)


def authorizer(db: Any, number: str) -> None:
    db.set_authorizer(None)
    db.execute("COMMIT")


SQLITE: dict[str, tuple[str, Way]] = {
    "COMMIT": ("refused", lambda db, number: db.execute("COMMIT")),
    "END": ("refused", lambda db, number: db.execute("END TRANSACTION")),
    "ROLLBACK": ("refused", lambda db, number: db.execute("ROLLBACK")),
    "BEGIN": ("refused", lambda db, number: db.execute("BEGIN")),
    "by a cursor": ("refused", lambda db, number: db.cursor().execute("/* x */ rollback")),
    "by a cursor of sqlite3": ("refused", lambda db, number: sqlite3.Cursor(db).execute("ROLLBACK")),
    "commit()": ("refused", lambda db, number: db.commit()),
    "rollback()": ("refused", lambda db, number: db.rollback()),
    "with": ("refused", with_block),
    "executescript": ("refused", lambda db, number: db.executescript("SELECT 1;")),
    "a script": ("refused", lambda db, number: db.executescript("ROLLBACK; INSERT INTO credits VALUES ('x'); COMMIT")),
    "isolation_level None": ("refused", isolation(None)),
    "set_authorizer": ("refused", authorizer),
    "isolation_level IMMEDIATE": ("allowed", isolation("IMMEDIATE")),
    "savepoint": ("allowed", with_savepoint),
    "DDL": ("allowed", changes_the_schema),
    "INSERT OR ROLLBACK": ("ended", lambda db, number: db.execute("INSERT OR ROLLBACK INTO credits VALUES ('taken')")),
    "UPDATE OR ROLLBACK": ("ended", lambda db, number: db.execute("UPDATE OR ROLLBACK credits SET number = 'taken'")),
    "ON CONFLICT ROLLBACK": ("ended", lambda db, number: db.execute("INSERT INTO strict VALUES ('taken')")),
    "RAISE(ROLLBACK)": ("ended", lambda db, number: db.execute("INSERT INTO credits VALUES ('raise')")),
    "executemany": (
        "ended",
        lambda db, number: db.executemany(
            "INSERT OR ROLLBACK INTO credits VALUES (?)", [(f"{number} b",), ("taken",), (f"{number} c",)]
        ),
    ),
    "executemany of a cursor": (
        "ended",
        lambda db, number: db.cursor().executemany("INSERT OR ROLLBACK INTO credits VALUES (?)", [("taken",)]),
    ),
    "rows that roll back": ("ended", rolls_back_within),
    "blobopen": ("ended", blob_after_the_end),
    "close()": ("ended", lambda db, number: db.close()),
}


def says(text: str | bytes) -> Way:
    return lambda db, number: db.execute(text)


def written_as_python(db: Any, number: str) -> None:
    from psycopg import sql

    db.execute(sql.SQL("{}").format(sql.SQL("ROLLBACK")))


def by_another_cursor(db: Any, number: str) -> None:
    """A cursor that was not asked of the connection: the statement goes out, and the connection is closed."""
    from psycopg import ClientCursor

    ClientCursor(db).execute("ROLLBACK")


def copies(db: Any, number: str) -> None:
    with db.cursor().copy("ROLLBACK; COPY credits FROM STDIN") as copy:
        copy.write_row(("copied",))


def pipelined(db: Any, number: str) -> None:
    with db.pipeline():
        db.execute("ROLLBACK")
        db.execute("INSERT INTO credits VALUES ('piped')")


def other_factory(db: Any, number: str) -> None:
    from psycopg import RawCursor

    db.cursor_factory = lambda *values, **named: RawCursor(*values, **named)
    db.execute("ROLLBACK")


def postgres_savepoint(db: Any, number: str) -> None:
    undone = "INSERT INTO credits VALUES ('undone')"
    with suppress(ZeroDivisionError), db.transaction():
        db.execute(undone)
        raise ZeroDivisionError
    for text in ("SAVEPOINT mine", undone, "ROLLBACK TO SAVEPOINT mine", "RELEASE mine"):
        db.execute(text)


def chained(end: str, how: Callable[[Any, str], object]) -> Way:
    """The transaction becomes another one, which anybody may commit."""

    def way(db: Any, number: str) -> None:
        how(db, f"{end} AND CHAIN")
        for text in ("INSERT INTO credits VALUES ('chained')", "COMMIT"):
            db.execute(text)

    return way


def by_executemany(db: Any, text: str) -> None:
    db.cursor().executemany(text, [()])


def by_copy(db: Any, text: str) -> None:
    with suppress(Exception), db.cursor().copy(text):
        pass


def by_stream(db: Any, text: str) -> None:
    with suppress(Exception):
        list(db.cursor().stream(text))


def in_a_pipeline(db: Any, text: str) -> None:
    with suppress(Exception), db.pipeline():
        for each in (text, "INSERT INTO credits VALUES ('piped')", "COMMIT"):
            db.execute(each)


POSTGRES: dict[str, tuple[str, Way]] = {
    **{word: ("ended", says(word)) for word in ("COMMIT", "END", "ROLLBACK", "ABORT")},
    **{word: ("allowed", says(word)) for word in ("BEGIN", "START TRANSACTION")},  # the server warns, and goes on
    "COMMIT AND CHAIN": ("ended", chained("COMMIT", lambda db, text: db.execute(text))),
    "ROLLBACK AND CHAIN": ("ended", chained("/* /* */ */ rollback -- TO\n", lambda db, text: db.execute(text))),
    "CHAIN by executemany": ("ended", chained("ROLLBACK", by_executemany)),
    "CHAIN by stream": ("ended", chained("ROLLBACK", by_stream)),
    "CHAIN by copy": ("ended", chained("ROLLBACK", by_copy)),
    "PREPARE TRANSACTION": ("ended", says("PREPARE TRANSACTION 'x'")),
    "in one text": ("ended", says("ROLLBACK; INSERT INTO credits VALUES ('x'); COMMIT")),
    "in the middle": ("ended", says("SELECT ';'; COMMIT; BEGIN")),
    "composed": ("ended", written_as_python),
    "by a cursor": ("ended", lambda db, number: db.cursor().execute("END")),
    "by a cursor of the server": ("ended", lambda db, number: db.cursor("c").execute("SELECT 1; ROLLBACK")),
    "executemany": ("ended", lambda db, number: db.cursor().executemany("COMMIT", [()])),
    "stream": ("ended", lambda db, number: list(db.cursor().stream("COMMIT"))),
    "copy": ("ended", copies),
    "in a pipeline": ("refused", pipelined),
    "CHAIN in a pipeline": ("allowed", lambda db, number: in_a_pipeline(db, "ROLLBACK AND CHAIN")),
    "DDL": ("allowed", changes_the_schema),
    "outside of transactions": ("ended", says("VACUUM")),
    "commit()": ("refused", lambda db, number: db.commit()),
    "rollback()": ("refused", lambda db, number: db.rollback()),
    "with": ("refused", with_block),
    "autocommit": ("refused", lambda db, number: setattr(db, "autocommit", not db.autocommit)),
    "savepoint": ("allowed", postgres_savepoint),
    "DO": ("ended", says("DO $$ BEGIN ROLLBACK; INSERT INTO credits VALUES ('x'); COMMIT; END $$")),
    "a failed statement": ("ended", says("SELECT 1/0")),
    "a constraint that is checked now": ("ended", says("SET CONSTRAINTS ALL IMMEDIATE")),
    "by another cursor": ("ended", by_another_cursor),
    "another factory": ("ended", other_factory),
    "by libpq": ("ended", lambda db, number: db.pgconn.exec_(b"ROLLBACK")),
    "close()": ("ended", lambda db, number: db.close()),
}


def another_connection(db: Any, number: str) -> None:
    """The driver would open one, and commit each statement in it."""
    with suppress(Exception):
        db.kill(db.thread_id())
    db.ping(reconnect=True)


def deadlocked(db: Any, number: str) -> None:
    """The server rolls all of it back, and a plain transaction would go on with the next statement."""
    other: Any = db.__class__.__mro__[1](unix_socket=db.unix_socket, user=db.user, database=db.db, ssl_disabled=True)
    with closing(other), other.cursor() as mine:
        mine.execute("UPDATE two SET n = 0 WHERE id = 2")
        db.execute("UPDATE two SET n = 0 WHERE id = 1")
        mine.execute("INSERT INTO heavy SELECT seq FROM seq_1_to_500")  # so that the other is the victim
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(mine.execute, "UPDATE two SET n = 0 WHERE id = 1")
            try:
                db.execute("UPDATE two SET n = 0 WHERE id = 2")
            finally:
                waiting.result(60)
                other.rollback()


MARIADB: dict[str, tuple[str, Way]] = {
    **{
        text: ("refused", says(text))
        for text in (
            "COMMIT", "ROLLBACK", "BEGIN", "START TRANSACTION", "/*M! commit */", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN RELEASE",
            "CREATE TABLE made (x INTEGER)", "CREATE TABLE credits (x INTEGER)", "DROP TABLE nothing", "CALL ends()",
            "ALTER TABLE credits ADD y INTEGER", "TRUNCATE TABLE credits", "CREATE INDEX mine ON credits (number)",
            "ANALYZE TABLE credits", "FLUSH STATUS", "LOCK TABLES credits WRITE", "XA START 'x'", "XA COMMIT 'x'",
            "EXECUTE IMMEDIATE 'COMMIT'", "GRANT SELECT ON *.* TO nobody", "SET PASSWORD = PASSWORD('x')", "CREATE USER nobody",
            "RENAME TABLE credits TO others",
        )
    },
    "by a cursor": ("refused", lambda db, number: db.cursor().execute("ROLLBACK")),
    "executemany": ("refused", lambda db, number: db.cursor().executemany("COMMIT", [()])),
    "a temporary table": ("allowed", says("CREATE TEMPORARY TABLE mine (x INTEGER)")),
    "a failed statement": ("refused", says("SELECT * FROM nothing")),
    "commit()": ("refused", lambda db, number: db.commit()),
    "rollback()": ("refused", lambda db, number: db.rollback()),
    "begin()": ("refused", lambda db, number: db.begin()),
    "with": ("refused", with_block),
    "close(), refused": ("refused", lambda db, number: db.close()),
    "autocommit": ("refused", lambda db, number: [db.autocommit(one) for one in (False, True)]),
    "SET autocommit": ("refused", lambda db, number: [db.execute(f"SET autocommit = {one}") for one in (0, 1)]),
    "savepoint": ("allowed", with_savepoint),
    "unread rows": ("allowed", lambda db, number: db.cursor(_unbuffered()).execute("SELECT 1 UNION SELECT 2")),
    "another connection": ("ended", another_connection),
    "a deadlock": ("ended", deadlocked),
}  # fmt: skip
MARIADB_KINDS = ("address", "function")


def _unbuffered() -> Any:
    from pymysql.cursors import SSCursor

    return SSCursor


POSTGRES_KINDS = ("connection string", "callable", "callable, autocommit", "pool", "pool, autocommit")


class Shop:
    """A desk whose handler does what `way` says and then what `then` says, and what anybody else finds in its table."""

    def __init__(self, desk: Desk, mark: str, ask: Callable[[str], list[Any]], one: bool) -> None:
        self.desk = desk
        self.ask = ask
        self.way: Way = lambda db, number: None
        self.then: Then = "lets the error out"
        insert = f"INSERT INTO credits VALUES ({mark})"

        def credit(event: Event[Transfer]) -> None:
            number, db = event.data.request_no, event.transaction
            db.execute(insert, (f"{number} first",))
            if self.then == "lets the error out":
                self.way(db, number)
                return
            with suppress(Exception):
                self.way(db, number)
            if self.then == "swallows it":
                return
            with suppress(Exception):
                event.transaction.execute(insert, (f"{number} more",))
            if self.then == "writes more and commits":
                for end in (db.commit, lambda: db.execute("COMMIT"), db.commit):  # type: ignore[attr-defined]
                    with suppress(Exception):
                        end()

        desk.receiver.on_receive(in_one_transaction(credit) if one else credit)

    def effects(self, number: str) -> list[str]:
        return sorted(
            self.ask(f"SELECT number FROM credits WHERE number NOT IN ('taken') AND number LIKE '{number} %'")
        )

    def strays(self) -> list[str]:
        return self.ask("SELECT number FROM credits WHERE number NOT LIKE 'R%' AND number <> 'taken'")


TABLES = {
    "sqlite": (
        "CREATE TABLE credits (number TEXT UNIQUE)", "CREATE TABLE strict (number TEXT UNIQUE ON CONFLICT ROLLBACK)",
        "CREATE TRIGGER raises BEFORE INSERT ON credits WHEN new.number = 'raise' BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
        "INSERT INTO credits VALUES ('taken')", "INSERT INTO strict VALUES ('taken')",
    ),
    "postgres": ("CREATE TABLE credits (number TEXT UNIQUE)",),
    "mariadb": (
        "CREATE TABLE credits (number VARCHAR(200) UNIQUE)", "CREATE TABLE two (id INT PRIMARY KEY, n INT)",
        "INSERT INTO two VALUES (1, 1), (2, 2)", "CREATE TABLE heavy (n INT)", "CREATE PROCEDURE ends() COMMIT",
    ),
}  # fmt: skip


@contextmanager
def postgres_ledger(kind: str, server: Server, name: str) -> Iterator[Any]:
    import psycopg
    from psycopg_pool import ConnectionPool

    from paywright_receiver.ledgers.postgres import PostgresLedger

    autocommit, conninfo = "autocommit" in kind, server.conninfo(name)
    if kind.startswith("pool"):
        with ConnectionPool(conninfo, min_size=1, max_size=4, kwargs={"autocommit": autocommit}, open=True) as pool:
            yield PostgresLedger(pool)
        return
    source: Any = conninfo if kind == "connection string" else lambda: psycopg.connect(conninfo, autocommit=autocommit)
    with closing(PostgresLedger(source, most=2)) as ledger:
        yield ledger


@contextmanager
def mariadb_ledger(kind: str, server: MariaServer, name: str) -> Iterator[Any]:
    from paywright_receiver.ledgers.mariadb import MariaDbLedger

    source: Any = server.address(name) if kind == "address" else lambda: server.connect(name, autocommit=False)
    with closing(MariaDbLedger(source, most=2)) as ledger:
        yield ledger


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Shops]:
    with ExitStack() as stack:

        @cache
        def shop(kind: str, one: bool) -> Shop:
            database = "sqlite" if kind == "sqlite" else "mariadb" if kind in MARIADB_KINDS else "postgres"
            name = f"table_{'one_' * one}" + "".join(filter(str.isalpha, kind))
            if database == "sqlite":
                server: Any = File(tmp_path_factory.mktemp("shop") / "shop.db")
                made: Any = closing(SqliteLedger(server.path))
            else:
                server = request.getfixturevalue(database)
                server.ask(
                    f"DROP DATABASE IF EXISTS {name}{' WITH (FORCE)' * (database == 'postgres')}"
                )  # of an earlier use in this run
                server.ask(f"CREATE DATABASE {name}")
                made = (postgres_ledger if database == "postgres" else mariadb_ledger)(kind, server, name)

            def ask(query: str) -> list[Any]:
                return [row[0] for row in server.ask(query, *[name] * (database != "sqlite"))]

            for statement in TABLES[database]:
                ask(statement)
            return Shop(Desk(stack.enter_context(made)), "?" if database == "sqlite" else "%s", ask, one)

        yield shop


Shops = Callable[[str, bool], Shop]
ENDING = ("COMMIT", "commit()", "rollback()")
ENDED = ("INSERT OR ROLLBACK", "by another cursor", "by libpq", "close()")
WAYS = {"sqlite": SQLITE, **dict.fromkeys(POSTGRES_KINDS, POSTGRES), **dict.fromkeys(MARIADB_KINDS, MARIADB)}


def cells() -> Iterator[Any]:
    """Of what needs PostgreSQL half is slow and the other half full: any two of kind, way and place of the claim meet in the first."""
    for (row, (kind, ways)), one in product(enumerate(WAYS.items()), (False, True)):
        for column, way in enumerate(ways):
            whole = kind == "function" or (kind in POSTGRES_KINDS and (row + column + one) % 2)
            marks = () if kind == "sqlite" else (pytest.mark.slow, *[pytest.mark.full] * whole)
            name = f"{kind}-{way}-{'in one transaction' if one else 'claimed before'}"
            yield pytest.param(kind, way, one, id=name, marks=marks)


@pytest.mark.parametrize(("kind", "named", "one"), cells())
def test_an_effect_is_there_exactly_if_its_record_is_done(shops: Shops, kind: str, named: str, one: bool) -> None:
    shop = shops(kind, one)
    answer, way = WAYS[kind][named]
    for then in THENS:
        number = f"R {named} {then}".replace("'", "")
        shop.way, shop.then = way, then
        reply = shop.desk.deliver(transfer(number))
        commits = (
            kind in POSTGRES_KINDS and then == "writes more and commits"
        )  # refused by the server, which rolls back
        if answer == "ended" or commits or (answer == "refused" and then == "lets the error out"):
            assert (reply.outcome, reply.acknowledged, shop.effects(number)) == ("failed", False, []), then
            (entry,) = shop.desk.ledger.list(status="failed")
            assert entry.key == reply.key
            assert entry.why
            if then == "lets the error out" and named in (*ENDING, *ENDED):
                tried = named in ENDING and (
                    kind not in POSTGRES_KINDS or named != "COMMIT"
                )  # that server refuses it itself
                assert entry.why.startswith(
                    "the handler tried to end the transaction by itself; the ledger does that when it has returned"
                    if tried
                    else "the transaction ended within the handler, by a statement of its own (such as ROLLBACK"
                )
        else:
            expected = [f"{number} first"] + [f"{number} more"] * then.startswith("writes more")
            assert (reply.outcome, shop.effects(number)) == ("handled", expected), then
        shop.way, shop.then = lambda db, number: None, "lets the error out"
        again = shop.desk.deliver(transfer(number))
        assert again.outcome == ("duplicate" if reply.acknowledged else "handled"), then
        assert shop.effects(number)[0] == f"{number} first"
        assert len(shop.effects(number)) == (1 if again.outcome == "handled" else len(expected))
        assert shop.desk.ledger.list(status="failed") == []
        assert shop.strays() == []


# The effect and its record


def test_the_effect_and_its_record_are_written_together_or_not_at_all(credits: Credits) -> None:
    desk = credits.desk(then=fails)
    assert [desk.deliver(transfer("R0")).outcome for _ in range(3)] == ["failed", "handled", "duplicate"]
    assert credits.written() == ["R0"]


def test_what_a_handler_wrote_whose_claim_was_taken_over_is_undone(credits: Credits) -> None:
    desk = Desk(credits.ledger, lease=1)
    inside, go_on = threading.Event(), threading.Event()

    @desk.receiver.on_receive
    def slow(event: Event[Transfer]) -> None:
        if event.attempt == 1:
            inside.set()
            assert go_on.wait(600)
        credits.write(event, str(event.attempt))

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(desk.deliver, transfer())
        assert inside.wait(600)
        desk.pass_time(seconds=2)
        assert desk.deliver(transfer()).outcome == "handled"
        go_on.set()
        assert first.result(600).outcome == "in_progress"
    assert credits.written() == ["2"]


# A transaction that could not be begun


@pytest.mark.parametrize(
    "kind", ["sqlite", *(pytest.param(one, marks=pytest.mark.slow) for one in (*POSTGRES_KINDS, *MARIADB_KINDS))]
)
def test_a_claim_that_was_lost_is_lost_at_every_look_and_holds_no_connection(shops: Shops, kind: str) -> None:
    shop = shops(kind, False)
    looks: list[str] = []

    def slow(event: Event[Transfer]) -> None:
        if event.attempt > 1:
            return
        assert desk.ledger.release(event.key)
        assert desk.deliver(transfer(event.data.request_no)).outcome == "handled"
        for _ in range(3):
            try:
                event.transaction.execute("INSERT INTO credits VALUES ('R stray')")
            except ClaimLost:
                looks.append(event.key)

    desk = Desk(shop.desk.ledger)
    desk.receiver.on_receive(slow)
    for number in range(20):  # more than there are connections
        reply = desk.deliver(transfer(f"L{number}"))
        assert (reply.outcome, reply.acknowledged) == ("in_progress", False)
    assert len(looks) == 60
    assert shop.effects("R stray") == []
    shop.way, shop.then = lambda db, number: None, "lets the error out"
    assert shop.desk.deliver(transfer(f"R after {kind}")).outcome == "handled"


def test_a_handler_that_goes_on_without_its_transaction_is_not_done(tmp_path: Path) -> None:
    """The file is busy at the look; the handler swallows that, and would be acknowledged without its effect."""
    desk = Desk(SqliteLedger(tmp_path / "shop.db", timeout=0.1))
    busy = sqlite3.connect(tmp_path / "shop.db", isolation_level=None, check_same_thread=False)

    @desk.receiver.on_receive
    def careless(event: Event[Transfer]) -> None:
        if event.attempt == 1:
            busy.execute("BEGIN IMMEDIATE")
        with suppress(LedgerProblem):
            event.transaction.execute("CREATE TABLE credits (number TEXT)")
        if event.attempt == 1:
            busy.execute("ROLLBACK")

    reply = desk.deliver(transfer())
    assert (reply.outcome, reply.acknowledged) == ("failed", False)
    assert "could not be begun" in desk.ledger.list()[0].why
    assert desk.deliver(transfer()).outcome == "handled"
    busy.close()


def test_a_look_that_failed_may_be_repeated(tmp_path: Path) -> None:
    desk = Desk(SqliteLedger(tmp_path / "shop.db", timeout=0.1))
    busy = sqlite3.connect(tmp_path / "shop.db", isolation_level=None, check_same_thread=False)

    @desk.receiver.on_receive
    def patient(event: Event[Transfer]) -> None:
        busy.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerProblem, match="locked"):
            event.transaction.execute("SELECT 1")
        busy.execute("ROLLBACK")
        event.transaction.execute("CREATE TABLE credits (number TEXT)")

    assert desk.deliver(transfer()).outcome == "handled"
    busy.close()
