"""Faults planted in the product, one at a time: what a world must find. Each takes one rule away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any, Final
from unittest.mock import patch

from paywright_receiver.ledgers.sql.claim_rules import Granted
from paywright_runtime.errors import NotSent
from paywright_runtime.signing.rsa import UnsignedAnswers

__all__ = ["PLANTED", "planted"]

_RUNTIME: Final = "paywright_runtime"
_RECEIVER: Final = "paywright_receiver"


def _always(value: object) -> Callable[..., object]:
    return lambda *given, **named: value


PLANTED: Final[dict[str, Mapping[str, object]]] = {
    # The client
    "a lost answer counts as nothing sent": {
        f"{_RUNTIME}.transport.api.TransportFailure.body_started": property(_always(False)),
        f"{_RUNTIME}.client.call._LEFT": frozenset(),
    },
    "any signature is taken": {
        f"{_RUNTIME}.signing.rsa.RsaVerifier.verify": lambda self, raw, signature: UnsignedAnswers().verify(raw, "")
    },
    "an answer need not repeat its request": {f"{_RUNTIME}.client.prepared.Prepared.check_echoes": _always(None)},
    "every code but success is a refusal": {
        f"{_RUNTIME}.client.codec.RequestCodec.refusal": lambda self, prepared, answer, now: NotSent(
            operation=prepared.operation.name,
            reason="connection_failed",
            phase="connecting",
            key=prepared.key,
            attempts=(),
            write=True,
        )
    },
    "writes are tried again": {f"{_RUNTIME}.contract.operation.Operation.write": property(_always(False))},
    # The receiver and its ledger
    "a notification need not be signed": {
        f"{_RECEIVER}.webhooks.verification.DeliveryVerifier.open": lambda self, raw, headers: UnsignedAnswers().verify(
            raw, ""
        )
    },
    "a repeat is handled again": {
        f"{_RECEIVER}.ledgers.sqlite.duplicate": _always(False),
        f"{_RECEIVER}.ledgers.sqlite.claimed": lambda *given: _claimed_anyway(*given),
    },
    "what failed is acknowledged": {
        f"{_RECEIVER}.webhooks.processing.DeliveryProcessor._no": lambda self, outcome, key, why="": self._ok(
            "handled", key, "orders"
        )
    },
    "the record forgets what had its effect": {
        f"{_RECEIVER}.ledgers.sqlite.moved_by": lambda request: ("", "", "", "", 0, "", "")
    },
    "the handler is not given what was before": {
        f"{_RECEIVER}.ledgers.sql.claim_rules.Granted": lambda attempt, conflict, was: Granted(attempt, conflict, None)
    },
    "a claim of a process that died never ends": {
        f"{_RECEIVER}.items.judgement.expired": _always(False),
        f"{_RECEIVER}.ledgers.sql.claim_rules.expired": _always(False),
    },
    "an older state is handled after a newer one": {f"{_RECEIVER}.items.judgement.supersedes": _always("claim")},
    "every result says that it is paid": {f"{_RECEIVER}.webhooks.result.ItemResult.is_paid": property(_always(True))},
    "no result says that it is paid": {f"{_RECEIVER}.webhooks.result.ItemResult.is_paid": property(_always(False))},
    # The follower and the record of an item
    "a result is kept without its handler": {f"{_RECEIVER}.following.run.Run._is_news": _always(False)},
    "what is learned is written without the handler's transaction": {
        f"{_RECEIVER}.ledgers.sql.sql_book.SqlBook._within": lambda self, transaction: self._writing()
    },
    "an item of a process that died is never taken up": {
        f"{_RECEIVER}.ledgers.sql.sql_book.comes_back": lambda now, lease, attempts: now + timedelta(days=300)
    },
    "an open order is asked about once": {f"{_RECEIVER}.items.schedule.regular": _always(None)},
    "a hint settles an order": {
        f"{_RECEIVER}.items.state.FollowState.hint": lambda self, now, says=None: self.notified(
            {"status": "SUCCESS"}, now
        )
    },
    "silence means that it is not there": {
        f"{_RECEIVER}.items.state.FollowState.inconclusive": lambda self, reason, now, verified=False: self.notified(
            {"status": "FAILED"}, now
        )
    },
    "nobody looks at what is due": {f"{_RECEIVER}.following.run.Run.take": _always(None)},
}


def _claimed_anyway(db: Any, sql: Any, request: Any, owner: str, now: int) -> object:
    from paywright_receiver.ledgers.sql.claim_rules import _look, _put

    look = _look(db, sql, request, now, "")
    _put(db, sql, request, 1, look.record, "claimed", now, owner=owner, attempts=1)
    return Granted(1, None, None)


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Plant a fault while the block runs."""
    with ExitStack() as stack:
        for target, fault in PLANTED[name].items():
            stack.enter_context(patch(target, fault))
        yield
