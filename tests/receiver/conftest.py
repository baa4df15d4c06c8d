from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import FixedClock, Ledger
from paywright_receiver import MemoryLedger, SqliteLedger
from tests.receiver.helpers.credits import Credits, File
from tests.receiver.helpers.desk import LONG, NOW, SERVERS, Desk

if TYPE_CHECKING:
    from tests.receiver.helpers.mariadb_server import Server as MariaServer
    from tests.receiver.helpers.postgres_server import Server

_SCHEMAS = count()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A receiver with a ledger in a file."""
    return Desk(tmp_path / "ledger.db")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, one for the whole run of a process."""
    pytest.importorskip("psycopg")
    from tests.receiver.helpers.postgres_server import running_postgres

    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaServer]:
    """A MariaDB server, one for the whole run of a process."""
    pytest.importorskip("pymysql")
    from tests.receiver.helpers.mariadb_server import running_mariadb

    with running_mariadb() as server:
        yield server


@pytest.fixture
def schema() -> str:
    """A name that no other test of a server uses."""
    return f"test_{next(_SCHEMAS)}"


@pytest.fixture(params=["sqlite", *SERVERS])
def credits(request: pytest.FixtureRequest, tmp_path: Path) -> Credits:
    """A merchant's table beside a ledger, in each database."""
    if request.param == "sqlite":
        return Credits("sqlite", File(tmp_path / "shop.db"))
    return Credits(request.param, request.getfixturevalue(request.param), request.getfixturevalue("schema"))


@pytest.fixture(params=["sqlite", *LONG])
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Ledger]:
    """Every ledger there is; they behave alike."""
    clock = FixedClock(NOW)
    if request.param != "sqlite":
        server: Server | MariaServer = request.getfixturevalue(request.param)
        name: str = request.getfixturevalue("schema")
        return lambda: server.ledger(name)
    return lambda: _working(SqliteLedger(tmp_path / "ledger.db", clock=clock))


def _working(ledger: SqliteLedger) -> SqliteLedger:
    """Return a ledger as it is in a process with deliveries; before the first one, each use would open the file."""
    ledger._connections.delivers()
    return ledger


@pytest.fixture(
    scope="module", params=["sqlite", *(pytest.param(one, marks=pytest.mark.full) for one in ("postgres", "mariadb"))]
)
def ledger_of_cells(request: pytest.FixtureRequest) -> Iterator[tuple[Any, FixedClock, Callable[[float], object]]]:
    """A ledger for the cells of a table, the clock that it goes by, and what lets time pass."""
    clock = FixedClock(NOW)
    if request.param == "sqlite":
        yield MemoryLedger(clock=clock), clock, clock.advance  # the disk is not what is tested here
    else:
        made = request.getfixturevalue(request.param).ledger(f"cells_{next(_SCHEMAS)}")
        made.prepare()

        def passes(seconds: float) -> None:
            clock.advance(seconds)
            if seconds:
                made.pass_time(timedelta(seconds=seconds))

        yield made, clock, passes
