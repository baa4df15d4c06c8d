"""What the rules across exchanges find in a store, and in rows that are related key by key."""

from __future__ import annotations

from random import Random

from paywright_audit.auditor import Auditor
from paywright_audit.cross_exchange.owners import same_owners
from paywright_audit.cross_exchange.relate_store import relate_store
from paywright_audit.cross_exchange.related_rows import Key, Related, Round, key_of, united
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.cross_exchange.rows import Row
from paywright_audit.cross_exchange.run_rules import relate_key
from paywright_audit.judging.findings import Finding
from paywright_audit.parts import RowList

__all__ = ["found_by_key", "found_in"]


def found_in(store: RowStore, auditor: Auditor) -> list[tuple[Row, Finding]]:
    """Every finding across the exchanges that an auditor has judged, with the row of its exchange."""
    found: list[tuple[Row, Finding]] = []
    relate_store(store, auditor.close().owners, lambda row, finding: found.append((row, finding)))
    return found


def found_by_key(rows: RowList, auditor: Auditor, random: Random) -> list[tuple[Row, Finding]]:
    """The same, of rows in any order: a keyed shuffle for each round."""
    found: list[tuple[Row, Finding]] = []
    same = same_owners(auditor.close().owners)
    waiting: list[Related] = [united(row, same) for row in rows.taken]
    for round_ in Round:
        random.shuffle(waiting)
        groups: dict[Key, list[Related]] = {}
        for row in waiting:
            groups.setdefault(key_of(row), []).append(row)
        waiting = [row for key, some in groups.items() if key.round > round_ for row in some]
        for key, some in groups.items():
            if key.round is round_:
                out = relate_key(some)
                found += out.found
                waiting += out.rows
    return found
