"""What a handler gets: a verified notification, read, and the transaction to write its effect in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar, cast

if TYPE_CHECKING:
    from paywright_runtime.inbound import Delivery
    from paywright_runtime.ledger import Conflict, Held, Transaction
    from paywright_runtime.strict_json import JSON
    from paywright_runtime.violations import Violation

__all__ = ["Event"]

D = TypeVar("D", covariant=True)


class Event(Generic[D]):
    """A notification: signed by the service, meant for this merchant, fresh, and not handled before [6].

    `key` names its effect in the ledger, `kind` is its `notifyType`, `operation` the contract's name for it (None where the
    contract does not show its contents [6.3]). `replayed` says that it comes out of the ledger and not off the wire.
    `repr` shows the key alone.
    """

    __slots__ = ("_data", "_delivery", "_held", "replayed")

    def __init__(self, delivery: Delivery, held: Held, replayed: bool) -> None:
        self._delivery = delivery
        self._held = held
        self._data: object = None
        self.replayed: bool = replayed

    @property
    def kind(self) -> str:
        return self._delivery.kind

    @property
    def operation(self) -> str | None:
        kind = self._delivery.known
        return None if kind is None else kind.operation.name

    @property
    def key(self) -> str:
        return self._delivery.key

    @property
    def data(self) -> D:
        """What it tells of, typed; of a kind that the contract does not show, the object `data` as parsed JSON, empty if
        there is none (`body` has all that came)."""
        if self._data is None:
            self._data = self._delivery.read()
        return cast(D, self._data)

    @property
    def body(self) -> Mapping[str, JSON]:
        """The whole notification as parsed JSON; numbers are int or Decimal."""
        return self._delivery.body

    @property
    def raw(self) -> bytes:
        """The bytes that were signed."""
        return self._delivery.raw

    @property
    def code(self) -> str:
        """The notification's own code, such as APPLY_SUCCESS, or ""."""
        return self._word("code")

    @property
    def msg(self) -> str:
        """The notification's own words, or ""."""
        return self._word("msg")

    @property
    def notify_time(self) -> datetime:
        """When the service says it notified; aware."""
        return self._delivery.notify_time

    @property
    def violations(self) -> list[Violation]:
        """Where the notification departs from the contract; reading survived all of them. Empty for an untyped one."""
        return self._delivery.violations()

    @property
    def unknown(self) -> list[str]:
        """JSON pointers of members that the contract does not name; their values are in `body`."""
        return self._delivery.unknown()

    @property
    def attempt(self) -> int:
        """1 if no handler has begun with it before. It counts handlers, not deliveries: those that found it done began none."""
        return self._held.attempt

    @property
    def maybe_repeated(self) -> bool:
        """True if a handler began with it before and did not come to its end: it failed, or its process died.

        What it wrote through `transaction` was undone. What it did elsewhere (a mail, a call, another database) may have
        happened: look before you do it again.
        """
        return self._held.attempt > 1

    @property
    def conflict(self) -> Conflict | None:
        """What it contradicts, for the handler of `on_conflict`: the key, state and time of the one that had its effect
        before. None for every other handler.
        """
        return self._held.conflict

    @property
    def transaction(self) -> Transaction:
        """The ledger's connection, in a transaction that begins at the first look: what is written through it is there
        exactly if the notification is done. Do slow work before the first look, for others wait for it to end.
        """
        return self._held.transaction

    def _word(self, name: str) -> str:
        value = self._delivery.body.get(name)
        return value if type(value) is str else ""

    def __repr__(self) -> str:
        return f"<Event {self.key}>"
