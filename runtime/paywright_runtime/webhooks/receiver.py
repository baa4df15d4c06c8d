"""The receiver's engine: handlers, and the way of one delivery to its answer. Generated `Receiver` classes stand on it.

    raw bytes -> one signature -> verified -> strict JSON -> ours, fresh -> claimed -> handler -> committed -> acknowledged

Whatever fails on the way is answered with something that is no acknowledgement, so that the service sends it again; nothing
is acknowledged before it is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self, TypeVar

from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.delivery_log import log
from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.handlers import not_plain
from paywright_runtime.keys import load_private_key, load_public_key, same_key
from paywright_runtime.reply import STATUS, DeliveryEvent, Reply
from paywright_runtime.signatures import RsaSigner, RsaVerifier, Signer, Verifier
from paywright_runtime.unburdened import unburdened

if TYPE_CHECKING:
    from paywright_runtime.events import Event
    from paywright_runtime.facts import Contract
    from paywright_runtime.inbound import Headers
    from paywright_runtime.ledger import Ledger
    from paywright_runtime.questions import Question
    from paywright_runtime.receiving import Receiving

__all__ = ["BaseReceiver", "Choice"]

Choice = Literal["acknowledge", "refuse"]
_JSON: Final = (("Content-Type", "application/json"),)
_FAILED: Final = b'{"code":"INTERNAL","msg":"The receiver failed."}'
H = TypeVar("H", bound=Callable[..., object])
Conflicting = Callable[["Event[object]"], None]
Untyped = Callable[["Event[Mapping[str, object]]"], None]


class BaseReceiver:
    """Receives what the service sends to one merchant app [4.18, 4.19, 6]. Threads may share it.

    Args:
        app_id: unique id of the merchant app; what names another one is not acknowledged.
        gateway_keys: the service's public keys: `Path`s to files, or key texts; several may be live at once. Or a `Verifier`.
        ledger: what remembers which effects are there, such as `paywright_receiver.SqliteLedger("notifications.db")`.
        merchant_no: compared where both have one.
        sign_answers: the merchant's private key, or a `Signer`: answers carry a header `sign` then. Whether the service
            wants one is not shown; by default there is none, and a receiver needs no private key.
        unhandled: what a verified notification without a handler is answered with: `refuse` (default: the service sends
            it again) or `acknowledge`. It is kept in the ledger either way, to be replayed.
        conflicts: what a notification is answered with that contradicts what had its effect: `refuse` (default: it stays open
            at the gateway too) or `acknowledge`. It is kept and logged either way, for a person to look at; with a handler
            of `on_conflict` that one decides.
        max_age: how old `notifyTime` may be. The service has been seen to try for 13 hours; older deliveries are asked for
            by hand. The ledger keeps what was handled at least as long after its last delivery.
        max_ahead: how far `notifyTime` may be ahead of this machine's clock.
        lease: seconds for which a handler has a notification to itself. Longer than any handler takes; a process that died
            is waited for so long.
        bill_deadline: seconds within which a question is decided; a refusal is the answer after that.
        max_bytes: longest body that is looked at.
        clock: where the time comes from by which a notification is fresh; the system's by default. Leases and ages of records
            go by the ledger's own clock.
        hook: called after every delivery with a `DeliveryEvent`, in the same thread, whatever became of it: for metrics,
            alarms and tracebacks. What it raises is logged and changes nothing.
        log_tracebacks: whether the whole traceback of a handler that failed is logged, its message included. For developers:
            it may hold what the notification held.

    Raises:
        ConfigurationError: a setting cannot be used.
    """

    @unburdened
    def __init__(
        self,
        *,
        app_id: str,
        gateway_keys: Sequence[Path | str | bytes] | Verifier,
        ledger: Ledger,
        merchant_no: str | None = None,
        sign_answers: Path | str | bytes | Signer | None = None,
        unhandled: Choice = "refuse",
        conflicts: Choice = "refuse",
        max_age: timedelta = timedelta(days=7),
        max_ahead: timedelta = timedelta(minutes=5),
        lease: float = 60.0,
        bill_deadline: float = 3.0,
        max_bytes: int = 1024 * 1024,
        clock: Clock | None = None,
        hook: Callable[[DeliveryEvent], object] | None = None,
        log_tracebacks: bool = False,
    ) -> None:
        if not app_id:
            raise InvalidArgument("app_id is empty: every signed notification would have to be taken for ours.")
        for name, choice in (("unhandled", unhandled), ("conflicts", conflicts)):
            if choice not in ("acknowledge", "refuse"):
                raise InvalidArgument(f"{name} is 'acknowledge' or 'refuse'.")
        if not (lease > 0 and bill_deadline > 0 and max_bytes > 0):
            raise InvalidArgument("lease and bill_deadline are in seconds, max_bytes in bytes; all are above 0.")
        if max_age <= timedelta(0) or max_ahead < timedelta(0):
            raise InvalidArgument("max_age is above 0, max_ahead 0 or more.")
        self.app_id = app_id
        self.merchant_no = merchant_no
        self.ledger = ledger
        self.unhandled: Choice = unhandled
        self.conflicts: Choice = conflicts
        self.max_age = max_age
        self.max_ahead = max_ahead
        self.lease = lease
        self.bill_deadline = bill_deadline
        self.max_bytes = max_bytes
        self.clock: Clock = SystemClock() if clock is None else clock
        self.hook = hook
        self.log_tracebacks: bool = log_tracebacks
        self.verifier: Verifier
        self.signer: Signer | None
        self.verifier, self.signer = _keys(gateway_keys, sign_answers)
        self._handlers: dict[str, Callable[..., object]] = {}
        self._questions: dict[str, tuple[type[Question], Callable[..., object]]] = {}
        self._kinds: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {}
        self._other: Callable[..., object] | None = None
        self._conflict: Callable[..., object] | None = None
        self._open = True

    @classmethod
    @unburdened
    def from_env(
        cls,
        ledger: Ledger,
        env: Mapping[str, str] | None = None,
        *,
        hook: Callable[[DeliveryEvent], object] | None = None,
    ) -> Self:
        """A receiver from the `PAYWRIGHT_*` names that a client uses too, of the environment or of `env`.

        APP_ID, GATEWAY_KEYS or GATEWAY_KEY_FILES, MERCHANT_NO; with SIGN_ANSWERS=yes also PRIVATE_KEY or PRIVATE_KEY_FILE.
        LOG_TRACEBACKS=yes is a developer's switch: see `log_tracebacks`.
        Raises `MissingSetting` with all that is missing at once, `KeyProblem` or `ConfigurationError`.
        """
        from paywright_runtime.receiver_env import settings_from

        found = settings_from(env)
        return cls(
            app_id=found.app_id,
            gateway_keys=found.gateway_keys,
            merchant_no=found.merchant_no,
            sign_answers=found.sign_answers,
            ledger=ledger,
            hook=hook,
            log_tracebacks=found.log_tracebacks,
        )

    @classmethod
    def _contract(cls) -> Contract:
        raise NotImplementedError  # generated receivers say which contract is theirs

    # Registering

    def on_kind(self, kind: str, /, *, once_per: Sequence[str] = ()) -> Callable[[Untyped], Untyped]:
        """Handles a kind that the contract does not show, by its `notifyType`, such as PAYMENT [6.3].

        `once_per` names members of its `data` that together have one effect, such as `("outTradeNo", "status")`; left out,
        each content of `data` has one. Nothing is known of the order of its states.
        """
        shown = {kind: name for name, kind in self._shown().items()}
        if kind in shown:
            verb = shown[kind].rpartition(".")[2]
            raise ConfigurationError(f"The contract shows {kind}: its handler is typed, and registered with on_{verb}.")
        if isinstance(once_per, str):
            raise InvalidArgument("once_per is a sequence of names, such as ('outTradeNo', 'status').")

        def register(handler: Untyped) -> Untyped:
            self._check(handler, f"on_kind({kind!r})", kind in self._kinds)
            self._kinds[kind] = handler, tuple(once_per)
            return handler

        return register

    def on_other(self, handler: Untyped, /) -> Untyped:
        """Handles every kind that the contract does not show and `on_kind` does not name, as verified untyped events."""
        self._check(handler, "on_other", self._other is not None)
        self._other = handler
        return handler

    def on_conflict(self, handler: Conflicting, /) -> Conflicting:
        """Handles what contradicts a notification that had its effect: other content under its key, or another end.

        `event.conflict` says what it contradicts; `event.data` is what the handler of its kind would get. It is called once,
        claimed and in a transaction as every handler is: when it has returned, the conflict is done and acknowledged. The end
        that was there first stays the one that later notifications are judged by.
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
                f"{name}: this receiver has received already, and its handlers are settled. Register all of them before "
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
        inbound = [one for one in map(contract.operation, contract.operations()) if one.inbound]
        return {one.name: kind for one in inbound for kind in one.tells.values()}

    # Receiving

    @cached_property
    def _receiving(self) -> Receiving:
        # What reads messages is imported at the first delivery, so that a program starts without it.
        from paywright_runtime.receiving import Receiving

        self._open = False
        return Receiving(
            self, self._contract(), self._handlers, self._questions, self._kinds, self._other, self._conflict
        )

    def receive(self, raw: bytes, headers: Headers) -> Reply:
        """The answer to one delivery, a notification or a question: what a web framework is to send back, byte for byte.

        `raw` is the body as it came off the wire, `headers` a mapping or pairs. Raises no `Exception`, whatever it is given
        and whatever fails: what cannot be taken is answered with another status than 200 and another code than SUCCESS.
        What ends a program or a thread (`KeyboardInterrupt`, `SystemExit`) passes through, and nothing is acknowledged.
        """
        try:
            return self._receiving.receive(raw, headers)
        except Exception as error:  # the receiver could not be built, or failed where nothing was meant to fail
            log("error", "internal", None, type(error).__name__)
            return Reply(STATUS["internal"], _JSON, _FAILED, "internal", why="The receiver failed.")

    def replay(self, key: str, digest: str | None = None) -> Reply:
        """Handle a notification that the ledger keeps: one that failed, had no handler, could not be read, or is a conflict.

        `key` alone means the key's own record, `digest` the one of that content, also beside it. The reply says what became of
        it in `outcome`; `handled` if its effect is there now. Neither signature nor age is judged again: the ledger keeps only
        what was verified. Raises `InvalidArgument` for what it does not keep, `LedgerProblem`.
        """
        return self._receiving.replay(key, digest)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(app_id={self.app_id!r})"


def _keys(
    gateway_keys: Sequence[Path | str | bytes] | Verifier, own: Path | str | bytes | Signer | None
) -> tuple[Verifier, Signer | None]:
    if isinstance(gateway_keys, (Path, str, bytes)):
        gateway_keys = [gateway_keys]
    private = load_private_key(own) if isinstance(own, (Path, str, bytes)) else None
    signer = RsaSigner(private) if private is not None else None if isinstance(own, (Path, str, bytes)) else own
    if not isinstance(gateway_keys, Sequence):
        return gateway_keys, signer
    public = [load_public_key(key) for key in gateway_keys]
    if private is not None and any(same_key(private, key) for key in public):
        raise ConfigurationError(
            "One of gateway_keys is your own public key. Give the service's public key, as its dashboard shows it [5]."
        )
    return RsaVerifier(public), signer
