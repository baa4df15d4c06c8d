"""What the rules across exchanges find in a store."""

from __future__ import annotations

from paywright_audit.auditor import Auditor
from paywright_audit.cross_exchange.relate_store import relate_store
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.cross_exchange.rows import Row
from paywright_audit.judging.findings import Finding

__all__ = ["found_in"]


def found_in(store: RowStore, auditor: Auditor) -> list[tuple[Row, Finding]]:
    """Every finding across the exchanges that an auditor has judged, with the row of its exchange."""
    found: list[tuple[Row, Finding]] = []
    relate_store(store, auditor.close().owners, lambda row, finding: found.append((row, finding)))
    return found
