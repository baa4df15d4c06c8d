"""Ledgers for `paywright.Receiver`, followers of open items, and adapters to web frameworks.

`SqliteLedger(path)` is a file that threads and processes share; `PostgresLedger(...)` is for several machines,
`MemoryLedger()` for tests. `Follower(client, ledger)` follows open orders, refunds and the like to their last state.
`day_statement(ledger.book, day)` says what a day amounts to, and `differences` compares a table of yours with it.
`wsgi_app` and `asgi_app` turn a receiver into an application; the modules `flask`,
`django`, `fastapi` and `starlette` of this package add it to an application of yours, and need only that framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_receiver.asgi import asgi_app as asgi_app
    from paywright_receiver.followers.aio import AsyncFollower as AsyncFollower
    from paywright_receiver.followers.day_statement import DayChange as DayChange
    from paywright_receiver.followers.day_statement import DayLine as DayLine
    from paywright_receiver.followers.day_statement import DayStatement as DayStatement
    from paywright_receiver.followers.day_statement import day_of as day_of
    from paywright_receiver.followers.day_statement import day_statement as day_statement
    from paywright_receiver.followers.follower import Follower as Follower
    from paywright_receiver.followers.run import FollowRun as FollowRun
    from paywright_receiver.followers.table_differences import Difference as Difference
    from paywright_receiver.followers.table_differences import TableRow as TableRow
    from paywright_receiver.followers.table_differences import differences as differences
    from paywright_receiver.followers.table_differences import read_table as read_table
    from paywright_receiver.ledgers.memory import MemoryLedger as MemoryLedger
    from paywright_receiver.ledgers.postgres import PostgresLedger as PostgresLedger
    from paywright_receiver.ledgers.sqlite import SqliteLedger as SqliteLedger
    from paywright_receiver.wsgi import wsgi_app as wsgi_app

__all__ = [
    "AsyncFollower",
    "DayChange",
    "DayLine",
    "DayStatement",
    "Difference",
    "FollowRun",
    "Follower",
    "MemoryLedger",
    "PostgresLedger",
    "SqliteLedger",
    "TableRow",
    "asgi_app",
    "day_of",
    "day_statement",
    "differences",
    "read_table",
    "wsgi_app",
]

_HOMES = {
    "AsyncFollower": "paywright_receiver.followers.aio",
    **dict.fromkeys(
        ("DayChange", "DayLine", "DayStatement", "day_of", "day_statement"),
        "paywright_receiver.followers.day_statement",
    ),
    **dict.fromkeys(
        ("Difference", "TableRow", "differences", "read_table"), "paywright_receiver.followers.table_differences"
    ),
    "FollowRun": "paywright_receiver.followers.run",
    "Follower": "paywright_receiver.followers.follower",
    "MemoryLedger": "paywright_receiver.ledgers.memory",
    "PostgresLedger": "paywright_receiver.ledgers.postgres",
    "SqliteLedger": "paywright_receiver.ledgers.sqlite",
    "asgi_app": "paywright_receiver.asgi",
    "wsgi_app": "paywright_receiver.wsgi",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
