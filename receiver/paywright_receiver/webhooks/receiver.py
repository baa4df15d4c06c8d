"""The base of generated `Receiver` classes: options, handlers, and the entry points for notifications (webhooks) [6].

    raw bytes -> one signature -> verified -> strict JSON -> ours, fresh -> claimed -> handler -> committed -> acknowledged

A failure at any step is answered with a reply that does not acknowledge, so that the gateway sends the notification
again. Nothing is acknowledged before it is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final, Self, TypeVar, cast

from paywright_receiver.webhooks.delivery_log import log
from paywright_receiver.webhooks.handlers import not_plain
from paywright_receiver.webhooks.options import ReceiverOptions, settings_from
from paywright_receiver.webhooks.reply import STATUS, DeliveryEvent, DeliveryObserver, Reply
from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.tracebacks import interrupts, strip_frames

if TYPE_CHECKING:
    from paywright_receiver.items.ledger import Transaction
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.bill_questions import Question
    from paywright_receiver.webhooks.event import Event
    from paywright_receiver.webhooks.item_result import ItemResult
    from paywright_receiver.webhooks.processing import DeliveryProcessor
    from paywright_receiver.webhooks.verification import Headers
    from paywright_runtime.client.settings import BaseMerchant
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.json_value import JSON

_JSON: Final = (("Content-Type", "application/json"),)
_FAILED: Final = b'{"code":"INTERNAL","msg":"The receiver failed."}'
H = TypeVar("H", bound=Callable[..., object])
Conflicting = Callable[["Event[object]"], None]
Untyped = Callable[["Event[Mapping[str, object]]"], None]
ResultHandler = Callable[["Event[ItemResult]"], None]


class BaseReceiver(ReceiverOptions):
    """Receives the gateway's notifications (webhooks) and questions for one merchant app [4.18, 4.19, 6]. Threads may share it.

    Args:
        numbers: the merchant's numbers that notifications name, by name, the one that every merchant has first: generated
            receivers have an argument for each. A notification that names another one is refused; a number that is None
            is not compared.
        gateway_keys: the gateway's public keys: `Path`s to files, or key texts; several may be live at once. Or a
            `Verifier`.
        ledger: the store of handled notifications, such as `paywright_receiver.SqliteLedger("notifications.db")`.
        sign_answers: the merchant's private key, or a `Signer`: replies then carry a header `sign`. The specification
            does not show whether the gateway wants one. By default there is none, and a receiver needs no private key.
        unhandled: reply to a verified notification without a handler: `refuse` (default: the gateway sends it again) or
            `acknowledge`. The ledger keeps it either way, to be replayed.
        conflicts: reply to a notification that contradicts an earlier one that had its effect: `refuse` (default: it
            stays open at the gateway too) or `acknowledge`. It is kept and logged either way, for a person to look at.
            If there is a handler of `on_conflict`, that handler decides.
        max_age: how old `notifyTime` may be. The gateway has been seen to retry for 13 hours; older deliveries are
            requested by hand. The ledger keeps handled notifications at least this long after their last delivery.
        max_ahead: how far `notifyTime` may be ahead of this machine's clock.
        lease: seconds for which a handler has a notification to itself. Choose it longer than any handler takes: after
            a process has died, its notifications wait this long.
        bill_deadline: seconds within which a question is decided; after that the question is refused.
        max_bytes: maximum length of a body; longer ones are refused unread.
        clock: the clock that decides whether a notification is fresh; the system's by default. Leases and ages of
            records go by the ledger's own clock.
        hook: called after every delivery with a `DeliveryEvent`, in the same thread, for metrics, alarms and
            tracebacks. An error that it raises is logged and changes nothing.
        observer: an object that follows each delivery to its end, such as `paywright_receiver.otel.Telemetry()`. An
            error that it raises is logged and changes nothing.
        log_tracebacks: whether to log the whole traceback of a handler that failed, its message included. For
            development: it may contain data of the notification.

    Raises:
        InvalidArgument: an argument is of another type, or out of its range.
        ConfigurationError: a key cannot be used.
    """

    NUMBERS: ClassVar[tuple[str, ...]]
    """The merchant's numbers that notifications name."""

    @classmethod
    @strip_frames
    def from_env(
        cls, ledger: Ledger, env: Mapping[str, str] | None = None, *, hook: Callable[[DeliveryEvent], object] | None = None,
        observer: DeliveryObserver | None = None,
    ) -> Self:  # fmt: skip
        """Make a receiver from the environment (or from `env`), by the client's names: the package's name, then a setting's.

        The merchant's numbers, GATEWAY_KEYS or GATEWAY_KEY_FILES; with SIGN_ANSWERS=yes also PRIVATE_KEY or
        PRIVATE_KEY_FILE. LOG_TRACEBACKS=yes is for development: see `log_tracebacks`. Raises `MissingSetting` with all missing
        names at once, `KeyProblem` or `ConfigurationError`.
        """
        found = settings_from(cls._merchant_class(), cls.NUMBERS, env)
        return cast("Callable[..., Self]", cls)(ledger=ledger, hook=hook, observer=observer, **found)

    @classmethod
    def _contract(cls) -> Contract:
        raise NotImplementedError  # generated receivers implement it

    @classmethod
    def _merchant_class(cls) -> type[BaseMerchant]:
        raise NotImplementedError  # generated receivers implement it

    @property
    def addressee(self) -> str:
        """Return the merchant's number that every notification names."""
        return str(next(iter(self.numbers.values())))

    # Registering

    def on_kind(self, kind: str, /, *, once_per: Sequence[str] = ()) -> Callable[[Untyped], Untyped]:
        """Register a handler for a kind that the specification does not show, by its `notifyType` [6.3].

        `kind` is text such as PAYMENT. `once_per` names the members of its `data` that together identify one effect,
        such as `("outTradeNo", "status")`. If it is left out, each distinct content of `data` has one effect. The order
        of its states is not known.
        """
        if kind in (shown := self._shown()):
            verb = shown[kind].rpartition(".")[2]
            raise ConfigurationError(f"The contract shows {kind}: its handler is typed, and registered with on_{verb}.")
        if isinstance(once_per, str):
            raise InvalidArgument("once_per is a sequence of names, such as ('outTradeNo', 'status').")

        def register(handler: Untyped) -> Untyped:
            self._check(handler, f"on_kind({kind!r})", kind in self._kinds)
            self._check_result_kind(kind)
            self._kinds[kind] = handler, tuple(once_per)
            return handler

        return register

    def on_result(
        self, kind: str, /, *, told_as: str | None = None, ends: Collection[str] = ()
    ) -> Callable[[ResultHandler], ResultHandler]:
        """Register a handler for the results of a kind: `orders`, `refunds`, `exchanges`, `withdrawals` or `payment_links`.

        It is called once for each last state, whether a notification reports it or a `Follower` learns it by an inquiry.
        `event.data` is the `ItemResult`, and `event.by` says which of the two it was. The specification does not show the
        notifications of results [6.3]. `told_as` is the `notifyType` of yours; by default the one that was publicly seen
        (PAYMENT, REFUND, WITHDRAW). A notification without a last state in the members that were seen is acknowledged as
        `noted`, and the open item is asked about instead. If no such item is open, the notification is kept as `unreadable`.
        `ends` names states that end an item beside those of the contract, such as one that your gateway shows and the
        specification does not list: the handler gets them, and no inquiry follows. Their order among the contract's states is
        unknown: a state of the contract that comes later is handed over as well, with yours as `event.data.was`.
        """
        from paywright_receiver.webhooks.item_result import ResultFacts

        if isinstance(ends, str) or not isinstance(ends, Collection):
            raise InvalidArgument("ends is a collection of states, such as ('VOIDED',).")
        facts = ResultFacts(self._contract(), kind, told_as, frozenset(map(str, ends)))
        if facts.following.told:
            verb = facts.following.operation.rpartition(".")[2]
            raise ConfigurationError(
                f"The contract shows the notifications of {kind}: its handler is registered with on_{verb}."
            )

        def register(handler: ResultHandler) -> ResultHandler:
            self._check(handler, f"on_result({kind!r})", kind in self._results)
            if facts.word in self._kinds:
                raise ConfigurationError(
                    f"on_result({kind!r}) handles the notifications {facts.word}, for which on_kind({facts.word!r}) is registered "
                    "too. Register one of them: on_result, if a Follower reports results, alone or beside notifications."
                )
            self._check_result_kind(facts.word)
            self._results[kind] = handler, facts
            return handler

        return register

    def _check_result_kind(self, word: str) -> None:
        taken = next((kind for kind, (_, facts) in self._results.items() if facts.word == word), None)
        if taken is not None or word in self._shown():
            by = f"on_result({taken!r})" if taken is not None else "a handler of its own"
            raise ConfigurationError(f"The notifications {word} are handled by {by} already.")

    def on_other(self, handler: Untyped, /) -> Untyped:
        """Register a handler for all other kinds that the specification does not show, as untyped events [6.3]."""
        self._check(handler, "on_other", self._other is not None)
        self._other = handler
        return handler

    def on_conflict(self, handler: Conflicting, /) -> Conflicting:
        """Register a handler for notifications that contradict one that had its effect.

        They have other content under the same key, or report another final state. `event.conflict` says what is
        contradicted; `event.data` is what the handler of the kind would get. It is called once, with a claim and a
        transaction as every handler is: when it has returned, the conflict is done and acknowledged. Later
        notifications are still compared with the final state that was handled first.
        """
        self._check(handler, "on_conflict", self._conflict is not None)
        self._conflict = handler
        return handler

    def _register(self, operation: str, handler: H) -> H:
        self._check(handler, f"on_{operation.rpartition('.')[2]}", operation in self._handlers)
        self._handlers[operation] = handler
        return handler

    def _register_question(self, operation: str, kind: type[Question], function: H) -> H:
        self._check(function, f"on_{operation.rpartition('.')[2]}", operation in self._questions)
        self._questions[operation] = kind, function
        return function

    def _check(self, handler: Callable[..., object], name: str, there: bool) -> None:
        if not self._open:
            raise ConfigurationError(
                f"{name}: this receiver has received already, and its handlers are fixed. Register all of them before "
                "the first call of receive: at import, beside the receiver."
            )
        if there:
            raise ConfigurationError(f"{name} is registered twice: one function handles a kind. Call both from one.")
        if not callable(handler):
            raise InvalidArgument(f"{name} takes a function.")
        wrong = not_plain(handler)
        if wrong is not None:
            raise ConfigurationError(
                f"{name} takes a plain function, not {wrong}: the answer waits for its end and the commit. Do the work in the "
                "function itself, and return when it is done. The adapters of async frameworks call it in a thread."
            )

    def _shown(self) -> dict[str, str]:
        contract = self._contract()
        return {kind: one.name for kind, one in contract.kinds().items() if kind not in contract.seen()}

    # Receiving

    @cached_property
    def _processor(self) -> DeliveryProcessor:
        # Imported at the first delivery, so that a program starts faster.
        from paywright_receiver.webhooks.processing import DeliveryProcessor

        self._open = False
        return DeliveryProcessor(self, self._contract())

    @strip_frames
    def receive(self, raw: bytes, headers: Headers) -> Reply:
        """Process one delivery, a notification or a question, and return the reply to send back unchanged.

        `raw` is the body as it was received, `headers` a mapping or pairs. It raises no `Exception`, whatever its arguments and
        whatever fails: a refused delivery gets a status other than 200 and a code other than SUCCESS. `KeyboardInterrupt`,
        `SystemExit` and what a signal handler raises, such as a task's time limit, pass, and nothing is acknowledged.
        """
        try:
            return self._processor.receive(raw, headers)
        except Exception as error:  # the processor could not be built, or has a bug
            if interrupts(error):
                raise
            log("error", "internal", None, type(error).__name__)
            return Reply(STATUS["internal"], _JSON, _FAILED, "internal", why="The receiver failed.")

    def hand_over(
        self, kind: str, payload: Mapping[str, JSON], at: datetime, *,
        also: Callable[[Transaction], object] | None = None, redelivered: bool | None = None,
    ) -> Reply | None:  # fmt: skip
        """Call the handler of `on_result` with the result of a verified inquiry; for `Follower`.

        `payload` is the data of the answer, `at` its time. `also` updates the open item in the transaction of the effect. With
        `redelivered`, the result had its effect before, or with False had none. Returns None if the payload shows no last state,
        else the reply as to a notification. Raises `InvalidArgument` for a kind without a handler, and else as `receive`.
        """
        return self._processor.hand_over(kind, dict(payload), at, also, redelivered)

    def handles_results_of(self, kind: str) -> bool:
        """Return whether a handler of `on_result` is registered for a kind."""
        return kind in self._results

    def ends_of(self, kind: str) -> frozenset[str]:
        """Return the states that end an item of a kind beside those of the contract."""
        return self._results[kind][1].ends if kind in self._results else frozenset()

    def replay(self, key: str, digest: str | None = None) -> Reply:
        """Handle a notification that the ledger keeps: it failed, had no handler, could not be read, or is a conflict.

        `key` alone means the key's own record; with `digest`, the record with that content, own or kept beside it.
        `outcome` of the reply is `handled` if it now has its effect. Signature and age are not checked again: the
        ledger keeps only verified notifications. Raises `InvalidArgument` if the ledger does not keep it,
        `LedgerProblem` if the ledger cannot be used.
        """
        return self._processor.replay(key, digest)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({next(iter(self.numbers))}={self.addressee!r})"
