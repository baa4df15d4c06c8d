"""The errors of this library, as one tree.

    PaywrightError
     +- ConfigurationError          nothing was sent: the client is not configured
     |   +- MissingSetting          which settings are missing, all at once
     |   +- KeyProblem              a key that cannot be used, and why
     +- InvalidArgument             nothing was sent: the call itself is wrong (also a ValueError)
     +- ContractViolation           nothing was sent: the message breaks the contract; all violations at once
     +- TooEarly                    nothing was sent: the rule of 4.3 forbids placing the order again now
     +- NotSent                     no byte of the body was sent: this call moved no money
     +- NoAnswer                    a read without a verified answer: this call moved no money, repeat it
     +- OutcomeUnknown              a write without a verified answer: MONEY MAY HAVE MOVED, resolve it
     |   +- AlreadyPlaced           the gateway has this key already: resolve it
     |   +- UnreadableWrite         the gateway accepted it, and the answer cannot be read: resolve it
     +- GatewayError                a verified refusal: this call moved no money
     +- UnreadableAnswer            a verified success that cannot be read; for a write, an UnreadableWrite
     +- UnreadableNotification      a verified notification that cannot be read; the ledger keeps it
     +- LedgerProblem               the ledger cannot be used: nothing was acknowledged, the gateway sends it again
         +- ClaimLost               a handler took longer than its lease, and another one has taken over
         +- TransactionEnded        a handler ended the ledger's transaction, or never began one

Every message says what happened, whether money may have moved, and what to do next. No message, repr or pickle contains a
key, a signature, a card number or a body. All errors can be pickled; the pickle leaves out bodies, and masks card numbers
in the gateway's own words. Stores that rebuild an error as `cls(*error.args)` get it with its key and what resolves it,
without attempts and violations.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, dataclass_transform

from paywright_runtime.error_text import (
    MOVED_NONE,
    NOT_SIGNED,
    READS_ONLY,
    call_text,
    cause_advice,
    cause_text,
    count_text,
    difference_text,
    earlier_calls_advice,
    hint_text,
    not_found_advice,
    resolve_advice,
    violation_lines,
)
from paywright_runtime.redaction import redacted, shown_key

if TYPE_CHECKING:
    from paywright_runtime.answer import Answer, Violation
    from paywright_runtime.attempts import Attempt, UnverifiedHint

_NOT_PICKLED: Final[Mapping[str, object]] = {"answer": None, "raw": b""}
_NOT_AS_TEXT: Final = {"attempts": (), "violations": (), "unverified_hint": None, **_NOT_PICKLED}
"""Attributes that an error rebuilt of its `args` lacks, and their values there."""


class PaywrightError(Exception):
    """The base class: `except PaywrightError` catches every error that this library raises on purpose.

    `call_may_have_moved_money` is True if the call that raised it may have moved money: then it must be resolved. It says nothing
    about an earlier call with the same key, which has an outcome of its own.
    """

    call_may_have_moved_money: ClassVar[bool] = False

    _facts: ClassVar[Mapping[str, None]]

    def __init__(self, message: str, facts: str = "") -> None:
        """Make an error; `facts` are those of the `args` of one that is rebuilt."""
        super().__init__(message)
        if facts:
            self.__dict__.update(_read_facts(facts))

    @property
    def args(self) -> tuple[str, ...]:  # noqa: D102 -- it would stand in the reference of every class
        import json  # here, because few programs need it

        state = {name: None if name in _NOT_AS_TEXT else value for name, value in self._kept().items()}
        return (str(self), json.dumps(state, default=str)) if state else (str(self),)

    @args.setter
    def args(self, given: tuple[str, ...]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        Exception.__init__(self, *given[:1])

    def _kept(self) -> dict[str, object]:
        state: dict[str, object] = {name: _NOT_PICKLED.get(name, value) for name, value in self.__dict__.items()}
        # The gateway's own words may contain a card number, and pickles reach queues and error trackers.
        state |= {name: redacted(text, 500) for name in ("code", "msg") if isinstance(text := state.get(name), str)}
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by its constructor: that of a class of the merchant's own may take anything.
        return type(self).__new__, (type(self), str(self)), self._kept()


def _read_facts(text: str) -> dict[str, Any]:
    import json  # here, because few programs need it

    try:
        state: dict[str, Any] = json.loads(text)
        state |= {name: blank for name, blank in _NOT_AS_TEXT.items() if name in state}
    except (TypeError, ValueError):
        raise TypeError("An error takes keywords, or the args of such an error.") from None
    if "names" in state:
        state["names"] = tuple(state["names"])
    if state.get("come_back_at"):
        state["come_back_at"] = datetime.fromisoformat(state["come_back_at"])
    return state


E = TypeVar("E", bound=PaywrightError)


@dataclass_transform(kw_only_default=True)
def _of_facts(kind: type[E]) -> type[E]:
    """Let an error take its annotated members by keyword, a list for a tuple too, and compose its message of them."""
    facts: dict[str, None] = {}
    for one in reversed(kind.__mro__):
        facts |= getattr(one, "_facts", {})
    facts |= {name: None for name, form in kind.__annotations__.items() if "ClassVar" not in form}
    kind._facts = facts
    needed = {name for name in facts if not hasattr(kind, name)}

    def made(self: Any, *rebuilt: str, **given: Any) -> None:
        if rebuilt:
            PaywrightError.__init__(self, *rebuilt)
            return
        if not needed <= given.keys() <= facts.keys():
            raise TypeError(f"{kind.__name__} takes {', '.join(facts)} by keyword, or the args of such an error.")
        for name in facts:
            value = given[name] if name in given else getattr(kind, name)
            self.__dict__[name] = tuple(value) if type(value) is list else dict(value) if type(value) is dict else value
        Exception.__init__(self, self._message())

    kind.__init__ = made  # type: ignore[method-assign]
    return kind


class ConfigurationError(PaywrightError):
    """The client is not configured for the call. Nothing was sent."""


@_of_facts
class MissingSetting(ConfigurationError):
    """Settings that the call needs are missing. Nothing was sent.

    `names` are all missing settings; `places` says where to set each (`{"app_id": "Merchant(app_id=...) or
    PAYWRIGHT_APP_ID"}`).
    """

    names: tuple[str, ...]
    places: Mapping[str, str]

    def _message(self) -> str:
        lines = [f"  {name}: {self.places.get(name, 'an argument of Client or Merchant')}" for name in self.names]
        what = "a setting is" if len(lines) == 1 else f"{len(lines)} settings are"
        return f"Nothing was sent: {what} missing. Set\n" + "\n".join(lines)


class KeyProblem(ConfigurationError):
    """A key cannot be used [5]. Nothing was sent. `why` is a stable word, the message explains; neither shows the key."""

    why: str

    def __init__(self, message: str, facts: str = "", *, why: str = "") -> None:
        self.why = why
        super().__init__(message, facts)


class InvalidArgument(PaywrightError, ValueError):  # pyright: ignore[reportIncompatibleVariableOverride]
    """The call itself is wrong: an unknown operation name, text where bytes are needed, a naive time. Nothing was sent."""


@_of_facts
class ContractViolation(PaywrightError):
    """The request breaks the contract. Nothing was sent. `violations` lists all of them."""

    operation: str
    violations: tuple[Violation, ...]
    write: bool = False
    resolver: str | None = None

    def _message(self) -> str:
        correct = "correct the arguments and call again."
        return (
            f"{self.operation} breaks the contract in {count_text(len(self.violations))}. Nothing was sent: {MOVED_NONE.lower()} "
            f"{earlier_calls_advice(self.resolver, correct) if self.write else correct.capitalize()}{violation_lines(self.violations)}"
        )


@_of_facts
class TooEarly(PaywrightError):
    """The rule does not allow to place the order again now [4.3]. Nothing was sent.

    `come_back_at` is when to try again (aware). It is None if further queries cannot give a permission, or if no time is known,
    such as while somebody else asks; the message says which. `key` is the order's.
    """

    key: str
    why: str
    come_back_at: datetime | None = None

    def _message(self) -> str:
        at = self.come_back_at
        when = "" if at is None else f" Come back at {at.isoformat(timespec='seconds')}."
        return f"Key {shown_key(self.key)!r} must not be placed again now: {self.why}. Nothing was sent: {MOVED_NONE.lower()}{when}"


@_of_facts
class NotSent(PaywrightError):
    """The call failed before the first byte of its body was sent: it has moved no money.

    It proves nothing about an earlier call with the same key. `phase` is where it failed (`connecting`), `reason` a
    word of `REASONS`, `attempts` lists all attempts; `resolver` is the client's method that resolves an earlier call,
    None if there is none.
    """

    operation: str
    key: str | None = None
    phase: str
    reason: str
    attempts: tuple[Attempt, ...] = ()
    resolver: str | None = None
    write: bool = False

    def _message(self) -> str:
        advice = cause_advice(self.reason, self.attempts)
        consequence = f"{READS_ONLY} {advice or 'Repeat it.'}"
        if self.write:
            consequence = f"{MOVED_NONE} {earlier_calls_advice(self.resolver, 'not_sent')}{advice and f' {advice}'}"
        cause = f"{cause_text(self.reason, self.attempts)} while {self.phase}"
        return f"{call_text(self.operation, self.key)} was not sent: {cause}. {consequence}"


@_of_facts
class NoAnswer(PaywrightError):
    """A read has no verified answer. It has moved no money: repeat it.

    `unverified_hint` is the code and message of an unverified answer; decide nothing by it.
    """

    operation: str
    reason: str
    attempts: tuple[Attempt, ...] = ()
    unverified_hint: UnverifiedHint | None = None

    def _message(self) -> str:
        return (
            f"{self.operation} has no verified answer: {cause_text(self.reason, self.attempts)}. {READS_ONLY} "
            f"{cause_advice(self.reason, self.attempts) or 'Repeat it.'}{hint_text(self.unverified_hint)}"
        )


@_of_facts
class OutcomeUnknown(PaywrightError):
    """A write was sent, and there is no verified answer. Money may have moved.

    Do not call it again, under this key or a new one: resolve it. `resolver` is the client's method that does, such as
    `client.orders.resolve(error)`, and `resolve_with` is the operation that it queries with the same `key`; both are None if the
    specification has no query for it. `content` are the requested values that the query shows, by their path in the request.
    `code` is a verified code that proves nothing, else None.
    """

    call_may_have_moved_money: ClassVar[bool] = True

    operation: str
    key: str = ""  # every write has one, unless validation="off" let another type pass
    code: str | None = None
    reason: str
    attempts: tuple[Attempt, ...] = ()
    unverified_hint: UnverifiedHint | None = None
    resolve_with: str | None = None
    resolver: str | None = None
    content: Mapping[str, str] = {}  # each error has its own

    def _message(self) -> str:
        return f"{self._story()} {self._advice()}{hint_text(self.unverified_hint)}"

    def _story(self) -> str:
        said = "" if self.code is None else f" the gateway's code {redacted(self.code, 64)} proves nothing;"
        return f"{self._call()} has an unknown outcome:{said} {cause_text(self.reason, self.attempts)}."

    def _call(self) -> str:
        return call_text(self.operation, self.key or None)

    def _advice(self) -> str:
        advice = cause_advice(self.reason, self.attempts)
        return f"{resolve_advice(self.resolver, self.resolve_with)}{advice and f' {advice}'}"


@_of_facts
class AlreadyPlaced(OutcomeUnknown):
    """The gateway says that this key exists: an earlier call used it.

    Money may have moved: resolve it, never place it again. The earlier call may have asked for something else; the resolver
    compares the two. `shown` are the values that the answer shows otherwise than this call's `content`, by the same paths.
    """

    shown: Mapping[str, str] = {}  # as above

    def _story(self) -> str:
        if self.shown:
            other = " and ".join(difference_text(name, self.content[name], one) for name, one in self.shown.items())
            return f"{self._call()} was placed before: the answer shows {other}, so it is about an earlier call."
        said = "" if self.code is None else f" ({redacted(self.code, 64)})"
        return f"{self._call()} was placed before: the gateway says that it has this key already{said}."

    def _advice(self) -> str:
        if self.resolver is None:
            return super()._advice()
        had = ", ".join(f"{member} {redacted(value, 64)!r}" for member, value in self.content.items())
        compared = f"The resolver compares what is there with this call: {had}." if had else ""
        return f"{super()._advice()} {compared}".rstrip()


@_of_facts
class GatewayError(PaywrightError):
    """A verified refusal: this request was not carried out. It proves nothing about an earlier call with its key.

    `code` and `msg` are the gateway's, `answer` the whole verified answer (None after unpickling). `clock_note` compares the
    clocks if the gateway refused the request's time.
    """

    operation: str
    code: str
    msg: str = ""
    key: str | None = None
    answer: Answer | None = None
    attempts: tuple[Attempt, ...] = ()
    resolver: str | None = None
    clock_note: str = ""
    signed: bool = True
    write: bool = False
    not_there: bool = False

    def _message(self) -> str:
        note, code, msg = self.clock_note, redacted(self.code, 64), redacted(self.msg, 200).rstrip(".")
        if self.write:
            correct = note[:1].lower() + note[1:] or "refused"
            advice = f"{MOVED_NONE} {earlier_calls_advice(self.resolver, correct)}"
        elif self.not_there:
            advice = f"{READS_ONLY} {not_found_advice(self.resolver)}"
        else:
            correct = note or "correct what it names, or wait where it asks for time, before you call again."
            advice = f"{READS_ONLY} {correct[0].upper() + correct[1:]}"
        call = call_text(self.operation, self.key)
        words = f"{code}: {msg}" if self.msg else code
        return f"The gateway refused {call}: {words}. {'' if self.signed else f'{NOT_SIGNED} '}{advice}"


@_of_facts
class UnreadableAnswer(PaywrightError):
    """A verified, successful answer lacks a member that carries identity, state or money, or has one that cannot be read.

    `violations` say which. `raw` is the verified body; it is in no message and in no pickle (`b""` after unpickling). A
    write raises `UnreadableWrite`.
    """

    operation: str
    raw: bytes
    violations: tuple[Violation, ...]

    def _message(self) -> str:
        return (
            f"The answer to {self.operation} cannot be read in {count_text(len(self.violations))}. {READS_ONLY} The bytes are in "
            f".raw.{violation_lines(self.violations)}"
        )


@_of_facts
class UnreadableWrite(OutcomeUnknown, UnreadableAnswer):
    """The gateway accepted a write, and its answer cannot be read: money may have moved. Resolve it like any `OutcomeUnknown`."""

    reason: str = "unreadable"

    def _story(self) -> str:
        places = count_text(len(self.violations))
        return f"The gateway accepted {self._call()}, and its answer cannot be read in {places}."

    def _advice(self) -> str:
        return f"{super()._advice()} The bytes are in .raw.{violation_lines(self.violations)}"


def says_it_is_there(error: PaywrightError) -> bool:
    """Return whether the error of a write shows that a verified answer confirmed the key."""
    if isinstance(error, OutcomeUnknown) and error.reason in ("other_content", "result_lost"):
        return True
    return isinstance(error, (AlreadyPlaced, UnreadableWrite))


@_of_facts
class UnreadableNotification(PaywrightError):
    """A verified notification lacks a member that carries identity, state or money, or has one that cannot be read.

    It was not acknowledged. The ledger keeps it. `violations` say which; call `Receiver.replay(key)` once it can be read.
    """

    key: str
    violations: tuple[Violation, ...]

    def _message(self) -> str:
        return (
            f"The verified notification {redacted(self.key, 200)!r} cannot be read in {count_text(len(self.violations))}. It was not "
            "acknowledged, and the ledger keeps it. The event that it reports has happened at the gateway: query it, or replay "
            f"the notification when it can be read.{violation_lines(self.violations)}"
        )


class LedgerProblem(PaywrightError):
    """The ledger cannot be used. Work in progress is rolled back and not acknowledged; the gateway sends it again."""


class ClaimLost(LedgerProblem):
    """A handler took longer than its lease, and another delivery took over. Its writes are rolled back."""


@_of_facts
class TransactionEnded(LedgerProblem):
    """The transaction of a handler ended before the handler returned, or never began. `why` says how.

    Writes through `event.transaction` are rolled back, and the notification was not acknowledged.
    """

    key: str
    why: str

    def _message(self) -> str:
        return (
            f"The writes of the handler of {redacted(self.key, 200)!r} through event.transaction are undone: {self.why}. The notification "
            "was not acknowledged. Effects of the handler elsewhere may have happened. Correct the handler; the notification is sent "
            "again, or can be replayed."
        )
