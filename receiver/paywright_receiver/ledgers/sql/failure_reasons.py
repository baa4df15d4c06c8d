"""Reasons that a ledger records for a handler that ended, or did not use, the ledger's transaction."""

from __future__ import annotations

from typing import Final

__all__ = ["BROKEN", "ENDED", "IDLE", "LONG", "OVER", "REFUSED", "TRIED"]

TRIED: Final = "the handler tried to end the transaction by itself; the ledger does that when it has returned"
ENDED: Final = (
    "the transaction ended within the handler, by a statement of its own (such as ROLLBACK or ON CONFLICT ROLLBACK), a close, "
    "or an error of the database; the ledger ends it when the handler has returned"
)
LONG: Final = (
    "the handler, in one transaction, took longer than the ledger's timeout, while nobody else could write: make it faster, or "
    "declare nothing"
)
IDLE: Final = (
    "the handler, in one transaction, sent the database nothing for longer than the receiver's lease, and was ended: make it faster, or "
    "declare nothing"
)
OVER: Final = "event.transaction is the handler's until it returns, and it has returned"
BROKEN: Final = "what the handler wrote broke a constraint that is looked at when the transaction is committed"
REFUSED: Final = "event.transaction could not be begun, and the handler went on without it"
