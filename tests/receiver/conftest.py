from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paywright import FixedClock, Ledger
from paywright_receiver import MemoryLedger, SqliteLedger
from tests.receiver.helpers.desk import NOW, POSTGRES, Desk

if TYPE_CHECKING:
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
    from tests.receiver.helpers.postgres_server import programs, running_postgres

    found = programs()
    if found is None:
        pytest.skip("PostgreSQL's server is not installed: neither on PATH nor in /usr/lib/postgresql")
    with running_postgres(found) as server:
        yield server


@pytest.fixture
def schema() -> str:
    """A name that no other test of this server uses."""
    return f"test_{next(_SCHEMAS)}"


@pytest.fixture(params=["sqlite", "memory", POSTGRES])
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Ledger]:
    """Every ledger there is; they behave alike."""
    clock = FixedClock(NOW)
    if request.param == "memory":
        return lambda: MemoryLedger(clock=clock)
    if request.param == "postgres":
        from tests.receiver.helpers.postgres_server import TimedLedger

        server: Server = request.getfixturevalue("postgres")
        name: str = request.getfixturevalue("schema")
        return lambda: TimedLedger(server, name)
    return lambda: SqliteLedger(tmp_path / "ledger.db", clock=clock)
