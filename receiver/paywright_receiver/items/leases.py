"""Decide when a lease has ended: that of a claimed delivery, and that of an open item which a follower asks about.

`delivery_claims` and `sql_open_items` decide who gets one. Leases go by the ledger's clock, in whole microseconds since 1970.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

EXPIRED: Final = "(lease_until <= ? OR claimed_at > ?)"
"""The condition of SQL that says what `expired` says; its parameters are `bounds`."""

_LEEWAY: Final = 1_000_000
"""Microseconds by which the clock may go back before a live claim counts as made in the future, and so as expired."""
_MOST_LEASES: Final = 30


def expired(now: int, claimed_at: int, lease_until: int) -> bool:
    """Return whether a claim has expired: by its lease, or because the clock that made it was ahead."""
    ended, future = bounds(now)
    return lease_until <= ended or claimed_at > future


def bounds(now: int) -> tuple[int, int]:
    """Return the times by which a lease has expired: one that ends by the first, or was made after the second."""
    return now, now + _LEEWAY


def died(attempts: int) -> str:
    """Describe why a claim that has expired did not end. `attempts` counts how often a handler began."""
    return f"its process died or took longer than its lease, {attempts} time{'s' if attempts != 1 else ''}"


def comes_back(now: datetime, lease: float, attempts: int) -> datetime:
    """Return when an item that is leased now is due again if its process dies.

    Each time it waits one lease longer, up to 30: an item that kills its process holds no other item up.
    """
    return now + timedelta(seconds=lease * min(attempts + 1, _MOST_LEASES))
