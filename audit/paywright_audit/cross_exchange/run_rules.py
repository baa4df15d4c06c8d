"""All rules across exchanges, over a ledger that is complete."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from paywright_tools.audit.across.duplicate_keys import KeyHistory
from paywright_tools.audit.across.external_ids import repeated_ids
from paywright_tools.audit.across.ledger import Ledger
from paywright_tools.audit.across.refund_totals import refunds_of_orders
from paywright_tools.audit.across.retry_keys import changed_keys
from paywright_tools.audit.across.rows import Row
from paywright_tools.audit.across.state_moves import StateHistory
from paywright_tools.audit.across.subjects import states_of
from paywright_tools.audit.across.timing import SLACK
from paywright_tools.audit.across.verdicts import at_key, at_state
from paywright_tools.audit.findings import Finding

__all__ = ["run_rules"]

_MOST_AHEAD = 1000


def run_rules(ledger: Ledger, slack: float = SLACK, *, several: bool = True) -> Iterator[tuple[Row, Finding]]:
    """Every finding, with the row of the exchange it is about. The ledger must be settled; `several` files may overlap."""
    for subject in ledger.suspects(slack, several=several):
        family = subject.partition("\0")[0]
        if family == "external":
            yield from repeated_ids(ledger.of(subject))
            continue
        keys, states = KeyHistory(slack), StateHistory(states_of(family), ledger.first_act(subject), slack)
        for row, ahead in _with_ahead(ledger.of(subject), slack):
            for verdict in keys.take(row, ahead):
                yield row, at_key(row, verdict)
            for verdict in states.take(row):
                yield row, at_state(row, verdict)
    yield from refunds_of_orders(ledger, slack)
    for row, verdict in changed_keys(ledger):
        yield row, at_key(row, verdict)


def _with_ahead(rows: Iterable[Row], slack: float) -> Iterator[tuple[Row, Sequence[Row]]]:
    """Each row with those after it that began at most `slack` seconds later, of which a thousand are held."""
    source = iter(rows)
    ahead: deque[Row] = deque()
    for row in source:
        ahead.append(row)
        while len(ahead) > 1 and (ahead[-1].at > ahead[0].at + slack or len(ahead) > _MOST_AHEAD):
            first = ahead.popleft()
            yield first, ahead
    while ahead:
        first = ahead.popleft()
        yield first, ahead
