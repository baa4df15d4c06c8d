"""What is known of a delivery while it is processed, and the sentences that answer it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

__all__ = ["WORDS", "Seen"]

_WORD: Final = re.compile(r"[A-Za-z0-9_./-]{1,64}").fullmatch
WORDS: Final[Mapping[str, str]] = {
    "duplicate": "It was handled before.",
    "noted": "It tells no last state; what is open is asked about.",
    "stale": "A newer state was handled before.",
    "conflict": "It contradicts an earlier one; it is kept, and nothing was done.",
    "superseded": "A newer one with other content is kept and waits to be handled.",
    "in_progress": "It, or another one about the same, is being handled right now.",
    "unhandled": "There is no handler for its kind; it is kept.",
    "failed": "Its handler failed; it is kept.",
    "unreadable": "It cannot be read; it is kept.",
    "ledger_failed": "The ledger cannot be used now.",
    "internal": "The receiver failed.",
}
"""One sentence for the sender, by outcome. It contains no value of the notification."""


class Seen:
    """What is known of a delivery so far, for the log and the hook."""

    __slots__ = ("error", "key", "kind", "time", "verified", "why")

    def __init__(self) -> None:
        self.verified = False
        self.kind: str | None = None
        self.time: datetime | None = None
        self.key: str | None = None
        self.why = ""
        self.error: Exception | None = None

    def words(self) -> str:
        """Return kind and time as far as they are known. They contain no personal data."""
        kind = self.kind if self.kind is None or _WORD(self.kind) else "that is no word"
        about = [f"kind {kind}"] if kind is not None else []
        about += [f"notified at {self.time.isoformat()}"] if self.time is not None else []
        return f" ({', '.join(about)})" if about else ""
