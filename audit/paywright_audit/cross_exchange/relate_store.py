"""Relate the rows of a complete store, one key at a time."""

from __future__ import annotations

from paywright_audit.cross_exchange.evidence.owners import Same
from paywright_audit.cross_exchange.evidence.related_rows import Round
from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.cross_exchange.rules.timing import CaptureFacts
from paywright_audit.cross_exchange.run_rules import OnFinding, RelatedRows, relate_key

__all__ = ["relate_store"]


def relate_store(store: RowStore, same: Same, find: OnFinding, facts: CaptureFacts) -> int:
    """Call `find` with every finding and the row of its exchange; return the number of exchanges that were copies."""
    store.consolidate(same)
    copies = 0
    for rows in store.subjects():
        copies += _take(store, relate_key(rows, facts), find)
    for round_ in (Round.TOKEN, Round.WHOLE):
        for passed in store.passed(round_):
            copies += _take(store, relate_key(passed, facts), find)
    return copies


def _take(store: RowStore, out: RelatedRows, find: OnFinding) -> int:
    for row, finding in out.found:
        find(row, finding)
    store.pass_on(out.rows)
    return out.copies
