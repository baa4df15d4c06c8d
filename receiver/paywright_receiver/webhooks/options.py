"""Options of a receiver: the arguments that it takes, and what the processing of a delivery reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Final, Literal, Required, TypedDict, cast

from paywright_receiver.webhooks.delivery_log import Refusals
from paywright_receiver.webhooks.reply import DeliveryEvent, DeliveryObserver
from paywright_runtime.argument_types import is_number, is_whole
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import InvalidArgument, MissingSetting
from paywright_runtime.json_value import by_value
from paywright_runtime.signing.rsa import Signer, Verifier, load_signer, load_verifier
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.bill_questions import Question
    from paywright_receiver.webhooks.item_result import ResultFacts
    from paywright_runtime.client.settings import BaseMerchant

Choice = Literal["acknowledge", "refuse"]
_LONGEST_LEASE: Final = 7 * 86_400.0
_LONGEST_AGE: Final = timedelta(days=36_525)


class ReceiverArguments(TypedDict, total=False):
    """The arguments that every generated receiver takes beside the merchant's numbers; `BaseReceiver` describes them."""

    gateway_keys: Required[Sequence[Path | str | bytes] | Verifier]
    ledger: Required[Ledger]
    sign_answers: Path | str | bytes | Signer | None
    unhandled: Choice
    conflicts: Choice
    max_age: timedelta
    max_ahead: timedelta
    lease: float
    bill_deadline: float
    max_bytes: int
    clock: Clock | None
    hook: Callable[[DeliveryEvent], object] | None
    observer: DeliveryObserver | None
    log_tracebacks: bool


class ReceiverOptions:
    """The options of a receiver and its handlers, which the processing of a delivery reads. `BaseReceiver` describes them."""

    @strip_frames
    def __init__(
        self,
        numbers: Mapping[str, str | None],
        /,
        *,
        gateway_keys: Sequence[Path | str | bytes] | Verifier,
        ledger: Ledger,
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
        observer: DeliveryObserver | None = None,
        log_tracebacks: bool = False,
    ) -> None:
        numbers = {name: cast("str | None", by_value(number)) for name, number in numbers.items()}
        main = next(iter(numbers))
        if not (isinstance(numbers[main], str) and (numbers[main] or "").strip()):
            raise InvalidArgument(
                f"{main} is text, and not empty: otherwise every signed notification would count as ours."
            )
        for name, number in numbers.items():
            if not isinstance(number, (str, NoneType)):
                raise InvalidArgument(f"{name} is text, as the gateway gave it: a number would lose its zeros.")
        for name, choice in (("unhandled", unhandled), ("conflicts", conflicts)):
            if choice not in ("acknowledge", "refuse"):
                raise InvalidArgument(f"{name} is 'acknowledge' or 'refuse'.")
        for name, seconds in (("lease", lease), ("bill_deadline", bill_deadline)):
            if not (is_number(seconds) and 0 < seconds <= _LONGEST_LEASE):
                raise InvalidArgument(f"{name} is a number of seconds, an int or a float above 0, and at most a week.")
        if not (is_whole(max_bytes) and max_bytes > 0):
            raise InvalidArgument("max_bytes is a whole number of bytes above 0.")
        if not (isinstance(max_age, timedelta) and timedelta(0) < max_age <= _LONGEST_AGE):
            raise InvalidArgument("max_age is a timedelta above 0, such as timedelta(days=7), and at most 100 years.")
        if not (isinstance(max_ahead, timedelta) and timedelta(0) <= max_ahead <= _LONGEST_AGE):
            raise InvalidArgument(
                "max_ahead is a timedelta of 0 or more, such as timedelta(minutes=5), and at most 100 years."
            )
        if isinstance(ledger, type) or not callable(getattr(ledger, "acquire", None)):
            raise InvalidArgument('ledger is a ledger, such as paywright_receiver.SqliteLedger("notifications.db").')
        if clock is not None and not callable(getattr(clock, "now", None)):
            raise InvalidArgument("clock has a method now, which returns a datetime with an offset.")
        if hook is not None and not callable(hook):
            raise InvalidArgument("hook is a function that takes a DeliveryEvent.")
        if observer is not None and (isinstance(observer, type) or not callable(getattr(observer, "delivery", None))):
            raise InvalidArgument(
                "observer is an object that follows deliveries, such as paywright_receiver.otel.Telemetry()."
            )
        if not isinstance(log_tracebacks, bool):
            raise InvalidArgument("log_tracebacks is True or False.")
        self.numbers: Mapping[str, str | None] = numbers
        self.ledger = ledger
        self.unhandled: Choice = unhandled
        self.conflicts: Choice = conflicts
        self.max_age = max_age
        self.max_ahead = max_ahead
        self.lease = lease
        self.bill_deadline = bill_deadline
        self.max_bytes = max_bytes
        self.clock: Clock = SystemClock() if clock is None else clock
        self.refusals: Refusals = Refusals(self.clock.now)
        self.hook = hook
        self.observer = observer
        self.log_tracebacks: bool = log_tracebacks
        self.signer: Signer | None = None if sign_answers is None else load_signer(sign_answers, name="sign_answers")
        self.verifier: Verifier = load_verifier(gateway_keys, own=self.signer)
        self._handlers: dict[str, Callable[..., object]] = {}
        self._questions: dict[str, tuple[type[Question], Callable[..., object]]] = {}
        self._kinds: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {}
        self._results: dict[str, tuple[Callable[..., object], ResultFacts]] = {}
        self._other: Callable[..., object] | None = None
        self._conflict: Callable[..., object] | None = None
        self._open = True


def settings_from(
    merchant: type[BaseMerchant], numbers: Sequence[str], env: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Read a receiver's arguments from the environment (or from `env`). Names there begin with that of the merchant's package.

    `numbers` are those that notifications name; the first is required.

    Raises `MissingSetting` with all missing names at once, and `ConfigurationError` for a value that cannot be read.
    """
    from paywright_runtime.client.settings import Environment, prefix_of  # only this needs it: a program starts faster

    names = Environment(merchant, env)
    given, public = {name: names.text(name) for name in numbers}, names.key_sources("gateway_keys", "gateway_key_files")
    signs = names.flag("sign_answers")
    private = names.key_sources("private_key", "private_key_file") if signs else []
    found = {numbers[0]: given[numbers[0]], "gateway_keys": public, **({"private_key": private} if signs else {})}
    absent = [name for name, there in found.items() if not there]
    if absent:
        front = prefix_of(merchant.PACKAGE)
        places = {
            numbers[0]: f"Receiver({numbers[0]}=...) or {front}{numbers[0].upper()}",
            "gateway_keys": f"Receiver(gateway_keys=...), {front}GATEWAY_KEYS (key texts, commas between) or {front}GATEWAY_KEY_FILES",
            "private_key": f"{front}PRIVATE_KEY (key text) or {front}PRIVATE_KEY_FILE, which {front}SIGN_ANSWERS asks for",
        }
        raise MissingSetting(names=tuple(absent), places={name: places[name] for name in absent})
    own = private[0] if private else None
    return {**given, "gateway_keys": public, "sign_answers": own, "log_tracebacks": names.flag("log_tracebacks")}
