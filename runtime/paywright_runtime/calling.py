"""One call and all its attempts, without I/O: what to send, by when, and what follows from what came.

A driver sends what `request` gives by `attempt_deadline`, reports with `came` or `broke`, sleeps as long as those say, and
at the end takes `outcome`. The sync and the async client are such drivers; every rule about trying again stands here.

Reads are tried again within the call's one deadline. A write is tried again only while no byte of its body has left. Each
attempt has a time and a signature of its own, and the same key.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from random import uniform
from time import monotonic
from typing import TYPE_CHECKING, Final

from paywright_runtime.attempts import Attempt
from paywright_runtime.errors import GatewayError, InvalidArgument, NotSent, OutcomeUnknown, PaywrightError
from paywright_runtime.exchange import Phase, RawAnswer, SignedRequest, TransportFailure, Unusable
from paywright_runtime.redact import shown

if TYPE_CHECKING:
    from paywright_runtime.clock import Clock
    from paywright_runtime.core import Core, Prepared
    from paywright_runtime.facts import Operation

__all__ = ["PLACING", "AttemptEvent", "Calling", "Hook", "RetryBudget"]

_log: Final = logging.getLogger("paywright")
_log.addHandler(logging.NullHandler())

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 2.0
_WORTH_TRYING: Final = 0.05  # with less time left, another attempt could only time out
_SHORTEST_SHARE: Final = 5.0

# The query and the key of the order that is being placed again, while it is.
PLACING: Final[ContextVar[tuple[str, str] | None]] = ContextVar("paywright_placing", default=None)


class AttemptEvent:
    """What a hook sees after each attempt: no bodies, no headers, no secrets.

    `operation` and `key` name the call (`key` is None for reads); `attempt` has number, start, phase, duration in seconds and
    reason; `outcome` is `answered`, `refused`, `not_sent`, `no_answer`, `unknown` or `unreadable`; `code` a verified code that
    was no success; `pause` the seconds until the next attempt, None after the last.
    """

    __slots__ = ("attempt", "code", "key", "operation", "outcome", "pause")

    def __init__(
        self, *, operation: str, key: str | None, attempt: Attempt, outcome: str, code: str | None, pause: float | None
    ) -> None:
        self.operation = operation
        self.key = key
        self.attempt = attempt
        self.outcome = outcome
        self.code = code
        self.pause = pause

    def __repr__(self) -> str:
        return f"AttemptEvent({self.operation}, {self.outcome}, key={self.key!r}, pause={self.pause}, {self.attempt!r})"


Hook = Callable[[AttemptEvent], None]


class RetryBudget:
    """Keeps a client from multiplying the load on a gateway in trouble: a retry costs 1, an answered call gives back 0.1.

    At most `capacity` retries can be saved up. Threads may share it: what two of them lose by racing is a tenth of a retry.
    """

    __slots__ = ("capacity", "left")

    def __init__(self, capacity: float = 20.0) -> None:
        self.capacity = capacity
        self.left = capacity

    def allows(self) -> bool:
        return self.left >= 1.0

    def spend(self) -> None:
        self.left = max(0.0, self.left - 1.0)

    def give_back(self) -> None:
        if self.left < self.capacity:
            self.left = min(self.capacity, self.left + 0.1)


class Calling:
    """One call. `key` is the merchant's own id of a write, None before the first request and for reads."""

    __slots__ = (
        "_attempts",
        "_budget",
        "_clock",
        "_core",
        "_deadline",
        "_error",
        "_extra",
        "_flying",
        "_hook",
        "_number",
        "_operation",
        "_prepared",
        "_result",
        "_started",
        "_started_at",
        "_values",
        "attempt_deadline",
    )

    _prepared: Prepared

    def __init__(
        self,
        core: Core,
        clock: Clock,
        budget: RetryBudget,
        hook: Hook | None,
        operation: str,
        values: Mapping[str, object],
        extra: Mapping[str, object] | None,
    ) -> None:
        self._core = core
        self._clock = clock
        self._budget = budget
        self._hook = hook
        self._operation = core.contract.operation(operation)
        self._values = values
        self._extra = extra
        self._attempts: tuple[Attempt, ...] = ()
        self._number = 0
        self._flying = False
        self._error: PaywrightError | None = None
        self._result: object = None
        self._deadline = monotonic() + core.settings.timeout
        self.attempt_deadline = self._deadline
        placing = PLACING.get()
        if placing is not None:
            _check_placing(self._operation, values, placing)

    def request(self) -> SignedRequest | None:
        """The next attempt's request, of this moment and signed; None when the signer failed, which ends the call.

        Raises `MissingSetting`, `ContractViolation` or `InvalidArgument`: then nothing was sent.
        """
        self._number += 1
        self._started_at, self._started = self._clock.now(), monotonic()
        self.attempt_deadline = self._share()
        try:
            self._prepared = self._core.build(self._operation, self._values, self._extra, self._started_at)
        except PaywrightError:
            raise
        except Exception as failure:  # a signer of one's own: a KMS that cannot be reached
            detail = type(failure).__name__
        else:
            self._flying = True
            return self._prepared.request
        self._note("signing", "signing_failed", detail=detail)
        self._error = NotSent(
            operation=self._operation.name, reason="signing_failed", phase="signing", attempts=self._attempts
        )
        self._tell("not_sent", None, None)
        return None

    def came(self, raw: RawAnswer) -> float | None:
        """An answer came. The seconds until the next attempt, or None when the call has its outcome."""
        pause: float | None = None
        code: str | None = None
        reason, detail, verified = "verifier_failed", "", False
        try:
            bytes_ = self._core.verify(self._prepared, raw)
            reason, verified = "defect", True
            self._note("done", "answered", raw.status)
            self._result = self._core.read(self._prepared, bytes_, raw, self._attempts, self._clock.now)
        except Unusable as unusable:
            reason, code = unusable.reason, unusable.code
        except PaywrightError as judged:
            self._error = judged  # a verified answer, though not the one hoped for
        except Exception as failure:
            detail = type(failure).__name__
        except BaseException:
            raw.drop()
            raise
        else:
            raw.keep()
            self._budget.give_back()
            self._tell("answered", None, None)
            return None
        if self._error is not None:
            raw.keep()
            self._budget.give_back()
            self._tell(_outcome(self._error), getattr(self._error, "code", None), None)
            return None
        raw.drop()
        self._note("done", reason, raw.status, detail)
        if not self._operation.write and reason not in ("redirect", "defect"):
            pause = self._pause()
        if pause is None:
            hint = self._core.hint(self._prepared, raw, self._clock.now()) if not verified else None
            self._error = self._core.no_answer(self._prepared, reason, self._attempts, code=code, hint=hint)
        self._tell("unknown" if self._operation.write else "no_answer", code, pause)
        return pause

    def broke(self, failure: TransportFailure) -> float | None:
        """No complete answer came. The seconds until the next attempt, or None when the call has its outcome."""
        self._flying = False
        self._note(failure.phase, failure.reason, failure.status, failure.detail)
        sent = failure.body_started
        pause = None if sent and self._operation.write else self._pause()
        if pause is None and sent:
            self._error = self._core.no_answer(self._prepared, failure.reason, self._attempts)
        elif pause is None:
            self._error = NotSent(
                operation=self._operation.name,
                reason=failure.reason,
                phase=failure.phase,
                key=self._prepared.key,
                attempts=self._attempts,
            )
        self._tell(("unknown" if self._operation.write else "no_answer") if sent else "not_sent", None, pause)
        return pause

    def interrupted(self, phase: Phase) -> OutcomeUnknown | None:
        """The call was cancelled within an attempt. The error that says so, if money may have moved; else None."""
        self._note(phase, "cancelled")
        sent = phase is Phase.WAITING or phase is Phase.READING
        self._tell(("unknown" if self._operation.write else "no_answer") if sent else "not_sent", None, None)
        if not (sent and self._operation.write):
            return None
        return self._core.unknown(self._prepared, "cancelled", self._attempts)

    @property
    def warning(self) -> str | None:
        """What somebody must know who interrupts the call now; None where no money can have moved."""
        if not self._operation.write or not self._flying:
            return None
        return str(self._core.unknown(self._prepared, "cancelled", self._attempts))

    def outcome(self) -> object:
        """The result. Raises the error that the call came to, which drags no exception along whose frames hold a body."""
        error, self._error = self._error, None
        self._values, self._extra = {}, None
        if error is None:
            return self._result
        try:
            raise error
        finally:
            del error  # else the error and this frame hold each other until the garbage is collected

    def _share(self) -> float:
        """When an attempt must be done: a read that hangs leaves time for another."""
        again = self._core.settings.retries - self._number + 1
        if self._operation.write or again <= 0 or not self._budget.allows():
            return self._deadline
        left = self._deadline - self._started
        return self._started + min(left, max(left / (again + 1), _SHORTEST_SHARE))

    def _pause(self) -> float | None:
        """How long to wait before another attempt; None if there shall be none."""
        if self._number > self._core.settings.retries or not self._budget.allows():
            return None
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (self._number - 1))
        pause = uniform(longest / 2, longest)
        if monotonic() + pause + _WORTH_TRYING > self._deadline:
            return None
        self._budget.spend()
        return pause

    def _note(self, phase: str, reason: str, status: int | None = None, detail: str = "") -> None:
        attempt = Attempt(
            number=self._number,
            started_at=self._started_at,
            phase=phase,
            duration=monotonic() - self._started,
            reason=reason,
            status=status,
            detail=detail,
        )
        # An answer is noted when it was verified, and once more when reading it shows that it is none.
        earlier = self._attempts if len(self._attempts) < self._number else self._attempts[:-1]
        self._attempts = (*earlier, attempt)

    def _tell(self, outcome: str, code: str | None, pause: float | None) -> None:
        if self._hook is None and not _log.isEnabledFor(logging.DEBUG) and outcome == "answered":
            return
        attempt = self._attempts[-1]
        prepared: Prepared | None = getattr(self, "_prepared", None)
        event = AttemptEvent(
            operation=self._operation.name,
            key=prepared.key if prepared is not None else None,
            attempt=attempt,
            outcome=outcome,
            code=code,
            pause=pause,
        )
        _write(event)
        if self._hook is not None:
            try:
                self._hook(event)
            except Exception as failure:  # a hook that fails must not change what became of the money
                _log.warning("the on_attempt hook raised %s; the call is not affected", type(failure).__name__)

    def __repr__(self) -> str:
        return f"<Calling {self._operation.name}, attempt {self._number}>"


