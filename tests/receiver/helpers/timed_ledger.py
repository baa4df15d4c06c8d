"""Time for a ledger whose server cannot be told it: what time passes, its records are older by."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta


def age(by: timedelta, place: str, ask: Callable[[str], object]) -> None:
    """Make the records older. `place` is where the tables are, and `ask` runs a statement."""
    lease = ("claimed_at", "lease_until")
    for table, names in (("notifications", (*lease, "keep_until", "first_at", "changed_at")), ("items", lease)):
        older = ", ".join(f"{name} = {name} - {by // timedelta(microseconds=1)}" for name in names)
        ask(f"UPDATE {place}.paywright_{table} SET {older}")
