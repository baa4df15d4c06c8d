"""Apply faults to notifications, and record what was sent and answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from paywright_sandbox.delivery.http_post import Answered, OutgoingRequest, Unanswered
from paywright_sandbox.delivery.outbox import KINDS, Notification
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.engine.state.tables import TableRow, references
from paywright_sandbox.faults.definitions import FaultRule
from paywright_sandbox.faults.foreign_key import foreign_signer
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.faults.vocabulary import HOLDS_BACK

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine

__all__ = ["TABLES", "HeldBack", "apply_faults", "record_exchange", "record_notification"]


@dataclass(frozen=True, kw_only=True)
class HeldBack(TableRow, table="held_back"):
    """A notification that a fault holds back; the `id` is the notification's."""

    id: int = field(metadata=references("notifications"))


TABLES: Final = (HeldBack,)


def apply_faults(
    engine: Engine, context: RequestContext, row: Notification, outgoing: OutgoingRequest, asked: bool
) -> Sequence[OutgoingRequest]:
    """Return the requests of one attempt: the true one, a changed one, the same twice, or none for now.

    A notification is held back once at most. One that is `asked` for on demand is never held back, and uses up no rule
    that holds back.
    """
    held = context.state.find(HeldBack, "WHERE id = ?", row.id) is not None
    kind, about = row.kind, row.about
    fault = rules_of(engine).apply_to_notification(
        context.state, kind, KINDS[kind].operation, about, context.now, without=HOLDS_BACK if asked or held else ()
    )
    if fault is None:
        return (outgoing,)
    if fault.rule.kind in HOLDS_BACK:
        _hold_back(context, row, fault.rule)
        return ()
    if fault.rule.kind == "duplicate":
        return (outgoing, outgoing)
    if fault.rule.kind == "wrong-key":
        signature = foreign_signer().sign(outgoing.body)
        headers = tuple((name, signature if name == "sign" else value) for name, value in outgoing.headers)
        return (outgoing._replace(headers=headers),)
    body = bytearray(outgoing.body)
    body[len(body) // 2] ^= 1
    return (outgoing._replace(body=bytes(body)),)


def _hold_back(context: RequestContext, row: Notification, rule: FaultRule) -> None:
    planned = row.next_at
    assert planned is not None  # it is due
    # The planned time is past if the sandbox was stopped meanwhile.
    later = max(planned, context.now) + timedelta(seconds=rule.seconds)
    if rule.kind == "reordered":
        following = context.state.find(Notification, "WHERE next_at IS NOT NULL AND id > ? ORDER BY id LIMIT 1", row.id)
        if following is not None and following.next_at is not None:
            later = max(following.next_at, planned, context.now) + timedelta(microseconds=1)
    context.state.add(HeldBack(id=row.id))
    context.state.change(row, next_at=later)


def record_notification(
    engine: Engine, row: Notification, outgoing: OutgoingRequest, answer: Answered | Unanswered
) -> None:
    """Record one delivery in the log."""
    operation = KINDS[row.kind].operation or row.kind
    record_exchange(engine, operation, row.merchant, row.about, outgoing, answer)


def record_exchange(
    engine: Engine,
    operation: str,
    merchant: str,
    about: str | None,
    outgoing: OutgoingRequest,
    answer: Answered | Unanswered,
) -> None:
    """Record a request to a merchant and its answer in the log."""
    answered = answer if isinstance(answer, Answered) else None
    engine.captures.add(
        Capture(
            "notify",
            engine.wall.now(),
            outgoing.url,
            (("host", urlsplit(outgoing.url).netloc), *outgoing.headers, ("content-length", str(len(outgoing.body)))),
            outgoing.body,
            operation=operation,
            merchant=merchant,
            key=about,
            status=answered.status if answered else None,
            response_headers=answered.headers if answered else (),
            response=answered.body if answered else b"",
        )
    )
