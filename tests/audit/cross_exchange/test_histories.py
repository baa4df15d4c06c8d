"""The rules across exchanges agree with a plain reference implementation over drawn histories, in findings and in places.

Some thousands are of `make test`, two hundred thousand of `make test-full`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.judging.matching import Matcher
from paywright_audit.result.partial_result import PartialResult, Settings
from paywright_audit.running.auditor import Auditor
from tests.audit.helpers.histories import Event, Trusting, draw, exchange_of
from tests.audit.helpers.reference import Found, expected
from tests.audit.helpers.related import COMPLETE, found_in, found_in_shares

BATCH = 500


def said(events: Sequence[Event]) -> set[Found]:
    """What the audit says across the exchanges of events: the same of one store, and of shares of the rows of several."""
    store, total = RowStore(), PartialResult()
    alone = Auditor(Matcher(), Trusting(), Settings(("one", "two"), kept=0), store)
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.rows") for number in (0, 1)]
        for number, file in enumerate(files):
            mine = [event for event in events if event.file == number]
            part = RowStore(file)
            for auditor in (alone, Auditor(Matcher(), Trusting(), Settings(kept=0), part)):
                auditor.begin(("one", "two")[number])
                auditor.take_all(map(exchange_of, mine))
            total.merge(auditor.close(), 0)
            part.close()
        shared = found_in_shares(files, total.whole(COMPLETE), 3)
    stored, of_shares = (
        {(row.offset, one.part, one.pointer, one.code) for row, one in found}
        for found in (found_in(store, alone), shared)
    )
    assert stored == of_shares
    return stored


def compare(histories: int, seed: int) -> Counter[str]:
    """How often each rule was found; fails at the first history of which the two say different things."""
    random = Random(seed)
    codes: Counter[str] = Counter()
    for number in range(0, histories, BATCH):
        drawn: list[list[Event]] = []
        for place in range(BATCH):
            drawn.append(draw(random, number + place, drawn[-1][-1].id + 1 if drawn else 0))
        audited: dict[int, set[Found]] = {}
        where = {event.id: place for place, events in enumerate(drawn) for event in events}
        for one in said([event for events in drawn for event in events]):
            audited.setdefault(where[one[0]], set()).add(one)
        for place, events in enumerate(drawn):
            due = expected(events)
            found = audited.get(place, set())
            assert found == due, "\n".join(
                map(str, [*events, f"only audit {found - due}", f"only reference {due - found}"])
            )
            codes.update(code for *_, code in due)
    return codes


@pytest.mark.slow
def test_drawn_histories_are_judged_as_the_reference_judges_them(
    record_property: Callable[[str, object], None],
) -> None:
    codes = compare(4_000, 11)
    record_property("count: drawn histories that agree with the reference", 4_000)
    assert set(codes) == {
        "key-reused", "placed-again", "placed-twice", "key-changed", "refund-exceeds-paid", "refund-currency",
        "refund-too-late", "refund-not-paid", "refund-negative", "state-moved-back", "final-state-left",
        "notification-disagrees", "time-unclear",
    }  # fmt: skip


@pytest.mark.full
def test_the_same_of_two_hundred_thousand(record_property: Callable[[str, object], None]) -> None:
    compare(200_000, 12)
    record_property("count: drawn histories that agree with the reference", 200_000)
