"""Run all rules across exchanges over a complete store of rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from paywright_audit.cross_exchange.duplicate_keys import KeyHistory
from paywright_audit.cross_exchange.external_ids import repeated_ids
from paywright_audit.cross_exchange.refund_totals import refunds_of_orders
from paywright_audit.cross_exchange.retry_keys import changed_keys
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.cross_exchange.rows import Row
from paywright_audit.cross_exchange.state_moves import StateHistory
from paywright_audit.cross_exchange.subjects import states_of
from paywright_audit.cross_exchange.timing import SLACK
from paywright_audit.cross_exchange.verdicts import at_key, at_state
from paywright_audit.judging.findings import Finding

__all__ = ["run_rules"]

_MOST_AHEAD = 1000


def run_rules(store: RowStore, slack: float = SLACK, *, several: bool = True) -> Iterator[tuple[Row, Finding]]:
    """Yield every finding with the row of its exchange. The store must be consolidated; `several` files may overlap."""
    for subject in store.suspects(slack, several=several):
        family = subject.partition("\0")[0]
        if family == "external":
            yield from repeated_ids(store.of(subject))
            continue
        keys, states = KeyHistory(slack), StateHistory(states_of(family), store.first_act(subject), slack)
        for row, ahead in _with_ahead(store.of(subject), slack):
            for verdict in keys.take(row, ahead):
                yield row, at_key(row, verdict)
            for verdict in states.take(row):
                yield row, at_state(row, verdict)
    yield from refunds_of_orders(store, slack)
    for row, verdict in changed_keys(store):
        yield row, at_key(row, verdict)


def _with_ahead(rows: Iterable[Row], slack: float) -> Iterator[tuple[Row, Sequence[Row]]]:
    """Yield each row with those that begin at most `slack` seconds later, up to a thousand of them."""
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
