"""The outbox: notifications stored with their effect, when each is sent again, and when that ends [6].

`worker` sends, outside of any transaction, and reports back with `attempted`; the policy `notification-schedule` has the times. The body is written once, and PKCS#1 v1.5
signs the same bytes the same way: every attempt carries the same signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_runtime.contract.operation import Operation, SeenNotification
from paywright_sandbox.engine.merchant import address_setting
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.tables import TableRow, instant, moment, references
from paywright_sandbox.engine.url_policy import destination_of

if TYPE_CHECKING:
    from paywright import OperationName
    from paywright_sandbox.engine.context import RequestContext
    from paywright_sandbox.engine.merchant import RegisteredMerchant


@dataclass(frozen=True, kw_only=True)
class Notification(
    TableRow,
    table="notifications",
    indexes={"notifications_due": "(next_at, id, destination) WHERE next_at IS NOT NULL"},
):
    """A notification in the outbox. `about` is the merchant's number of its subject, `destination` host and port.

    `status` is DUE, ACKNOWLEDGED or USED_UP; `policy` names the policy that decided its contents, if any. It is `held` if a
    fault has held it back.
    """

    merchant: str
    kind: str
    about: str
    url: str
    destination: str
    body: bytes
    policy: str | None = None
    status: str
    attempts: int
    created_at: datetime
    next_at: datetime | None = None
    finished_at: datetime | None = None
    held: bool = False


@dataclass(frozen=True, kw_only=True)
class DeliveryAttempt(TableRow, table="attempts", indexes={"attempts_of": "(notification, id)"}):
    """An attempt to deliver a notification; `asked` if on demand. `why` has words without a value."""

    notification: int = field(metadata=references("notifications"))
    at: datetime
    asked: bool
    outcome: str
    http_status: int | None = None
    why: str


TABLES: Final = (Notification, DeliveryAttempt)


class Kind(NamedTuple):
    """A kind of notification: the contract's operation if it shows one, and the merchant's setting with its address."""

    operation: OperationName | None
    setting: str
    version: str | None


def _kind(what: Operation | SeenNotification) -> Kind:
    if isinstance(what, SeenNotification):  # the contents are not shown [6.3]: policy unshown-notifications
        return Kind(None, address_setting(what), "1.0")
    version = CONTRACT.struct(what.request).by_wire.get("version")
    return Kind(cast("OperationName", what.name), address_setting(what), None if version is None else version.sends)


KINDS: Final[Mapping[str, Kind]] = {kind: _kind(what) for kind, what in CONTRACT.kinds().items()}
"""By notifyType."""


def enqueue(
    context: RequestContext, merchant: str, kind: str, url: str | None, body: Mapping[str, object], about: str
) -> int | None:
    """Put a notification into the outbox. See `RequestContext.notify`."""
    what = KINDS[kind]
    policy = None if what.operation else "unshown-notifications"
    if policy is not None and context.policies.text(policy) == "off":
        return None
    registered = context.merchant(merchant)
    to = url or (registered.addresses.get(what.setting) if registered else None)
    if not to:
        return None
    message = _message(context, what, kind, merchant, registered, body)
    if what.operation is not None:
        _must_be_valid(what.operation, message)
    at = context.now + timedelta(seconds=context.policies.schedule("notification-schedule")[0])
    row = context.state.add(
        Notification(
            merchant=merchant,
            kind=kind,
            about=about,
            url=to,
            destination=destination_of(to),
            body=strict_json.write(message),
            policy=policy,
            status="DUE",
            attempts=0,
            created_at=context.now,
            next_at=at,
        )
    ).id
    context.state.falls_due(at)
    detail = {"merchant": merchant, "notification": row, "kind": kind}
    context.state.record(context.now, "notification.enqueued", about, detail)
    return row


def _message(
    context: RequestContext,
    what: Kind,
    kind: str,
    merchant: str,
    registered: RegisteredMerchant | None,
    body: Mapping[str, object],
) -> dict[str, object]:
    root: dict[str, object] = {"code": "APPLY_SUCCESS", "msg": "Success."}
    if what.version is not None:
        root["version"] = what.version
    root |= {"keyVersion": "1", "appId": merchant}
    number = registered.numbers.get("merchant_no") if registered else None
    if number is not None:
        root["merchantNo"] = number
    root |= {"notifyTime": formats.write_request_time(context.now), "notifyType": kind}
    return {**root, **body}


def _must_be_valid(operation: OperationName, message: dict[str, object]) -> None:
    from paywright import validate

    violations = validate(operation, "notification", message)
    if violations:
        of_merchant = [f"{at.pointer} {at.code}" for at in violations if at.pointer in ("/appId", "/merchantNo")]
        if len(of_merchant) == len(violations):
            raise Refusal(
                f"The contract does not allow the numbers of this merchant in the notification ({'; '.join(of_merchant)}): change "
                "them. Nothing was kept.",
                code="409",
            )
        # An error of the sandbox, not of the merchant. Name places only: the message may hold a payer's data.
        raise AssertionError(f"not a {operation}: " + "; ".join(f"{at.pointer} {at.code}" for at in violations))


# Reading


def due_first(state: State, now: datetime, without: Sequence[str] = ()) -> Notification | None:
    """Return the notification that is due first, or None. Leave out those to the destinations `without`."""
    return state.find(
        Notification,
        f"WHERE next_at <= ? AND destination NOT IN ({', '.join('?' * len(without))}) ORDER BY next_at, id LIMIT 1",
        instant(now),
        *without,
    )


def first_due(state: State, after: datetime | None = None) -> datetime | None:
    """Return when the next attempt is due, or None. With `after`, only attempts later than that count."""
    since = -1 if after is None else instant(after)
    row = state.one("SELECT min(next_at) AS at FROM notifications WHERE next_at > ?", since)
    at = None if row is None else row["at"]
    return moment(at) if isinstance(at, int) else None


# Recording an attempt


def attempted(
    context: RequestContext,
    row: int,
    *,
    at: datetime,
    outcome: str,
    http_status: int | None,
    why: str,
    asked: bool = False,
) -> None:
    """Record an attempt that began `at`, and plan the next one.

    `outcome` is ACKNOWLEDGED or what went wrong, `why` words without a value. An attempt on demand (`asked`) leaves the
    schedule alone unless it was acknowledged.
    """
    found = context.state.get(Notification, row)
    context.state.add(
        DeliveryAttempt(notification=row, at=at, asked=asked, outcome=outcome, http_status=http_status, why=why)
    )
    made = found.attempts + (0 if asked else 1)
    changes: dict[str, object] = {"attempts": made}
    times = context.policies.schedule("notification-schedule")
    if outcome == "ACKNOWLEDGED":
        changes |= {"status": outcome, "next_at": None, "finished_at": found.finished_at or at}
    elif not asked and found.next_at is not None:
        if made < len(times):
            planned = found.created_at + timedelta(seconds=times[made])
            # After a long pause everything would be due at once: then keep the distances of the schedule.
            distance = timedelta(seconds=times[made] - times[made - 1])
            changes["next_at"] = planned if planned > at else at + distance
        else:
            changes |= {"status": "USED_UP", "next_at": None, "finished_at": at}
    context.state.change(found, **changes)
    detail = {"merchant": found.merchant, "notification": row, "kind": found.kind, "outcome": outcome}
    detail |= {"httpStatus": http_status, "why": why}
    context.state.record(context.now, "notification.attempted", found.about, detail)
