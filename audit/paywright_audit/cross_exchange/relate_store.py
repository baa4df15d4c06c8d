"""Relate the rows of a complete store: those of the keys that may break a rule, one key at a time."""

from __future__ import annotations

from collections.abc import Collection

from paywright_audit.cross_exchange.owners import same_owners
from paywright_audit.cross_exchange.related_rows import Round
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.cross_exchange.run_rules import OnFinding, pass_on_rows, relate_key, relate_subject
from paywright_audit.cross_exchange.timing import SLACK

__all__ = ["relate_store"]


def relate_store(store: RowStore, owners: Collection[str], find: OnFinding, slack: float = SLACK) -> int:
    """Call `find` with every finding and the row of its exchange, and return how many exchanges were copies of others.

    `owners` are all merchants as messages name them.
    """
    store.consolidate(same_owners(owners))
    copies = 0
    for subject, repeated, suspect in store.chosen():
        copied = store.copies(subject, slack) if repeated else {}
        for copy in copied.values():
            store.pass_on(copy)
        rows = store.of(subject, copied)
        if suspect:
            relate_subject(subject, rows, store.first_act(subject, copied), slack, find, store.pass_on)
        else:
            pass_on_rows(subject, rows, store.pass_on)
    for round_ in (Round.TOKEN, Round.WHOLE):
        for rows_of_key in store.passed(round_):
            out = relate_key(rows_of_key, slack)
            copies += out.copies
            for row, finding in out.found:
                find(row, finding)
            for further in out.rows:
                store.pass_on(further)
    return copies
