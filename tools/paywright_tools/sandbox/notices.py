"""The control API of the clock, the outbox, the event log, transfers received and bill payments."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from paywright_runtime import formats, strict_json
from paywright_tools.sandbox import bills, transfers
from paywright_tools.sandbox.advance import advance, happened_since, last_event, shown_event
from paywright_tools.sandbox.clock import VirtualClock
from paywright_tools.sandbox.courier import courier_of, next_due
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import time_of
from paywright_tools.sandbox.outbox import attempts_of, notification, notifications
from paywright_tools.sandbox.routes import Call, Field, Route
from paywright_tools.sandbox.store import Cell, Row
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["ROUTES"]

_MOST: Final = 200


def _time(stored: Cell) -> str | None:
    time = time_of(stored)
    return formats.write_request_time(time) if time else None


def _merchant(engine: Engine, call: Call) -> str:
    known = [merchant.app_id for merchant in engine.merchants.registered]
    named = call.body.get("merchant")
    if named is None:
        return known[0]
    if named not in known:
        raise Refused(f"There is no such merchant; there is {', '.join(known)}.", code="404")
    return str(named)


# The clock


def _clock(engine: Engine, call: Call) -> dict[str, object]:
    clock = engine.clock
    due = engine.act(lambda turn: next_due(turn.state))[0]
    answer: dict[str, object] = {
        "now": formats.write_request_time(clock.now()),
        "wall": formats.write_request_time(engine.wall.now()),
        "frozen": isinstance(clock, VirtualClock) and clock.frozen,
        "aheadSeconds": int((clock.now() - engine.wall.now()) / timedelta(seconds=1)),
        "nextDue": formats.write_request_time(due) if due else None,
        "requestTimeJudgedBy": engine.settings.judge_request_time,
    }
    return answer


def _own(engine: Engine) -> VirtualClock:
    if not isinstance(engine.clock, VirtualClock):
        raise Refused("This sandbox runs on a clock of its caller's, which is not stopped from here.", code="409")
    return engine.clock


def _freeze(engine: Engine, call: Call) -> dict[str, object]:
    _own(engine).freeze()
    return _clock(engine, call)


def _resume(engine: Engine, call: Call) -> dict[str, object]:
    _own(engine).resume()
    courier_of(engine).ring()
    return _clock(engine, call)


def _advance(engine: Engine, call: Call) -> dict[str, object]:
    seconds, to = call.body.get("seconds"), call.body.get("to")
    if (seconds is None) == (to is None):
        raise Refused('Say either {"seconds": N} or {"to": "2025-06-01T12:00:00Z"}.', code="400")
    if isinstance(seconds, int):
        if not 0 <= seconds <= 10**12:
            raise Refused("seconds is 0 or more: the clock never goes back.", code="400")
        return advance(engine, timedelta(seconds=seconds))
    time = formats.read_time(str(to))
    assert isinstance(time, datetime)  # the route's field is a time
    return advance(engine, time)


# The outbox


def _notifications(engine: Engine, call: Call) -> dict[str, object]:
    rows = engine.act(lambda turn: notifications(turn.state, most=_MOST))[0]
    return {"notifications": [_shown(row) for row in rows]}


def _notification(engine: Engine, call: Call) -> dict[str, object]:
    return engine.act(lambda turn: _whole(turn, _number(call)))[0]


def _redeliver(engine: Engine, call: Call) -> dict[str, object]:
    row = _number(call)
    outcome, status, why = courier_of(engine).redeliver(row)
    attempt = {"outcome": outcome, "httpStatus": status, "why": why}
    return {"attempt": attempt, **engine.act(lambda turn: _whole(turn, row))[0]}


def _number(call: Call) -> int:
    text = call.path["id"]
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise Refused("A notification's id is a number.", code="404")
    return int(text)


def _whole(turn: Turn, number: int) -> dict[str, object]:
    row = notification(turn.state, number)
    if row is None:
        raise Refused("There is no notification of this number.", code="404")
    body = row["body"]
    assert isinstance(body, bytes)
    attempts = [
        {
            "at": _time(attempt["at"]),
            "asked": bool(attempt["asked"]),
            "outcome": attempt["outcome"],
            "httpStatus": attempt["http_status"],
            "why": attempt["why"],
        }
        for attempt in attempts_of(turn.state, number)
    ]
    return {**_shown(row), "body": strict_json.parse(body), "raw": body.decode(), "deliveries": attempts}


def _shown(row: Row) -> dict[str, object]:
    return {
        "id": row["id"],
        "merchant": row["merchant"],
        "kind": row["kind"],
        "about": row["about"],
        "url": row["url"],
        "status": row["status"],
        "attempts": row["attempts"],
        "policy": row["policy"],
        "createdAt": _time(row["created_at"]),
        "nextAt": _time(row["next_at"]),
        "finishedAt": _time(row["finished_at"]),
    }


# The log


def _events(engine: Engine, call: Call) -> dict[str, object]:
    def latest(turn: Turn) -> list[dict[str, object]]:
        rows = turn.state.all("SELECT * FROM events ORDER BY seq DESC LIMIT ?", _MOST)
        return [shown_event(row) for row in reversed(rows)]

    return {"events": engine.act(latest)[0]}


def _events_after(engine: Engine, call: Call) -> dict[str, object]:
    seq = call.path["seq"]
    if not (seq.isascii() and seq.isdigit() and len(seq) <= 15):
        raise Refused("seq is a number.", code="404")
    found, last = engine.act(lambda turn: (happened_since(turn.state, int(seq), _MOST), last_event(turn.state)))[0]
    return {"events": found, "last": last}


# Transfers and bills


def _receive(engine: Engine, call: Call) -> dict[str, object]:
    merchant = _merchant(engine, call)
    return engine.act(lambda turn: transfers.shown_transfer(transfers.receive(turn, merchant, call.body)))[0]


def _settle(engine: Engine, call: Call) -> dict[str, object]:
    number = call.path["requestNo"]
    return engine.act(
        lambda turn: transfers.shown_transfer(transfers.settle(turn, transfers.transfer_of(turn, number)))
    )[0]


def _reject(engine: Engine, call: Call) -> dict[str, object]:
    number, why = call.path["requestNo"], str(call.body.get("why", ""))
    return engine.act(
        lambda turn: transfers.shown_transfer(transfers.reject(turn, transfers.transfer_of(turn, number), why))
    )[0]


def _transfer(engine: Engine, call: Call) -> dict[str, object]:
    return engine.act(lambda turn: transfers.shown_transfer(transfers.transfer_of(turn, call.path["requestNo"])))[0]


_AMOUNT: Final = Field("amount", "decimal", "how much, in decimal text or a number", required=True)
_OF_MERCHANT: Final = Field("merchant", "string", "app id of the merchant; the first one when left out")

ROUTES: Final = (
    Route("GET", "clock", "Business time, and when something falls due next", _clock),
    Route("POST", "clock/advance", "Moves the clock forward; returns all that happened on the way, in order", _advance, (
        Field("seconds", "integer", "how far"), Field("to", "time", "until when"),
    ), waiting=True),
    Route("POST", "clock/freeze", "Business time stands still", _freeze),
    Route("POST", "clock/resume", "Business time runs on from where it stands", _resume),
    Route("GET", "notifications", f"The latest {_MOST} notifications, the newest first", _notifications),
    Route("GET", "notifications/{id}", "One notification with its body and its attempts", _notification),
    Route("POST", "notifications/{id}/redeliver", "Delivers a notification once more, now, the same bytes", _redeliver, waiting=True),
    Route("GET", "events", f"The latest {_MOST} events, the oldest first", _events),
    Route("GET", "events/after/{seq}", f"The next {_MOST} events after that of a number", _events_after),
    Route("GET", "transfers", f"The latest {_MOST} transfers received, the newest first",
          lambda engine, call: {"transfers": engine.act(lambda turn: transfers.all_transfers(turn, _MOST))[0]}),
    Route("POST", "transfers", "Receives a transfer for a merchant [6.1]", _receive, (
        _OF_MERCHANT, _AMOUNT,
        Field("currency", "string", "such as USD", required=True),
        Field("status", "string", "where it comes to at once (default TO_BE_PROVED)", choices=("TO_BE_PROVED", "SETTLED", "REJECTED")),
        Field("fee", "decimal", "what is kept for the service (default 0)"),
        Field("tax", "decimal", "what is kept for tax (default 0)"),
        Field("country", "string", "of the merchant's account (default SG)"),
        Field("payerName", "string", "who sent it"),
        Field("payerAccount", "string", "from which account"),
        Field("remark", "string", "what the payer wrote"),
    )),
    Route("GET", "transfers/{requestNo}", "One transfer", _transfer),
    Route("POST", "transfers/{requestNo}/settle", "Settles a transfer that is to be proved", _settle),
    Route("POST", "transfers/{requestNo}/reject", "Rejects a transfer that is to be proved", _reject, (
        Field("why", "string", "the reason that the merchant is told"),
    )),
    Route("GET", "bill-payments", f"The latest {_MOST} bill payments, the newest first",
          lambda engine, call: {"billPayments": engine.act(lambda turn: bills.all_bills(turn, _MOST))[0]}),
    Route("POST", "bill-payments", "Pays a bill if the merchant, who is asked, confirms it [4.18]",
          lambda engine, call: bills.ask(engine, _merchant(engine, call), call.body), (
        _OF_MERCHANT, _AMOUNT,
        Field("referenceNo", "string", "the merchant's order id", required=True),
        Field("currency", "string", "such as PHP (default PHP)"),
    ), waiting=True),
)  # fmt: skip
