"""Worlds whose shops have PostgreSQL or MariaDB: transactions cross each other, and who meets a lock comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.world.test_world import HARD, whole
from tests.world.world import Limits

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["postgres", "mariadb"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server that need not survive the machine."""
    if request.param == "postgres":
        pytest.importorskip("psycopg")
        from tests.receiver.helpers.postgres_server import running_postgres

        with running_postgres() as server:
            server.ask("ALTER SYSTEM SET fsync = off")
            server.ask("SELECT pg_reload_conf()")
            yield server.conninfo()
    else:
        pytest.importorskip("pymysql")
        from tests.receiver.helpers.mariadb_server import running_mariadb

        with running_mariadb("--innodb-flush-log-at-trx-commit=0") as maria:
            yield maria.address()


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.full) for part in range(2, 200))])
def test_worlds_on_a_server_have_no_violation(part: int, address: str, folder: Path, record_property: Any) -> None:
    limits = (HARD if part % 2 else Limits())._replace(server=address)
    whole(folder, range(part * 2, part * 2 + 2), limits, record_property)
