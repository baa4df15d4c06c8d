"""Control routes of the outbox: list notifications, show one with its attempts, deliver one again [6]."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_sandbox.delivery.outbox import DeliveryAttempt, Notification
from paywright_sandbox.delivery.worker import worker_of
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.routes import Call, Route, number_in
from paywright_sandbox.engine.state.refusal import Refusal

_MOST: Final = 200


def _time(time: datetime | None) -> str | None:
    return formats.write_request_time(time) if time else None


def _notifications(engine: Engine, call: Call) -> dict[str, object]:
    with engine.transaction() as context:
        rows = context.state.select(Notification, "ORDER BY id DESC LIMIT ?", _MOST)
    return {"notifications": [_shown(row) for row in rows]}


def _notification(engine: Engine, call: Call) -> dict[str, object]:
    with engine.transaction() as context:
        return _whole(context, number_in(call, "id"))


def _redeliver(engine: Engine, call: Call) -> dict[str, object]:
    row = number_in(call, "id")
    outcome, status, why = worker_of(engine).redeliver(row)
    attempt = {"outcome": outcome, "httpStatus": status, "why": why}
    with engine.transaction() as context:
        return {"attempt": attempt, **_whole(context, row)}


def _whole(context: RequestContext, number: int) -> dict[str, object]:
    row = context.state.find(Notification, "WHERE id = ?", number)
    if row is None:
        raise Refusal("There is no notification with this number.", code="404")
    attempts = [
        {
            "at": _time(attempt.at),
            "asked": attempt.asked,
            "outcome": attempt.outcome,
            "httpStatus": attempt.http_status,
            "why": attempt.why,
        }
        for attempt in context.state.select(DeliveryAttempt, "WHERE notification = ? ORDER BY id", number)
    ]
    return {**_shown(row), "body": strict_json.parse(row.body), "raw": row.body.decode(), "deliveries": attempts}


def _shown(row: Notification) -> dict[str, object]:
    return {
        "id": row.id,
        "merchant": row.merchant,
        "kind": row.kind,
        "about": row.about,
        "url": row.url,
        "status": row.status,
        "attempts": row.attempts,
        "policy": row.policy,
        "createdAt": _time(row.created_at),
        "nextAt": _time(row.next_at),
        "finishedAt": _time(row.finished_at),
    }


ROUTES: Final = (
    Route("GET", "notifications", f"The latest {_MOST} notifications, the newest first", _notifications),
    Route("GET", "notifications/{id}", "One notification with its body and its attempts", _notification),
    Route("POST", "notifications/{id}/redeliver", "Delivers a notification again now, with the same bytes", _redeliver, waiting=True),
)  # fmt: skip
