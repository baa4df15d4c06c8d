"""Ledgers for the receiver of notifications (webhooks), followers of open items, and adapters to web frameworks.

`SqliteLedger(path)` keeps its records in a file that threads and processes share; `PostgresLedger(...)` and
`MariaDbLedger(...)` are for several machines, `MemoryLedger()` for tests. `Follower(client, ledger)` follows open orders, refunds and the like to their last state.
`wsgi_app` and `asgi_app` turn a receiver into an application; the modules `flask`, `django`, `fastapi` and `starlette` of this
package add it to an application of yours, and need only that framework.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily

if TYPE_CHECKING:
    from paywright_receiver.asgi import asgi_app as asgi_app
    from paywright_receiver.following.aio import AsyncFollower as AsyncFollower
    from paywright_receiver.following.follower import Follower as Follower
    from paywright_receiver.following.inquiry import FollowRun as FollowRun
    from paywright_receiver.ledgers.mariadb import MariaDbLedger as MariaDbLedger
    from paywright_receiver.ledgers.memory import MemoryLedger as MemoryLedger
    from paywright_receiver.ledgers.postgres import PostgresLedger as PostgresLedger
    from paywright_receiver.ledgers.sqlite import SqliteLedger as SqliteLedger
    from paywright_receiver.webhooks.handlers import in_one_transaction as in_one_transaction
    from paywright_receiver.wsgi import wsgi_app as wsgi_app

__all__ = [
    "AsyncFollower", "FollowRun", "Follower", "MariaDbLedger", "MemoryLedger", "PostgresLedger", "SqliteLedger", "asgi_app", "in_one_transaction",
    "wsgi_app",
]  # fmt: skip

_HOMES = {
    "paywright_receiver.asgi": "asgi_app",
    "paywright_receiver.following.aio": "AsyncFollower",
    "paywright_receiver.following.follower": "Follower",
    "paywright_receiver.following.inquiry": "FollowRun",
    "paywright_receiver.ledgers.mariadb": "MariaDbLedger",
    "paywright_receiver.ledgers.memory": "MemoryLedger",
    "paywright_receiver.ledgers.postgres": "PostgresLedger",
    "paywright_receiver.ledgers.sqlite": "SqliteLedger",
    "paywright_receiver.webhooks.handlers": "in_one_transaction",
    "paywright_receiver.wsgi": "wsgi_app",
}
_NEEDS = {
    "MariaDbLedger": "MariaDbLedger needs PyMySQL: pip install 'paywright[mariadb]'.",
    "PostgresLedger": "PostgresLedger needs psycopg: pip install 'paywright[postgres]' where the system has libpq, or 'psycopg[binary]'.",
}


if not TYPE_CHECKING:  # type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES, _NEEDS)
