"""Faults planted in the product, one at a time: what a world must find. Each takes one rule away.

Those with the name of a finding are what that finding was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any, Final
from unittest.mock import patch

from paywright_receiver.ledgers.sql.delivery_claims import Granted
from paywright_receiver.ledgers.sql.statements import Statements
from paywright_runtime.errors import NotSent
from paywright_runtime.signing.rsa import unsigned
from tests.world import faults

__all__ = ["PLANTED", "planted"]

_RUNTIME: Final = "paywright_runtime"
_RECEIVER: Final = "paywright_receiver"
_AUDIT: Final = "paywright_audit"
_RESULT: Final = f"{_RECEIVER}.webhooks.result_effects.Results.result_of_notification"
_VERDICT: Final = f"{_RECEIVER}.items.delivery_verdict._verdict"


class _as:
    """A fault that is told what it takes the place of."""

    def __init__(self, fault: Callable[..., object]) -> None:
        self.fault = fault


def _always(value: object) -> Callable[..., object]:
    return lambda *given, **named: value


PLANTED: Final[dict[str, Mapping[str, object]]] = {
    # The client
    "a lost answer counts as nothing sent": {f"{_RUNTIME}.transport.api._LEFT": frozenset()},
    "any signature is taken": {
        f"{_RUNTIME}.signing.rsa.RsaVerifier.verify": lambda self, raw, signature: unsigned(raw),
    },
    "an answer need not repeat its request": {f"{_RUNTIME}.client.answer_reader.check_echoes": _always(None)},
    "every code but success is a refusal": {
        f"{_RUNTIME}.client.answer_reader.refusal": lambda contract, prepared, answer, now: NotSent(
            operation=prepared.operation.name,
            reason="connection_failed",
            phase="connecting",
            key=prepared.key,
            attempts=(),
            write=True,
        ),
    },
    "writes are tried again": {f"{_RUNTIME}.contract.operation.Operation.write": property(_always(False))},
    # The receiver and its ledger
    "a notification need not be signed": {
        f"{_RECEIVER}.webhooks.verification.DeliveryVerifier.open": lambda self, raw, headers: unsigned(raw),
    },
    "a repeat is handled again": {
        f"{_RECEIVER}.ledgers.sql.delivery_claims.duplicate": _always(False),
        f"{_RECEIVER}.ledgers.sql.delivery_claims.SqlClaim._claimed": lambda *given, **named: _claimed_anyway(*given, **named),
    },
    "what failed is acknowledged": {
        f"{_RECEIVER}.webhooks.reply.Replies.refusal": lambda self, outcome, key, why="": self.acknowledgement(
            "handled", key, "orders"
        ),
    },
    "the record forgets what had its effect": {
        f"{_RECEIVER}.ledgers.sql.delivery_claims.SqlClaim._moved": lambda self, source: ("", "", "", ""),
    },
    "the handler is not given what was before": {
        f"{_RECEIVER}.ledgers.sql.delivery_claims.Granted": lambda attempt, conflict, was, within: Granted(
            attempt, conflict, None, within
        ),
    },
    "a claim of a process that died never ends": {
        f"{_RECEIVER}.items.delivery_verdict.expired": _always(False),
        f"{_RECEIVER}.ledgers.sql.delivery_claims.expired": _always(False),
    },
    "an older state is handled after a newer one": {f"{_RECEIVER}.items.delivery_verdict.supersedes": _always("claim")},
    "every result says that it is paid": {f"{_RECEIVER}.webhooks.item_result.ItemResult.is_paid": property(_always(True), _always(None))},
    "no result says that it is paid": {f"{_RECEIVER}.webhooks.item_result.ItemResult.is_paid": property(_always(False), _always(None))},
    # The follower and the record of an item
    "a result is kept without its handler": {f"{_RECEIVER}.following.run.Run._is_news": _always(False)},
    "what is learned is written without the handler's transaction": {
        f"{_RECEIVER}.ledgers.sql.sql_open_items.SqlBook.transaction": lambda self, within=None: self._database._writing(),
    },
    "an item of a process that died is never taken up": {
        f"{_RECEIVER}.ledgers.sql.sql_open_items.comes_back": lambda now, lease, attempts: now + timedelta(days=300),
    },
    "an open order is asked about once": {f"{_RECEIVER}.items.inquiry_schedule.regular": _always(None)},
    "a hint counts as a payment that was handled": {f"{_RECEIVER}.ledgers.sql.sql_open_items.line": _as(faults.believes_hints)},
    "silence means that it is not there": {
        f"{_RECEIVER}.items.follow_state.FollowState.inconclusive": lambda self, reason, now, verified=False: self.notified(
            {"status": "FAILED"}, now
        ),
    },
    "nobody looks at what is due": {f"{_RECEIVER}.following.run.Run.take": _always(None)},
    "nobody looks for what has another address": {f"{_RECEIVER}.ledgers.sql.sql_open_items.SqlBook.elsewhere": _always(())},
    "an answer that crossed a notification is dropped": {f"{_RECEIVER}.following.run.Run._merge": _as(faults.drops)},
    "a second amount is noted and forgotten": {_RESULT: _as(faults.forgets_another_amount)},
    "a part of a link does not pay it": {f"{_RECEIVER}.webhooks.item_result.ResultFacts._read": _as(faults.reads_the_state_alone)},
    "another spelling is another order": {f"{_RECEIVER}.webhooks.item_result.ResultFacts.item": faults.minds_the_case},
    "an order is not followed": {f"{_RECEIVER}.ledgers.sql.sql_open_items.SqlBook.open": lambda self, item, transaction=None: item},
    "a failure is no result": {f"{_RECEIVER}.webhooks.item_result.ResultFacts.is_end": lambda self, state: state != "FAILED"},
    "what may be placed again waits all the same": {f"{_RECEIVER}.following.core.FollowerCore.lease_to_place": _as(faults.waits)},
    "a conflict stays one": {_VERDICT: _as(faults.keeps_a_conflict)},
    "another amount is not compared": {f"{_RECEIVER}.webhooks.result_effects.of_another_call": _always("")},
    "what a handler wrote before it failed stays": {f"{_RECEIVER}.ledgers.sqlite.SqliteLedger.end": _as(faults.commits)},
    "whoever lost a claim completes it": {
        f"{_RECEIVER}.ledgers.sqlite._SQL.done": Statements().done.replace("owner = ?", "? <> ''"),
        f"{_RECEIVER}.ledgers.sqlite._SQL.mine": Statements().mine.replace("owner = ?", "? <> ''"),
    },
    "a notification of yesterday is refused": {
        f"{_RECEIVER}.webhooks.verification.DeliveryVerifier._fresh": _as(faults.refuses_yesterday),
    },
    "a notification for another merchant is taken": {
        f"{_RECEIVER}.webhooks.verification.DeliveryVerifier.check_addressee": _always(None),
    },
    "the periods of a plan are one thing": {f"{_RECEIVER}.webhooks.verification.part_of_key": _as(faults.ignores_the_period)},
    "a bill that is refused is paid": {
        "paywright.receiver.BillPaymentValidationQuestion.refuse": lambda self, why: self.accept(min_amount=1, max_amount=10_000),
    },
    "only the first of the gateway's keys counts": {f"{_RUNTIME}.signing.rsa.RsaVerifier.verify": _as(faults.knows_one_key)},
    # The audit
    "what one file has twice is accused": {
        f"{_AUDIT}.cross_exchange.run_rules.without_copies": _as(faults.compares_files),
        f"{_AUDIT}.cross_exchange.rules.duplicate_keys._KeyHistory.take": _as(faults.knows_no_message),
    },
    "clocks of two hosts are one": {
        f"{_AUDIT}.cross_exchange.rules.duplicate_keys._KeyHistory._permitted": _as(faults.forgets_what_ended_a_permission),
    },
    "what the capture lost shows an absence": {
        f"{_AUDIT}.cross_exchange.history.rows._outcome": _as(faults.counts_what_is_lost_as_absent),
    },
    "two points must have the same answer": {f"{_AUDIT}.cross_exchange.history.copies._answer_of": _as(faults.answers_apart)},
    "the clock of the capture is believed": {f"{_AUDIT}.judging.judge.times_of": _as(faults.believes_the_capture)},
}  # fmt: skip


def _claimed_anyway(self: Any, db: Any, now: int, *given: Any, within: bool) -> object:
    look = self._looked(now, self._found(db))
    self._put(db, 1, look.record, "claimed", now, owner=self._owner, attempts=1)
    return Granted(1, None, None, False)


def _in_place_of(target: str, fault: Callable[..., object]) -> Callable[..., object]:
    original = resolve_name(target)

    def planted(*given: object, **named: object) -> object:
        return fault(original, *given, **named)

    return planted


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Plant a fault while the block runs."""
    with ExitStack() as stack:
        for target, fault in PLANTED[name].items():
            stack.enter_context(patch(target, _in_place_of(target, fault.fault) if isinstance(fault, _as) else fault))
        yield
