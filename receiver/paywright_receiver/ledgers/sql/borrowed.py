"""Find the driver's connection in the transaction of a merchant's framework."""

from __future__ import annotations

import sqlite3
from typing import Final, TypeVar

from paywright_runtime.errors import InvalidArgument

__all__ = ["raw_connection", "sqlite_connection"]

C = TypeVar("C")
_INSIDE: Final = ("driver_connection", "dbapi_connection", "connection")
"""Attributes in which a connection of Django or SQLAlchemy, or a cursor, keeps the driver's connection."""
_DEEPEST: Final = 4


def raw_connection(given: object, kind: type[C], name: str) -> C:
    """Return the driver's connection in a connection, cursor or session. Raises `InvalidArgument` if there is none.

    Knows the connections of the drivers, their cursors, `django.db.connection`, and connections and sessions of SQLAlchemy.
    """
    found = given
    for _ in range(_DEEPEST):
        if isinstance(found, kind):
            return found
        inner: object = next((value for one in _INSIDE if (value := getattr(found, one, None)) is not None), None)
        found = inner if isinstance(inner, kind) or not callable(inner) else inner()
    raise InvalidArgument(
        f"The transaction is a {type(given).__name__}, in which no {name} was found. Nothing was written: give the connection "
        "in whose transaction you write the order, such as event.transaction, django.db.connection or a session of SQLAlchemy."
    )


def sqlite_connection(given: object) -> sqlite3.Connection:
    """Return the connection to SQLite; see `raw_connection`."""
    return raw_connection(given, sqlite3.Connection, "sqlite3.Connection")
