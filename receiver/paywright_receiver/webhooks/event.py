"""The event that a handler gets: a verified notification (webhook), and the transaction to write its effect in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast

if TYPE_CHECKING:
    from paywright_receiver.items.ledger import Conflict, Transaction
    from paywright_receiver.ledgers.sql.sql_ledger import Claim
    from paywright_receiver.webhooks.delivery import Delivery
    from paywright_runtime.answer import Violation
    from paywright_runtime.strict_json import JSON

D = TypeVar("D", covariant=True)


class Event(Generic[D]):
    """A notification (webhook) that the gateway signed, for this merchant, fresh, and not handled before [6].

    `repr` shows the key only. `replayed` is True if it comes from the ledger instead of from a delivery. `redelivered` is True if
    `Follower.redeliver` asked for it: the result may have had its effect before, so look at your own books.
    """

    __slots__ = ("_claim", "_delivery", "redelivered", "replayed")

    def __init__(self, delivery: Delivery, claim: Claim, replayed: bool, redelivered: bool = False) -> None:
        self._delivery = delivery
        self._claim = claim
        self.replayed: bool = replayed
        self.redelivered: bool = redelivered

    @property
    def kind(self) -> str:
        """Return the `notifyType`, such as RECEIVE."""
        return self._delivery.kind

    @property
    def operation(self) -> str | None:
        """Return the contract's name for this kind; None if the specification does not show its contents [6.3]."""
        return self._delivery.operation

    @property
    def by(self) -> Literal["notification", "inquiry"]:
        """Return how it became known: by a notification, or by an inquiry of a `Follower`.

        Only results (`on_result`) become known by an inquiry. `body` is then the data in its answer, `raw` the ledger's copy of
        it, `operation` the inquiry, and `notify_time` when it was made.
        """
        return self._delivery.by

    @property
    def key(self) -> str:
        """Return the key of the notification's effect in the ledger, with your own spelling of the number."""
        return self._delivery.shown

    @property
    def data(self) -> D:
        """Return the typed data of the notification.

        For a kind that the specification does not show: the object `data` as parsed JSON, empty if there is none [6.3].
        """
        return cast(D, self._delivery.read())

    @property
    def body(self) -> Mapping[str, JSON]:
        """Return the whole notification as parsed JSON. Numbers are int or Decimal."""
        return self._delivery.body

    @property
    def raw(self) -> bytes:
        """Return the bytes that were signed."""
        return self._delivery.raw

    @property
    def notify_time(self) -> datetime:
        """Return the notification's `notifyTime`, as an aware datetime."""
        return self._delivery.notify_time

    @property
    def violations(self) -> list[Violation]:
        """Return the violations of the contract in a notification that can still be read.

        Empty for a kind that the specification does not show.
        """
        return self._delivery.violations()

    @property
    def attempt(self) -> int:
        """Return how often a handler began with this notification, this time included: 1 the first time.

        Deliveries that are answered without calling a handler are not counted.
        """
        return self._claim.attempt

    @property
    def maybe_repeated(self) -> bool:
        """Return whether an earlier handler began with this notification and did not finish, or it is `redelivered`.

        It raised an error, or its process died. What it wrote through `transaction` was rolled back. What it did
        elsewhere (a mail, a call, another database) may have happened: check before you do it again.
        """
        return self.redelivered or self._claim.attempt > 1

    @property
    def conflict(self) -> Conflict | None:
        """Return the notification that this one contradicts, for the handler of `on_conflict`; otherwise None."""
        return self._claim.conflict

    @property
    def transaction(self) -> Transaction:
        """Return the ledger's connection, in a transaction that begins when this is first read.

        Writes through it are committed together with the ledger's record that the notification is done, or not at all. Do slow
        work before the first access: other deliveries may wait for the transaction to end. Raises `ClaimLost` if another
        process took the notification over.
        """
        return self._claim.transaction

    def __repr__(self) -> str:
        return f"<Event {self.key}>"
