"""Ledgers for `paywright.Receiver`, followers of open items, and adapters to web frameworks.

`SqliteLedger(path)` is a file that threads and processes share; `PostgresLedger(...)` is for several machines,
`MemoryLedger()` for tests. `Follower(client, ledger)` follows open orders, refunds and the like to their last state.
`wsgi_app` and `asgi_app` turn a receiver into an application; the modules `flask`,
`django`, `fastapi` and `starlette` of this package add it to an application of yours, and need only that framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_receiver.asgi import asgi_app as asgi_app
    from paywright_receiver.following.aio import AsyncFollower as AsyncFollower
    from paywright_receiver.following.follower import Follower as Follower
    from paywright_receiver.following.run import FollowRun as FollowRun
    from paywright_receiver.ledgers.memory import MemoryLedger as MemoryLedger
    from paywright_receiver.ledgers.postgres import PostgresLedger as PostgresLedger
    from paywright_receiver.ledgers.sqlite import SqliteLedger as SqliteLedger
    from paywright_receiver.wsgi import wsgi_app as wsgi_app

__all__ = [
    "AsyncFollower",
    "FollowRun",
    "Follower",
    "MemoryLedger",
    "PostgresLedger",
    "SqliteLedger",
    "asgi_app",
    "wsgi_app",
]

_HOMES = {
    "AsyncFollower": "paywright_receiver.following.aio",
    "FollowRun": "paywright_receiver.following.run",
    "Follower": "paywright_receiver.following.follower",
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
