"""Find results in notifications and inquiries, give each one key so that it has one effect, and write them into open items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, cast

from paywright_receiver.items.open_items import ItemId
from paywright_receiver.items.state_memory import OrderOf, Remembered, covered
from paywright_receiver.items.stored_follow import apply_notification, of_another_call
from paywright_receiver.webhooks.delivery import Delivery, key_step
from paywright_receiver.webhooks.item_result import ItemResult, ResultFacts
from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.clock import Moment
from paywright_runtime.contract.notification_digest import digest
from paywright_runtime.errors import InvalidArgument, UnreadableNotification

if TYPE_CHECKING:
    from paywright_receiver.items.ledger import Transaction
    from paywright_receiver.webhooks.options import ReceiverOptions
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Following
    from paywright_runtime.json_value import JSON


_MARK: Final = "paywright_result"
"""Member of the ledger's copy of an inquiry."""


class ResultDelivery(Delivery):
    """A result for its handler, from a verified notification or from the verified answer to an inquiry."""

    __slots__ = ("closed", "foreign", "item", "of", "result")

    def __init__(
        self,
        contract: Contract,
        facts: ResultFacts,
        app_id: str,
        result: ItemResult,
        body: dict[str, JSON],
        at: datetime,
        raw: bytes | None = None,
    ) -> None:
        super().__init__(contract, raw or b"", body, facts.word, None, "", at)
        self.of: ResultFacts = facts
        self.order: OrderOf = facts.order
        self.result: ItemResult = result
        self.foreign: str = ""
        """Contradiction to the registered item, in words; "" if there is none."""
        self.closed: bool = False
        """True if its item was closed by hand."""
        self.item: ItemId | None = facts.item(app_id, result.key)
        number = result.key if self.item is None else self.item.number
        self.state: str | None = str(result.state)
        self.subject: str = "/".join(map(key_step, (app_id, facts.kind, number)))
        self.key: str = "/".join(map(key_step, (app_id, facts.word, number, self.state)))
        if facts.ignores_case:
            self.written: str | None = "/".join(map(key_step, (app_id, facts.word, result.key, self.state)))
        if raw is None:
            self.raw: bytes = self._kept(at)
            self.operation: str | None = facts.following.operation
            self.by: Literal["notification", "inquiry"] = "inquiry"

    def check(self) -> None:
        """Do nothing: the result was read already."""

    def read(self) -> object:
        """Return the `ItemResult`."""
        return self.result

    def follows(self, was: str | None) -> None:
        """Take over the state that had its effect before."""
        self.result.was = None if was is None else type(self.result.state)(was)

    def fingerprint(self) -> str:
        """Return a hash of state, amount, currency and whether it is paid: the same for a notification and an inquiry.

        A notification about another call has a hash of its own, because it may differ in other members alone.
        """
        one = self.result
        currency = one.currency and one.currency.upper()  # compared without case, as with what was registered
        same = {"state": str(one.state), "amount": one.amount, "currency": currency, "paid": one.is_paid}
        return digest({**same, "other call": self.of.as_notified(self.body, one)} if self.foreign else same)

    def _kept(self, at: datetime) -> bytes:
        """Return the ledger's copy of an inquiry: the result alone, and no body."""
        shown = self.of.as_shown(self.result)
        kept = {_MARK: 1, "kind": self.result.kind, "at": at.isoformat(), "shown": shown}
        return strict_json.write(cast("JSON", kept))


