"""What the rules across exchanges find in one store, and in shares of rows that several stores left in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from paywright_audit.cross_exchange.evidence.related_rows import BUCKETS, Round
from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.cross_exchange.evidence.rows import Row
from paywright_audit.cross_exchange.run_rules import Whole, is_wanted, relate_key, rounds
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.matching import Matcher
from paywright_audit.result.partial_result import PartialResult
from paywright_audit.running.auditor import Auditor
from paywright_audit.settings.audit_settings import AuditSettings
from tests.audit.helpers.histories import Event, Trusting, exchange_of

__all__ = ["COMPLETE", "found_in", "said"]

COMPLETE = AuditSettings(complete=True)
Found = list[tuple[Row, Finding]]


def found_in(store: RowStore, auditor: Auditor, settings: AuditSettings = COMPLETE) -> Found:
    """Every finding across the exchanges that an auditor has judged, with the row of its exchange."""
    found: Found = []
    whole = auditor.close().whole(settings)
    for round_ in rounds(whole.wanted):
        _relate(store, round_, whole, store, found)
    return found


def found_in_shares(files: Sequence[Path], whole: Whole, shares: int) -> Found:
    """The same of the rows in files, as processes share them out: a store takes some buckets of all files in each round."""
    found: Found = []
    there = list(files)
    for round_ in rounds(whole.wanted):
        made = []
        for share in range(shares):
            store, out = RowStore(), there[0].with_name(f"{len(there)}-{share}.rows")
            for file in there:
                store.take(file, round_, range(share, BUCKETS, shares))
            sink = RowStore(out)
            _relate(store, round_, whole, sink, found)
            sink.close()
            made.append(out)
        there += made
    return found


def _relate(store: RowStore, round_: Round, whole: Whole, sink: RowStore, found: Found) -> None:
    for rows in store.groups(round_, whole.same):
        out = relate_key(rows, whole.facts)
        found += out.found
        sink.add(row for row in out.rows if is_wanted(row, whole.wanted))


def said(events: Sequence[Event]) -> set[tuple[int, str, str, str]]:
    """What the audit says across the exchanges of events: event, part, pointer and code; the same of one store and of shares of several."""
    store, total = RowStore(), PartialResult()
    alone = Auditor(Matcher(), Trusting(), AuditSettings(evidence=0), store)
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.rows") for number in (0, 1)]
        for number, file in enumerate(files):
            mine = [event for event in events if event.file == number]
            part = RowStore(file)
            for auditor in (alone, Auditor(Matcher(), Trusting(), AuditSettings(evidence=0), part)):
                auditor.begin(("one", "two")[number])
                auditor.take_all(map(exchange_of, mine))
            total.merge(auditor.close(), 0)
            part.close()
        shared = found_in_shares(files, total.whole(COMPLETE), 3)
    stored, of_shares = (
        {(row.number, one.part, one.pointer, one.code) for row, one in found}
        for found in (found_in(store, alone), shared)
    )
    assert stored == of_shares
    return stored
