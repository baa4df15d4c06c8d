"""Worlds whose shops have PostgreSQL: transactions cross each other, and who meets a lock comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.world.test_world import HARD, whole
from tests.world.world import Limits

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def conninfo() -> Iterator[str]:
    """A server that need not survive the machine."""
    pytest.importorskip("psycopg")
    from tests.receiver.helpers.postgres_server import running_postgres

    with running_postgres() as server:
        server.ask("ALTER SYSTEM SET fsync = off")
        server.ask("SELECT pg_reload_conf()")
        yield server.conninfo()


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.full) for part in range(2, 50))])
def test_worlds_on_postgres_have_no_violation(part: int, conninfo: str, folder: Path, record_property: Any) -> None:
    limits = (HARD if part % 2 else Limits())._replace(postgres=conninfo)
    whole(folder, range(part * 8, part * 8 + 8), limits, record_property)
