"""What the rules across exchanges find in a store, and in rows that are related key by key."""

from __future__ import annotations

from random import Random

from paywright_audit.cross_exchange.evidence.related_rows import Key, Related, Round, key_of, united
from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.cross_exchange.evidence.rows import Row
from paywright_audit.cross_exchange.relate_store import relate_store
from paywright_audit.cross_exchange.run_rules import relate_key
from paywright_audit.judging.findings import Finding
from paywright_audit.result.partial_result import Settings
from paywright_audit.running.auditor import Auditor
from paywright_audit.running.parts import RowList

__all__ = ["COMPLETE", "found_by_key", "found_in"]

COMPLETE = Settings(complete=True)


def found_in(store: RowStore, auditor: Auditor, settings: Settings = COMPLETE) -> list[tuple[Row, Finding]]:
    """Every finding across the exchanges that an auditor has judged, with the row of its exchange."""
    found: list[tuple[Row, Finding]] = []
    partial = auditor.close()
    relate_store(store, partial.same(), lambda row, finding: found.append((row, finding)), partial.facts(settings))
    return found


def found_by_key(
    rows: RowList, auditor: Auditor, random: Random, settings: Settings = COMPLETE
) -> list[tuple[Row, Finding]]:
    """The same, of rows in any order: a keyed shuffle for each round."""
    found: list[tuple[Row, Finding]] = []
    partial = auditor.close()
    same, facts = partial.same(), partial.facts(settings)
    waiting: list[Related] = [united(row, same) for row in rows.taken]
    for round_ in Round:
        random.shuffle(waiting)
        groups: dict[Key, list[Related]] = {}
        for row in waiting:
            groups.setdefault(key_of(row), []).append(row)
        waiting = [row for key, some in groups.items() if key.round > round_ for row in some]
        for key, some in groups.items():
            if key.round is round_:
                out = relate_key(some, facts)
                found += out.found
                waiting += out.rows
    return found