def _outcome(error: PaywrightError) -> str:
    if isinstance(error, GatewayError):
        return "refused"
    return "unknown" if isinstance(error, OutcomeUnknown) else "unreadable"


def _write(event: AttemptEvent) -> None:
    attempt = event.attempt
    level = logging.WARNING if event.outcome == "unknown" else logging.DEBUG if event.pause is None else logging.INFO
    if not _log.isEnabledFor(level):
        return
    name = event.operation if event.key is None else f"{event.operation} {shown(event.key, 64)}"
    code = "" if event.code is None else f", code {shown(event.code, 64)}"
    again = "" if event.pause is None else f", again in {event.pause:.2f} s"
    _log.log(
        level,
        "%s: attempt %d %s after %.0f ms (%s, %s%s)%s",
        name, attempt.number, event.outcome, attempt.duration * 1000, attempt.phase, attempt.reason, code, again,
    )  # fmt: skip


def _check_placing(operation: Operation, values: Mapping[str, object], placing: tuple[str, str]) -> None:
    """While an order is placed again, nothing of its kind leaves under another key."""
    resolution = operation.resolution
    if resolution is None or resolution.operation != placing[0] or operation.key is None:
        return
    if values.get(operation.key) != placing[1]:
        raise InvalidArgument(
            f"{operation.name} was called with another key while {placing[1]!r} is placed again. A new key would charge "
            "the payer twice. Nothing was sent: pass on the key that place_again gives."
        )
