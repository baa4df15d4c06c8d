"""All rules across exchanges, over a ledger that is complete."""

from __future__ import annotations

from collections.abc import Iterator

from paywright.contract import CONTRACT
from paywright_tools.audit.across.ledger import Ledger
from paywright_tools.audit.across.placing import Placing
from paywright_tools.audit.across.refunding import refunds_of_orders
from paywright_tools.audit.across.retrying import changed_keys
from paywright_tools.audit.across.rows import Row
from paywright_tools.audit.across.states import States
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import plan_of

__all__ = ["relate"]


def relate(ledger: Ledger) -> Iterator[tuple[Row, Finding]]:
    """Every finding, with the row of the exchange it is about. The ledger must be settled."""
    for subject in ledger.suspects():
        if subject.startswith("external\0"):
            yield from _external(ledger, subject)
            continue
        placing, states = Placing(), States()
        for row in ledger.of(subject):
            for finding in placing.tell(row):
                yield row, finding
            for finding in states.tell(row):
                yield row, finding
    yield from refunds_of_orders(ledger)
    yield from changed_keys(ledger)


def _external(ledger: Ledger, subject: str) -> Iterator[tuple[Row, Finding]]:
    rows = ledger.of(subject)
    next(rows)
    for row in rows:
        plan = plan_of(row.operation)
        headers = plan.asked.headers
        assert headers is not None
        struct = CONTRACT.struct(headers.struct)
        line = f"{struct.file}:{struct.by_wire['X-EXTERNAL-ID'].line}"
        words = "was used before on the same day; it must be unique within a day"
        yield row, Finding(row.operation, plan.asked.part, "@header/X-EXTERNAL-ID", "external-id-reused", words, line)
