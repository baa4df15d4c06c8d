"""The outbox: notifications stand in the same transaction as the effect they tell of, and stay until acknowledged [6].

Nothing here sends anything: `courier` does, outside of any transaction, and reports back with `attempted`. The body is
written once; PKCS#1 v1.5 signs the same bytes the same way, so every attempt carries the same signature too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from paywright_runtime import formats, strict_json
from paywright_tools.sandbox.destination import destination_of
from paywright_tools.sandbox.fields import text, whole
from paywright_tools.sandbox.store import Cell, Row, State, instant, moment
from paywright_tools.sandbox.turn import Refused

if TYPE_CHECKING:
    from paywright_tools.sandbox.settings import RegisteredMerchant
    from paywright_tools.sandbox.turn import Turn

__all__ = [
    "KINDS",
    "TABLES",
    "Kind",
    "attempted",
    "attempts_of",
    "due_first",
    "due_now",
    "enqueue",
    "first_due",
    "notification",
    "notifications",
]

TABLES: Final = """
CREATE TABLE notifications (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, kind TEXT NOT NULL, about TEXT NOT NULL, url TEXT NOT NULL,
    destination TEXT NOT NULL, body BLOB NOT NULL, policy TEXT, status TEXT NOT NULL, attempts INTEGER NOT NULL, created_at INTEGER NOT NULL,
    next_at INTEGER, finished_at INTEGER
);
CREATE INDEX notifications_due ON notifications (next_at, id, destination) WHERE next_at IS NOT NULL;
CREATE INDEX notifications_about ON notifications (about);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, notification INTEGER NOT NULL REFERENCES notifications (id), at INTEGER NOT NULL,
    asked INTEGER NOT NULL, outcome TEXT NOT NULL, http_status INTEGER, why TEXT NOT NULL
);
CREATE INDEX attempts_of ON attempts (notification, id)
"""


_OF_ONE_DESTINATION: Final = 100
_TOGETHER: Final = 1000


class Kind:
    """A kind of notification: the contract's operation if it shows one, and the merchant's setting with its address."""

    __slots__ = ("operation", "setting", "version")

    def __init__(self, operation: str | None, setting: str, version: str | None) -> None:
        self.operation = operation
        self.setting = setting
        self.version = version


KINDS: Final[Mapping[str, Kind]] = {
    "RECEIVE": Kind("notifications.receive", "va-result-notify-url", "1.0"),
    "SUBSCRIPTION_PAYMENT": Kind("notifications.subscription_payment", "subscription-payment-result-notify-url", None),
    # Their contents are not shown [6.3]: the policy unshown-notifications.
    "PAYMENT": Kind(None, "notify-url", "1.0"),
    "REFUND": Kind(None, "refund-notify-url", "1.0"),
    "WITHDRAW": Kind(None, "call-back-url", "1.0"),
}
"""By notifyType."""


def enqueue(
    turn: Turn, merchant: str, kind: str, url: str | None, body: Mapping[str, object], about: str
) -> int | None:
    """See `Turn.notify`."""
    what = KINDS[kind]
    policy = None if what.operation else "unshown-notifications"
    if policy is not None and turn.policies.text(policy) == "off":
        return None
    registered = turn.merchant(merchant)
    to = url or (registered.addresses.get(what.setting) if registered else None)
    if not to:
        return None
    message = _message(turn, what, kind, merchant, registered, body)
    if what.operation is not None:
        _must_be_valid(what.operation, message)
    first = schedule(turn)[0]
    row = turn.state.insert(
        "notifications",
        {
            "merchant": merchant,
            "kind": kind,
            "about": about,
            "url": to,
            "destination": destination_of(to),
            "body": strict_json.write(message),
            "policy": policy,
            "status": "DUE",
            "attempts": 0,
            "created_at": instant(turn.now),
            "next_at": instant(turn.now + timedelta(seconds=first)),
        },
    )
    turn.state.falls_due(turn.now + timedelta(seconds=first))
    turn.state.record(turn.now, "notification.enqueued", about, {"notification": row, "kind": kind})
    return row


def _message(
    turn: Turn, what: Kind, kind: str, merchant: str, registered: RegisteredMerchant | None, body: Mapping[str, object]
) -> dict[str, object]:
    root: dict[str, object] = {"code": "APPLY_SUCCESS", "msg": "Success."}
    if what.version is not None:
        root["version"] = what.version
    root |= {"keyVersion": "1", "appId": merchant}
    number = registered.numbers.get("merchant_no") if registered else None
    if number is not None:
        root["merchantNo"] = number
    root |= {"notifyTime": formats.write_request_time(turn.now), "notifyType": kind}
    return {**root, **body}


def _must_be_valid(operation: str, message: dict[str, object]) -> None:
    from paywright import validate

    violations = validate(operation, "notification", message)
    if violations:
        of_merchant = [f"{at.pointer} {at.code}" for at in violations if at.pointer in ("/appId", "/merchantNo")]
        if len(of_merchant) == len(violations):
            raise Refused(
                f"The notification cannot name this merchant as the contract shows it ({'; '.join(of_merchant)}): change "
                "the merchant's numbers. Nothing was kept.",
                code="409",
            )
        # A fault of the sandbox, never of the merchant; the places only, for the message may hold a payer's data.
        raise AssertionError(f"not a {operation}: " + "; ".join(f"{at.pointer} {at.code}" for at in violations))


def schedule(turn: Turn) -> tuple[int, ...]:
    """Seconds after the event of every attempt."""
    return turn.policies.schedule("notification-schedule")


# Asking


def notification(state: State, row: int) -> Row | None:
    """One notification."""
    return state.one("SELECT * FROM notifications WHERE id = ?", row)


def notifications(state: State, *, about: str | None = None, most: int = 200) -> list[dict[str, Cell]]:
    """The latest notifications, the newest first."""
    if about is None:
        return state.all("SELECT * FROM notifications ORDER BY id DESC LIMIT ?", most)
    return state.all("SELECT * FROM notifications WHERE about = ? ORDER BY id DESC LIMIT ?", about, most)


def attempts_of(state: State, row: int) -> list[dict[str, Cell]]:
    """The attempts of a notification, in order."""
    return state.all("SELECT * FROM attempts WHERE notification = ? ORDER BY id", row)


def due_first(state: State, now: datetime, without: Sequence[str] = ()) -> Row | None:
    """The notification whose attempt is due first, if one is, of those that do not go to the destinations `without`."""
    return state.one(
        f"SELECT * FROM notifications WHERE next_at <= ? AND destination NOT IN ({', '.join('?' * len(without))}) "
        "ORDER BY next_at, id LIMIT 1",
        instant(now),
        *without,
    )


def due_now(state: State, now: datetime, most: int) -> list[dict[str, Cell]]:
    """The notifications whose attempts are due, in order: at most `most`, and of each destination the first hundred."""
    return state.all(
        "SELECT * FROM notifications WHERE id IN (SELECT id FROM (SELECT id, next_at, row_number() OVER "
        "(PARTITION BY destination ORDER BY next_at, id) AS place FROM notifications WHERE next_at <= ?) "
        "WHERE place <= ? ORDER BY next_at, id LIMIT ?) ORDER BY next_at, id",
        instant(now),
        _OF_ONE_DESTINATION,
        min(most, _TOGETHER),
    )


def first_due(state: State, after: datetime | None = None) -> datetime | None:
    """When the next attempt is due, or None; with `after` the next one that was not due by then."""
    since = -1 if after is None else instant(after)
    row = state.one("SELECT min(next_at) AS at FROM notifications WHERE next_at > ?", since)
    return None if row is None or row["at"] is None else moment(whole(row, "at"))


# What became of an attempt


def attempted(
    turn: Turn, row: int, *, at: datetime, outcome: str, http_status: int | None, why: str, asked: bool = False
) -> None:
    """Records an attempt that began `at`, and when the next one is due.

    `outcome` is ACKNOWLEDGED or what went wrong, `why` words without a value; an attempt that was `asked` for on demand
    leaves the schedule alone unless it was acknowledged.
    """
    found = notification(turn.state, row)
    assert found is not None  # notifications are never deleted
    turn.state.insert(
        "attempts",
        {
            "notification": row,
            "at": instant(at),
            "asked": int(asked),
            "outcome": outcome,
            "http_status": http_status,
            "why": why,
        },
    )
    made = whole(found, "attempts") + (0 if asked else 1)
    changes: dict[str, Cell] = {"attempts": made}
    times = schedule(turn)
    if outcome == "ACKNOWLEDGED":
        changes |= {"status": outcome, "next_at": None, "finished_at": found["finished_at"] or instant(at)}
    elif not asked and found["next_at"] is not None:
        if made < len(times):
            changes["next_at"] = instant(_next(moment(whole(found, "created_at")), at, times, made))
        else:
            changes |= {"status": "USED_UP", "next_at": None, "finished_at": instant(at)}
    turn.state.update("notifications", row, changes)
    detail = {"notification": row, "kind": found["kind"], "outcome": outcome, "httpStatus": http_status, "why": why}
    turn.state.record(turn.now, "notification.attempted", text(found, "about"), detail)


def _next(created: datetime, at: datetime, times: tuple[int, ...], made: int) -> datetime:
    planned = created + timedelta(seconds=times[made])
    # After a long sleep everything would be due at once: the distances of the schedule hold then.
    return planned if planned > at else at + timedelta(seconds=times[made] - times[made - 1])
