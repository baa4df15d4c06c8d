"""The errors of this library, as one tree.

    PaywrightError
     +- ConfigurationError          nothing was sent: the client is not configured
     |   +- MissingSetting          which settings are missing, all at once
     |   +- KeyProblem              a key that cannot be used, and why
     +- InvalidArgument             nothing was sent: the call itself is wrong (also a ValueError)
     +- ContractViolation           nothing was sent: the message breaks the contract; all violations at once
     +- TooEarly                    nothing was sent: the rule of 4.3 does not allow to place the order again now
     +- NotSent                     no byte of the body was sent: this attempt moved no money
     +- NoAnswer                    a read without a verified answer: no money moved, repeat
     +- OutcomeUnknown              a write without a verified answer: MONEY MAY HAVE MOVED, resolve it
     |   +- AlreadyPlaced           the gateway has this key already: resolve it
     +- GatewayError                a verified refusal: this attempt moved no money
     +- UnreadableAnswer            a verified success that cannot be read
     +- UnreadableNotification      a verified notification that cannot be read; the ledger keeps it
     +- LedgerProblem               the ledger cannot be used: nothing was acknowledged, the gateway sends it again
         +- ClaimLost               a handler took longer than its lease, and another one has taken over
         +- TransactionEnded        a handler ended the ledger's transaction, or went on without it

Every message says what happened, whether money may have moved, and what to do next. No message, repr or pickle contains a
key, a signature, a card number or a body. All errors can be pickled; what holds a body is left out of the pickle, and card
numbers in the gateway's own words are masked there.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from paywright_runtime.attempts import REASONS, Attempt, UnverifiedHint, sentence
from paywright_runtime.error_text import (
    call_text,
    count_text,
    earlier_calls_advice,
    hint_text,
    not_found_advice,
    reason_text,
    resolve_advice,
    violation_lines,
)
from paywright_runtime.redaction import redacted

if TYPE_CHECKING:
    from paywright_runtime.answer import Answer
    from paywright_runtime.violation import Violation

__all__ = [
    "REASONS",
    "AlreadyPlaced",
    "Attempt",
    "ClaimLost",
    "ConfigurationError",
    "ContractViolation",
    "GatewayError",
    "InvalidArgument",
    "KeyProblem",
    "LedgerProblem",
    "MissingSetting",
    "NoAnswer",
    "NotSent",
    "OutcomeUnknown",
    "PaywrightError",
    "TooEarly",
    "TransactionEnded",
    "UnreadableAnswer",
    "UnreadableNotification",
    "UnverifiedHint",
]


class PaywrightError(Exception):
    """The base class: `except PaywrightError` catches every error that this library raises on purpose."""

    _left_out_of_pickles: ClassVar[dict[str, object]] = {}

    def __init__(self, message: str) -> None:
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {**self.__dict__, **self._left_out_of_pickles}
        # The gateway's own words may name a card; a pickle goes to queues and trackers, as a message does.
        state |= {name: redacted(text, 500) for name in ("code", "msg") if isinstance(text := state.get(name), str)}
        return _revive, (type(self), self.args, state)


def _revive(kind: type[PaywrightError], args: tuple[object, ...], state: dict[str, object]) -> PaywrightError:
    # Constructors take keywords and compose the message; a pickle carries the message they composed.
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class ConfigurationError(PaywrightError):
    """The client is not configured for the call. Nothing was sent."""


class MissingSetting(ConfigurationError):
    """Settings that the call needs are missing. Nothing was sent.

    `names` are all that are missing; `places` says for each where to set it (`{"app_id": "Merchant(app_id=...) or
    PAYWRIGHT_APP_ID"}`).
    """

    names: tuple[str, ...]

    def __init__(self, *, names: Sequence[str], places: dict[str, str]) -> None:
        self.names = tuple(names)
        lines = [f"  {name}: {places.get(name, 'an argument of Client or Merchant')}" for name in self.names]
        what = "a setting is" if len(lines) == 1 else f"{len(lines)} settings are"
        super().__init__(f"Nothing was sent: {what} missing. Set\n" + "\n".join(lines))


class KeyProblem(ConfigurationError):
    """A key cannot be used [5]. Nothing was sent. `why` is a stable word, the message explains; neither shows the key."""

    why: str

    def __init__(self, message: str, *, why: str) -> None:
        self.why = why
        super().__init__(message)


class InvalidArgument(PaywrightError, ValueError):
    """The call itself is wrong: an unknown operation name, text where bytes are needed, a naive time. Nothing was sent."""


class ContractViolation(PaywrightError):
    """The request breaks the contract. Nothing was sent. `violations` lists all of them."""

    operation: str
    violations: tuple[Violation, ...]

    def __init__(self, *, operation: str, violations: Sequence[Violation]) -> None:
        self.operation = operation
        self.violations = tuple(violations)
        count = len(self.violations)
        super().__init__(
            f"{operation} breaks the contract in {count_text(count)}. Nothing was sent; no money has moved. "
            "Correct the arguments and call again." + violation_lines(self.violations)
        )


class TooEarly(PaywrightError):
    """An order was to be placed again before the rule allows it [4.3]. Nothing was sent; no money has moved.

    `come_back_at` is when to try again (aware), None if further queries cannot give a permission; `key` is the order's.
    """

    key: str
    come_back_at: datetime | None

    def __init__(self, *, key: str, why: str, come_back_at: datetime | None = None) -> None:
        self.key = key
        self.come_back_at = come_back_at
        when = "" if come_back_at is None else f" Come back at {come_back_at.isoformat(timespec='seconds')}."
        super().__init__(
            f"Key {key!r} must not be placed again now: {why}. Nothing was sent; this attempt has moved no money.{when}"
        )


class NotSent(PaywrightError):
    """The call failed before the first byte of its body was sent: this attempt has moved no money.

    It proves nothing about an earlier call with the same key. `phase` is where it failed (`connecting`), `reason` a
    word of `REASONS`, `attempts` lists all attempts; `resolver` is the client's method that resolves an earlier call,
    None if there is none.
    """

    operation: str
    key: str | None
    phase: str
    reason: str
    attempts: tuple[Attempt, ...]
    resolver: str | None

    def __init__(
        self,
        *,
        operation: str,
        reason: str,
        phase: str,
        key: str | None = None,
        attempts: Sequence[Attempt] = (),
        resolver: str | None = None,
    ) -> None:
        self.operation = operation
        self.key = key
        self.phase = phase
        self.reason = reason
        self.attempts = tuple(attempts)
        self.resolver = resolver
        if key is None:
            consequence = "No money has moved. It is safe to repeat."
        else:
            consequence = f"This attempt has moved no money. {earlier_calls_advice(resolver)} Else it is safe to repeat with the same key."
        super().__init__(
            f"{call_text(operation, key)} was not sent: {sentence(reason)} ({reason_text(reason, self.attempts)}, while {phase}). "
            f"{consequence}"
        )


class NoAnswer(PaywrightError):
    """A read has no verified answer. Reads move no money; repeat it.

    `unverified_hint` is what an answer that could not be verified appears to say; decide nothing by it.
    """

    operation: str
    reason: str
    attempts: tuple[Attempt, ...]
    unverified_hint: UnverifiedHint | None

    def __init__(
        self,
        *,
        operation: str,
        reason: str,
        attempts: Sequence[Attempt] = (),
        unverified_hint: UnverifiedHint | None = None,
    ) -> None:
        self.operation = operation
        self.reason = reason
        self.attempts = tuple(attempts)
        self.unverified_hint = unverified_hint
        super().__init__(
            f"{operation} has no verified answer: {sentence(reason)} ({reason_text(reason, self.attempts)}). "
            f"This call only reads: no money has moved. Repeat it.{hint_text(unverified_hint)}"
        )


class OutcomeUnknown(PaywrightError):
    """A write was sent, and there is no verified answer. Money may have moved.

    Do not call it again, under this key or a new one: resolve it. `resolver` is the client's method that does, such as
    `client.orders.resolve(...)`, and `resolve_with` the operation that it queries with the same `key`; both are None if
    the specification has no query for it. `code` is a verified code that proves nothing, else None.
    """

    operation: str
    key: str
    code: str | None
    reason: str
    attempts: tuple[Attempt, ...]
    unverified_hint: UnverifiedHint | None
    resolve_with: str | None
    resolver: str | None

    def __init__(
        self,
        *,
        operation: str,
        reason: str,
        key: str | None = None,
        code: str | None = None,
        attempts: Sequence[Attempt] = (),
        unverified_hint: UnverifiedHint | None = None,
        resolve_with: str | None = None,
        resolver: str | None = None,
    ) -> None:
        self.operation = operation
        self.key = key or ""  # every write has one; only validation="off" lets it be something else
        self.code = code
        self.reason = reason
        self.attempts = tuple(attempts)
        self.unverified_hint = unverified_hint
        self.resolve_with = resolve_with
        self.resolver = resolver
        super().__init__(f"{self._story()} {self._advice()}{hint_text(unverified_hint)}")

    def _story(self) -> str:
        said = "" if self.code is None else f" the gateway's code {redacted(self.code, 64)} proves nothing;"
        return (
            f"{call_text(self.operation, self.key or None)} has an unknown outcome:{said} {sentence(self.reason)} "
            f"({reason_text(self.reason, self.attempts)})."
        )

    def _advice(self) -> str:
        return resolve_advice(self.resolver, self.resolve_with)


class AlreadyPlaced(OutcomeUnknown):
    """The gateway says that this key exists: an earlier call used it.

    Money may have moved: resolve it, never place it again.

    What that call asked for is unknown: pass to the resolver what this one asked for, and it compares.
    """

    def _story(self) -> str:
        said = "" if self.code is None else f" ({redacted(self.code, 64)})"
        return (
            f"{call_text(self.operation, self.key or None)} was placed before: the gateway says that it has this key already{said}. "
            "What the call before asked for is not known."
        )

    def _advice(self) -> str:
        compared = (
            "" if self.resolver is None else " Given what was asked for, the resolver compares it with what is there."
        )
        return f"{super()._advice()}{compared}"


class GatewayError(PaywrightError):
    """A verified refusal: this request was not carried out. It proves nothing about an earlier call with its key.

    `code` and `msg` are the gateway's, `answer` the whole verified answer (None after unpickling). `clock_skew` is set
    if the gateway refused the request's time: seconds by which its unsigned `Date` header is ahead of this machine's
    clock (negative: behind); None without one. Only the message uses it.
    """

    _left_out_of_pickles: ClassVar[dict[str, object]] = {"answer": None}

    operation: str
    code: str
    msg: str
    key: str | None
    answer: Answer | None
    attempts: tuple[Attempt, ...]
    clock_skew: float | None
    resolver: str | None

    def __init__(
        self,
        *,
        operation: str,
        code: str,
        msg: str = "",
        key: str | None = None,
        answer: Answer | None = None,
        attempts: Sequence[Attempt] = (),
        clock_skew: float | None = None,
        clock_note: str = "",
        write: bool = False,
        not_there: bool = False,
        resolver: str | None = None,
    ) -> None:
        self.operation = operation
        self.code = code
        self.msg = msg
        self.key = key
        self.answer = answer
        self.attempts = tuple(attempts)
        self.clock_skew = clock_skew
        self.resolver = resolver
        words = f"{redacted(code, 64)}: {redacted(msg, 200).rstrip('.')}" if msg else redacted(code, 64)
        correct = clock_note or "Correct what it names before calling again."
        if write:
            advice = (
                f"The refusal is verified: this attempt has moved no money. {earlier_calls_advice(resolver)} {correct}"
            )
        elif not_there:
            advice = (
                f"The answer is verified; this call only reads and has moved no money. {not_found_advice(resolver)}"
            )
        else:
            advice = f"The refusal is verified; this call only reads and has moved no money. {correct}"
        super().__init__(f"The gateway refused {call_text(operation, key)}: {words}. {advice}")


class UnreadableAnswer(PaywrightError):
    """A verified, successful answer lacks a required member, or has one that cannot be converted.

    `raw` is the verified body; it is in no message and in no pickle (`b""` after unpickling). If `write`, the gateway
    has accepted the call: money may have moved. `resolver` is the client's method that resolves it, None if the
    specification has no query for it.
    """

    _left_out_of_pickles: ClassVar[dict[str, object]] = {"raw": b""}

    operation: str
    key: str | None
    raw: bytes
    violations: tuple[Violation, ...]
    write: bool
    resolver: str | None

    def __init__(
        self,
        *,
        operation: str,
        raw: bytes,
        violations: Sequence[Violation],
        write: bool,
        key: str | None = None,
        resolver: str | None = None,
    ) -> None:
        self.operation = operation
        self.key = key
        self.raw = raw
        self.violations = tuple(violations)
        self.write = write
        self.resolver = resolver
        consequence = (
            f"The gateway accepted the call. {resolve_advice(resolver)}"
            if write
            else "This call only reads: no money has moved."
        )
        super().__init__(
            f"The verified answer to {call_text(operation, key)} cannot be read in {count_text(len(self.violations))}. "
            f"{consequence} The verified bytes are in .raw.{violation_lines(self.violations)}"
        )


def says_it_is_there(error: PaywrightError) -> bool:
    """Return whether the error of a write shows that the gateway has verifiably said that the key exists."""
    accepted = isinstance(error, UnreadableAnswer) and error.write
    other = isinstance(error, OutcomeUnknown) and error.reason == "other_content"
    return accepted or other or isinstance(error, AlreadyPlaced)


class UnreadableNotification(PaywrightError):
    """A verified notification lacks a required member, or has one that cannot be converted. It was not acknowledged.

    The ledger keeps it. `violations` say where; `Receiver.replay(key)` tries again once it can be read.
    """

    key: str
    violations: tuple[Violation, ...]

    def __init__(self, *, key: str, violations: Sequence[Violation]) -> None:
        self.key = key
        self.violations = tuple(violations)
        super().__init__(
            f"The verified notification {redacted(key, 200)!r} cannot be read in {count_text(len(self.violations))}. It was not "
            "acknowledged, and the ledger keeps it. What it tells of has happened at the gateway: query it, or replay it "
            f"when it can be read.{violation_lines(self.violations)}"
        )


class LedgerProblem(PaywrightError):
    """The ledger cannot be used. What was in progress is rolled back and not acknowledged; the gateway sends it again."""


class ClaimLost(LedgerProblem):
    """A handler took longer than its lease, and another delivery took over. What it wrote is rolled back."""


class TransactionEnded(LedgerProblem):
    """The transaction of a handler ended before the handler returned, or never began. `why` says how.

    What was written through `event.transaction` is rolled back, and the notification was not acknowledged.
    """

    key: str
    why: str

    def __init__(self, *, key: str, why: str) -> None:
        self.key = key
        self.why = why
        super().__init__(
            f"What the handler of {redacted(key, 200)!r} wrote through event.transaction is undone: {why}. It was not "
            "acknowledged. What the handler did elsewhere may have happened. Mend it; the notification is sent again, or "
            "can be replayed."
        )
