"""One call and all its attempts, without I/O: what to send, by when, and what follows from what came.

A driver sends what `request` gives by `attempt_deadline`, reports with `came` or `broke`, sleeps as long as those say, and
at the end takes `outcome`. The sync and the async client are such drivers; every rule about trying again stands here.

Reads are tried again within the call's one deadline. A write is tried again only while no byte of its body has left. Each
attempt has a time and a signature of its own, and the same key.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from random import uniform
from time import monotonic
from typing import TYPE_CHECKING, Final

from paywright_runtime.attempts import Attempt
from paywright_runtime.errors import GatewayError, NotSent, OutcomeUnknown, PaywrightError, says_it_is_there
from paywright_runtime.exchange import Phase, RawAnswer, SignedRequest, TransportFailure, Unusable
from paywright_runtime.placing import PLACING, PlacementKey
from paywright_runtime.redact import shown
from paywright_runtime.request_content import content_of

if TYPE_CHECKING:
    from paywright_runtime.clock import Clock
    from paywright_runtime.core import Core, Prepared
    from paywright_runtime.placing import End, PlacedCall, Placement, Placements

__all__ = ["AttemptEvent", "Calling", "Hook", "RetryBudget"]

_log: Final = logging.getLogger("paywright")
_log.addHandler(logging.NullHandler())

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 2.0
_WORTH_TRYING: Final = 0.05  # with less time left, another attempt could only time out
_SHORTEST_SHARE: Final = 5.0
_LEFT: Final = frozenset({Phase.WAITING, Phase.READING, "done"})  # phases of attempts of which a byte may have left


class AttemptEvent:
    """What a hook sees after each attempt: no bodies, no headers, no secrets.

    `operation` and `key` name the call (`key` is None for reads); `attempt` has number, start, phase, duration in seconds and
    reason; `outcome` is `answered`, `refused`, `not_sent`, `no_answer`, `unknown` or `unreadable`; `code` a verified code that
    was no success, masked where it looks like a card number; `pause` the seconds until the next attempt, None after the last.
    """

    __slots__ = ("attempt", "code", "key", "operation", "outcome", "pause")

    def __init__(
        self, *, operation: str, key: str | None, attempt: Attempt, outcome: str, code: str | None, pause: float | None
    ) -> None:
        self.operation: str = operation
        self.key: str | None = key
        self.attempt: Attempt = attempt
        self.outcome: str = outcome
        self.code: str | None = code
        self.pause: float | None = pause

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
        "_over",
        "_placed",
        "_placements",
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
        placements: Placements,
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
        self._over = False
        self._error: PaywrightError | None = None
        self._result: object = None
        self._deadline = monotonic() + core.settings.timeout
        self.attempt_deadline = self._deadline
        self._placements = placements
        self._placed: tuple[Placement, PlacedCall] | None = None
        key = values.get(self._operation.key) if self._operation.key is not None else None
        if key is not None and (placements.live or type(key) is PlacementKey or PLACING.get() is not None):
            self._placed = placements.begin(self._operation, values)

    def request(self) -> SignedRequest | None:
        """The next attempt's request, of this moment and signed; None when the signer failed, which ends the call.

        Raises `MissingSetting`, `ContractViolation`, `InvalidArgument` or, while a key is placed again, `TooEarly`: then this
        attempt sent nothing.
        """
        self._started_at, self._started = self._clock.now(), monotonic()
        self._number += 1
        self.attempt_deadline = self._share()
        try:
            self._prepared = self._core.build(self._operation, self._values, self._extra, self._started_at)
        except PaywrightError:
            raise
        except Exception as failure:  # a signer of one's own: a KMS that cannot be reached
            detail = type(failure).__name__
        else:
            if self._placed is not None or self._placements.live:
                self._check_placing()
            self._flying = True
            return self._prepared.request
        self._note("signing", "signing_failed", detail=detail)
        self._error = self._not_sent("signing_failed", "signing")
        self._tell("not_sent", None, None)
        return None

    def _check_placing(self) -> None:
        """While an order is placed again, its key leaves only by its permission, and it leaves under no other."""
        content = content_of(self._operation, self._prepared.payload)
        if self._placed is not None:
            placement, call = self._placed
            placement.sending(call, content)
        else:
            self._placements.refuse_twins(self._operation, self._values, content)

    def _ended(self, end: End) -> None:
        if self._placed is not None:
            placement, call = self._placed
            placement.ended(call, end)

    def _not_sent(self, reason: str, phase: str) -> PaywrightError:
        """The error for a last attempt that did not leave: `NoAnswer` where an earlier one of a read did."""
        if any(attempt.phase in _LEFT for attempt in self._attempts):
            return self._core.no_answer(self._prepared, reason, self._attempts)
        return NotSent(
            operation=self._operation.name,
            reason=reason,
            phase=phase,
            key=self._key(),
            attempts=self._attempts,
            resolver=self._operation.resolver(),
        )

    def _key(self) -> str | None:
        given = self._values.get(self._operation.key) if self._operation.key is not None else None
        return str(given) if isinstance(given, str) else None

    def nothing_left(self) -> None:
        """The transport refused the attempt before it began: nothing left."""
        self._flying = False
        self._ended("nothing")

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
            self._ended("placed")
            self._leave(raw)
            self._budget.give_back()
            self._tell("answered", None, None)
            return None
        if self._error is not None:
            self._ended(_end(self._error))
            self._leave(raw)
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
        self._flying = False
        return pause

    def broke(self, failure: TransportFailure) -> float | None:
        """No complete answer came. The seconds until the next attempt, or None when the call has its outcome."""
        self._flying = False
        self._note(failure.phase, failure.reason, failure.status, failure.detail)
        sent = failure.body_started
        self._ended("unknown" if sent else "nothing")
        pause = None if sent and self._operation.write else self._pause()
        if pause is None and sent:
            self._error = self._core.no_answer(self._prepared, failure.reason, self._attempts)
        elif pause is None:
            self._error = self._not_sent(failure.reason, failure.phase)
        self._tell(("unknown" if self._operation.write else "no_answer") if sent else "not_sent", None, pause)
        return pause

    def interrupted(self, phase: Phase = Phase.WAITING) -> OutcomeUnknown | None:
        """The call was interrupted or cancelled: within an attempt that came as far as `phase`, or between two.

        An attempt that is still being signed has not begun. Tells the log and the hook, once. Returns the error that says so, if money may have moved; else None.
        """
        if self._over or self._number == 0:
            return None
        if not self._flying:
            where = "pausing" if len(self._attempts) == self._number else "signing"
            self._attempts = (*self._attempts, self._attempt(where, "cancelled"))
            self._tell("not_sent" if self._operation.write else "no_answer", None, None)
            return None
        self._flying = False
        self._note(phase, "cancelled")
        sent = phase is Phase.WAITING or phase is Phase.READING
        self._ended("unknown" if sent else "nothing")
        self._tell(("unknown" if self._operation.write else "no_answer") if sent else "not_sent", None, None)
        if not (sent and self._operation.write):
            return None
        return self._core.unknown(self._prepared, "cancelled", self._attempts)

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

    def _leave(self, raw: RawAnswer) -> None:
        """Keep the connection after an answer that repeats the request's own words, and close it after any other.

        A refusal repeats none: it may have been the surplus answer to an earlier request, and then the next would be answered
        by ours.
        """
        if self._prepared.bound:
            raw.keep()
        else:
            raw.drop()

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
        attempt = self._attempt(phase, reason, status, detail)
        # An answer is noted when it was verified, and once more when reading it shows that it is none.
        earlier = self._attempts if len(self._attempts) < self._number else self._attempts[:-1]
        self._attempts = (*earlier, attempt)

    def _attempt(self, phase: str, reason: str, status: int | None = None, detail: str = "") -> Attempt:
        return Attempt(
            number=self._number,
            started_at=self._started_at,
            phase=phase,
            duration=monotonic() - self._started,
            reason=reason,
            status=status,
            detail=detail,
        )

    def _tell(self, outcome: str, code: str | None, pause: float | None) -> None:
        self._over = pause is None
        if self._hook is None and not _log.isEnabledFor(logging.DEBUG) and outcome == "answered":
            return
        attempt = self._attempts[-1]
        event = AttemptEvent(
            operation=self._operation.name,
            key=self._key(),
            attempt=attempt,
            outcome=outcome,
            code=None if code is None else shown(code, 64),
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


def _end(error: PaywrightError) -> End:
    """What a verified answer that is no plain yes says of the key."""
    if isinstance(error, GatewayError):
        return "nothing"
    return "claimed" if says_it_is_there(error) else "unknown"


def _write(event: AttemptEvent) -> None:
    attempt = event.attempt
    warned = event.outcome == "unknown" or (attempt.reason == "cancelled" and event.key is not None)
    level = logging.WARNING if warned else logging.DEBUG if event.pause is None else logging.INFO
    if not _log.isEnabledFor(level):
        return
    name = event.operation if event.key is None else f"{event.operation} {shown(event.key, 64)}"
    code = "" if event.code is None else f", code {event.code}"
    again = "" if event.pause is None else f", again in {event.pause:.2f} s"
    _log.log(
        level,
        "%s: attempt %d %s after %.0f ms (%s, %s%s)%s",
        name, attempt.number, event.outcome, attempt.duration * 1000, attempt.phase, attempt.reason, code, again,
    )  # fmt: skip