class Results:
    """Results that a receiver has handlers for, and the open items that they settle."""

    def __init__(self, contract: Contract, receiver: ReceiverOptions, facts: Iterable[ResultFacts]) -> None:
        self._contract = contract
        self._app_id = str(next(iter(receiver.numbers.values())))
        self._clock = receiver.clock
        self._book = receiver.ledger.book
        self._by_kind = {one.kind: one for one in facts}
        self._by_word = {one.told_as: one for one in self._by_kind.values() if one.told_as is not None}
        # Kinds without a query, by the notification that the contract shows.
        self._reported_by: dict[str, Following] = {
            one.operation: one for one in contract.followed().values() if one.told
        }

    def reports_results(self, delivery: Delivery) -> bool:
        """Return whether a notification is of a kind that reports results, and was not read as a result yet."""
        return delivery.kind in self._by_word and not isinstance(delivery, ResultDelivery)

    def of_word(self, word: str) -> ResultFacts | None:
        """Return the facts of the kind with this word in its notifications and in the ledger's keys; None if there is none."""
        return next((facts for facts in self._by_kind.values() if facts.word == word), None)

    def result_of_notification(
        self, delivery: Delivery
    ) -> ResultDelivery | Literal["noted", "duplicate", "stale"] | UnreadableNotification:
        """Return the result in a notification. Without a last state, have the item asked about, and return what becomes of it.

        The error if it cannot be read, and nothing is there to ask about. Its state counts all the same.
        """
        facts = self._by_word[delivery.kind]
        key, state = facts.notified(delivery.body)
        id = None if key is None else facts.item(self._app_id, key)
        item = None if id is None else self._book.get(id, make=True)
        result = facts.read_notification(delivery.body)
        if id is not None and result is not None and facts.is_end(state):
            result.key = result.key if item is None else item.key
            given = (delivery.body, delivery.notify_time, delivery.raw)
            made = ResultDelivery(self._contract, facts, self._app_id, result, *given)
            if item is not None:
                made.closed = item.status == "closed"
                made.foreign = of_another_call(self._contract, item, facts.as_notified(delivery.body, result))
            return made
        if item is None:
            if facts.states.is_known(state) and not facts.is_end(state):
                return "noted"
            if id is not None and facts.is_end(state):
                self._book.remember(id, Remembered(state, "kept", 0))
            says = f"the members that were seen name no result of your {facts.kind}, and no such item is open"
            return UnreadableNotification(key=delivery.key, violations=(Violation(delivery.at, "required", says),))
        if item.status != "closed":
            if any(one.had and one.state == state for one in item.signed):
                return "duplicate"
            if state and covered(facts.order, state, item.signed):
                return "stale"
            if state == item.state and not facts.is_end(state):
                return "noted"
        self._book.hint(item.id, self._clock.now(), says=state)
        return "noted"

    def inquires_contradiction(self, delivery: Delivery) -> bool:
        """Schedule an inquiry if a result contradicts its open item, and return whether it did. The answer says which is right."""
        if not (isinstance(delivery, ResultDelivery) and delivery.foreign):
            return False
        assert delivery.item is not None
        item = self._book.get(delivery.item)
        if item is None or item.status == "settled":
            return False
        payload, now = delivery.of.as_notified(delivery.body, delivery.result), Moment.of(self._clock)
        self._book.change(delivery.item, lambda one: apply_notification(self._contract, one, payload, now))
        return self._book.hint(delivery.item, now.wall, says="")

    def open_again(self, delivery: Delivery) -> None:
        """Open an item again that was closed by hand, because of a verified notification that is not handled now."""
        if isinstance(delivery, ResultDelivery) and delivery.closed and delivery.item is not None:
            self._book.hint(delivery.item, self._clock.now(), says=delivery.state)

    def result_of_inquiry(self, kind: str, payload: dict[str, JSON], at: datetime) -> ResultDelivery | None:
        """Return the result of an inquiry; None if it shows no last state. Raises `InvalidArgument` for a kind without handler."""
        if kind not in self._by_kind:
            raise InvalidArgument(f"No handler of on_result({kind!r}) is registered.")
        facts = self._by_kind[kind]
        result = facts.read_inquiry(payload)
        if result is None or not facts.is_end(str(result.state)):
            return None
        return ResultDelivery(self._contract, facts, self._app_id, result, payload, at)

    def restore(self, body: Mapping[str, JSON]) -> ResultDelivery:
        """Restore a result from what the ledger kept of an inquiry. Raises `InvalidArgument` for anything else."""
        kind, at, shown = body.get("kind"), body.get("at"), body.get("shown")
        if body.get(_MARK) == 1 and type(kind) is str and type(at) is str and type(shown) is dict:
            made = self.result_of_inquiry(kind, shown, datetime.fromisoformat(at))
            if made is not None:
                return made
        raise InvalidArgument("What the ledger keeps there is neither a notification nor a result.")

    def record_update(self, delivery: Delivery) -> Callable[[Transaction], object] | None:
        """Return the function that updates the open item in the transaction of the effect; None if there is none to update."""
        item = None
        if isinstance(delivery, ResultDelivery):
            item, payload, ends = delivery.item, delivery.of.as_shown(delivery.result), delivery.of.ends
        else:
            following = self._reported_by.get(delivery.operation or "")
            data = delivery.data
            if following is None or type(data) is not dict:
                return None
            key = data.get(following.by)
            item = ItemId(self._app_id, following.kind, key) if type(key) is str and key else None
            payload, ends = dict(data), frozenset()
        if item is None:
            return None
        id, now = item, Moment.of(self._clock)

        def write(within: Transaction) -> None:
            self._book.change(
                id, lambda one: apply_notification(self._contract, one, payload, now, ends), within=within
            )

        return write
