"""State machine of one call and all its attempts, without I/O.

A driver sends the request that `next_request` returns by `attempt_deadline`, reports with `on_response` or `on_failure`, sleeps
as long as those say, and at the end takes `result`. Whatever else is raised on the way goes to `on_interruption`. The sync and
the async client are such drivers.

Reads are tried again within the call's one deadline. A write is tried again only while no byte of its body has left. Each
attempt has a time and a signature of its own, and the same key.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from paywright_runtime.attempts import Attempt
from paywright_runtime.client.attempt_event import AttemptEvent, Hook, log, log_attempt
from paywright_runtime.client.retrying import RetryBudget, delay_after, share_of, worth_trying
from paywright_runtime.contract.request_content import content_of
from paywright_runtime.errors import (
    GatewayError,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    UnreadableAnswer,
    says_it_is_there,
)
from paywright_runtime.json_value import plain_text
from paywright_runtime.redaction import redacted
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure, Unusable

if TYPE_CHECKING:
    from paywright_runtime.client.codec import RequestCodec
    from paywright_runtime.client.permission import Permission
    from paywright_runtime.client.prepared import Prepared
    from paywright_runtime.clock import Clock
    from paywright_runtime.settling.resolution import End

__all__ = ["CallFlow"]

_LEFT: Final = frozenset({Phase.WAITING, Phase.READING, "done"})  # phases of attempts of which a byte may have left


class CallFlow:
    """One call. `key` is the merchant's own id of a write, None before the first request and for reads."""

    __slots__ = (
        "_again",
        "_attempts",
        "_budget",
        "_clock",
        "_codec",
        "_deadline",
        "_error",
        "_extra",
        "_fresh",
        "_hook",
        "_number",
        "_operation",
        "_prepared",
        "_reported",
        "_result",
        "_sent",
        "_started",
        "_started_at",
        "_values",
        "attempt_deadline",
    )

    _prepared: Prepared

    def __init__(
        self,
        codec: RequestCodec,
        clock: Clock,
        budget: RetryBudget,
        hook: Hook | None,
        operation: str,
        values: Mapping[str, object],
        extra: Mapping[str, object] | None,
        again: Permission | None,
        fresh: bool,
    ) -> None:
        self._codec = codec
        self._clock = clock
        self._budget = budget
        self._hook = hook
        self._operation = codec.contract.operation(operation)
        self._values = values
        self._extra = extra
        self._again = again
        self._fresh = fresh
        self._attempts: tuple[Attempt, ...] = ()
        self._number = 0
        self._reported = 0  # the number of the last attempt that the hook has heard of
        self._sent = False  # whether a byte of this attempt's body may have left
        self._error: PaywrightError | None = None
        self._result: object = None
        self._deadline = monotonic() + codec.settings.timeout
        self.attempt_deadline = self._deadline

    def next_request(self) -> SignedRequest | None:
        """Return the next attempt's request, signed now; None when the signer failed, which ends the call.

        Raises `MissingSetting`, `ContractViolation` or, where a permission does not hold for it, `InvalidArgument` or
        `TooEarly`: then this attempt sent nothing.
        """
        self._started_at, self._started = self._clock.now(), monotonic()
        self._number += 1
        self.attempt_deadline = self._share()
        try:
            self._prepared = self._codec.build(self._operation, self._values, self._extra, self._started_at)
        except PaywrightError:
            raise
        except Exception as failure:  # a signer of one's own: a KMS that cannot be reached
            detail = type(failure).__name__
        else:
            if self._again is not None:
                self._again.sending(self, content_of(self._operation, self._prepared.payload))
            self._sent = True
            request = self._prepared.request
            return request._replace(fresh=True) if self._fresh else request
        self._note("signing", "signing_failed", detail=detail)
        self._error = self._not_sent("signing_failed", "signing")
        self._tell("not_sent", None, None)
        return None

    def _ended(self, end: End) -> None:
        if self._again is not None:
            self._again.report(end)

    def _not_sent(self, reason: str, phase: str) -> PaywrightError:
        """Build the error for a last attempt that did not leave: `NoAnswer` where an earlier one of a read did."""
        if any(attempt.phase in _LEFT for attempt in self._attempts):
            return self._codec.no_answer(self._prepared, reason, self._attempts)
        return NotSent(
            operation=self._operation.name,
            reason=reason,
            phase=phase,
            key=self._key(),
            attempts=self._attempts,
            write=self._operation.write,
            resolver=self._operation.resolver(by_key=True),
        )

    def _key(self) -> str | None:
        return plain_text(self._values.get(self._operation.key)) if self._operation.key is not None else None

    def on_response(self, raw: RawAnswer) -> float | None:
        """Handle a response. Return the delay in seconds before the next attempt, or None if the call is finished."""
        try:
            unusable, detail = self._judge(raw)
        except BaseException:
            raw.discard()
            raise
        if unusable is None:
            self._ended(_end(self._error))
            self._leave(raw)
            self._budget.give_back()
            if self._hook is not None or self._error is not None or log.isEnabledFor(logging.DEBUG):
                self._tell(_outcome(self._error), getattr(self._error, "code", None), None)
            return None
        raw.discard()
        self._ended("unknown")
        verified = len(self._attempts) == self._number
        self._note("done", unusable.reason, raw.status, detail)
        pause = None
        if not self._operation.write and unusable.reason not in ("redirect", "defect"):
            pause = self._pause()
        if pause is None:
            hint = self._codec.hint(self._prepared, raw, self._clock.now()) if not verified else None
            self._error = self._codec.no_answer(
                self._prepared, unusable.reason, self._attempts, code=unusable.code, hint=hint
            )
        self._tell("unknown" if self._operation.write else "no_answer", unusable.code, pause)
        self._sent = pause is None
        return pause

    def _judge(self, raw: RawAnswer) -> tuple[Unusable | None, str]:
        """Verify and read a response: its result or error is the call's. Return why it is none, with a detail."""
        reason = "verifier_failed"
        try:
            verified = self._codec.verify(self._prepared, raw)
            reason = "defect"
            self._note("done", "answered", raw.status)
            self._result = self._codec.read(self._prepared, verified, raw, self._attempts, self._clock.now)
        except Unusable as unusable:
            return unusable.with_traceback(None), ""  # whose frames would hold the body, and it them
        except PaywrightError as judged:
            self._error = judged.with_traceback(None)  # a verified answer, though not the one hoped for
        except Exception as failure:
            return Unusable(reason), type(failure).__name__
        return None, ""

    def on_failure(self, failure: Exception) -> float | None:
        """Handle an exception of the transport. Return the delay in seconds before the next attempt, or None if the call is finished.

        Raises what the library itself raised before the attempt began: a closed transport, a header that cannot be sent.
        """
        if isinstance(failure, PaywrightError):
            self._sent = False
            self._ended("nothing")
            raise failure
        if not isinstance(failure, TransportFailure):  # a transport of one's own; it may have sent anything
            failure = TransportFailure(Phase.WAITING, "transport_failed", type(failure).__name__)
        failure.__cause__ = failure.__context__ = None
        sent = self._sent = failure.body_started
        self._note(failure.phase, failure.reason, failure.status, failure.detail)
        self._ended("unknown" if sent else "nothing")
        pause = None if sent and self._operation.write else self._pause()
        if pause is None and sent:
            self._error = self._codec.no_answer(self._prepared, failure.reason, self._attempts)
        elif pause is None:
            self._error = self._not_sent(failure.reason, failure.phase)
        if self._error is not None:
            self._error.__cause__ = failure.with_traceback(
                None
            )  # what the peer or the system did, and nothing of a message
        self._tell(("unknown" if self._operation.write else "no_answer") if sent else "not_sent", None, pause)
        self._sent = sent and pause is None
        return pause

    def on_interruption(self, raised: BaseException, phase: Phase = Phase.WAITING) -> PaywrightError | None:
        """Handle what was raised in place of the outcome: an interrupt, a cancellation, whatever a hook or the log let through.

        `phase` is how far the attempt came, which has not begun while it is signed. Writes to the log and calls the hook, which
        hears of an attempt once. If a byte of a write may have left, returns what is known of it as an error, adds it to
        `raised` as a note, and logs a warning; else returns None.
        """
        if self._number == 0 or isinstance(raised, PaywrightError):
            return None  # an error of ours says itself what became of the call
        decided = self._error is not None or self._result is not None
        left = self._sent and (decided or phase in _LEFT)
        if not decided and self._sent:
            self._note(phase, "cancelled")
        elif not decided:
            where = "pausing" if len(self._attempts) == self._number else "signing"
            self._attempts = (*self._attempts, self._attempt(where, "cancelled"))
        known = self._known() if left and self._operation.write else None
        try:
            self._add_note(raised, known)
            self._report_interruption(type(raised).__name__, decided, left)
        except BaseException as another:
            self._add_note(another, known)
            raise
        return known

    def _add_note(self, raised: BaseException, known: PaywrightError | None) -> None:
        """Add what is known to `raised`. Its reader has no error to give to a resolver, but the key."""
        if known is not None:
            by_error, by_key = self._operation.resolver(), self._operation.resolver(by_key=True)
            raised.add_note(str(known).replace(by_error or "", by_key or "") if by_error else str(known))

    def _known(self) -> PaywrightError:
        """Return what is known of a write that left, as the error that says it."""
        if self._error is not None:
            return self._error
        reason = "cancelled" if self._result is None else "result_lost"
        return self._codec.unknown(self._prepared, reason, self._attempts)

    def _report_interruption(self, by: str, decided: bool, left: bool) -> None:
        """Log an interruption, and report to the permission and the hook what they have not heard yet."""
        if decided:
            self._ended(_end(self._error))
            outcome = _outcome(self._error)
        else:
            self._ended("unknown" if left else "nothing")
            outcome = "not_sent" if self._operation.write or self._sent else "no_answer"
            if left:
                outcome = "unknown" if self._operation.write else "no_answer"
        if self._reported < self._number or not decided:
            self._tell(outcome, getattr(self._error, "code", None), None)
        if decided and left and self._operation.write:
            with suppress(Exception):
                name = self._operation.name if self._key() is None else f"{self._operation.name} {self._key()}"
                log.warning("%s: %s interrupted the call before its outcome was handed over: %s", name, by, outcome)

    def result(self) -> object:
        """Return the result, or raise the error that the call ended with. `strip_frames` removes the frames that hold a body."""
        if self._error is not None:
            raise self._error
        return self._result

    def _leave(self, raw: RawAnswer) -> None:
        """Keep the connection: for any request after an answer that repeats this one's words, for the same question after another.

        What repeats nothing could be taken for the answer to any question, should it come once more. A refused write
        leaves none: the same write may be sent again, and would be refused by that.
        """
        bound = self._prepared.bound
        if self._operation.write and (not bound or isinstance(self._error, GatewayError)):
            raw.discard()
        elif bound:
            raw.release()
        else:
            raw.reserve()

    def _share(self) -> float:
        """Return when an attempt must be done: a read that hangs leaves time for another."""
        again = self._codec.settings.retries - self._number + 1
        if self._operation.write or again <= 0 or not self._budget.allows():
            return self._deadline
        return share_of(self._started, self._deadline, again)

    def _pause(self) -> float | None:
        """Return the delay before another attempt; None if there shall be none. Spends of the budget."""
        if self._number > self._codec.settings.retries or not self._budget.allows():
            return None
        pause = delay_after(self._number)
        if not worth_trying(monotonic() + pause, self._deadline):
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
        attempt = self._attempts[-1]
        event = AttemptEvent(
            operation=self._operation.name,
            key=self._key(),
            attempt=attempt,
            outcome=outcome,
            code=None if code is None else redacted(code, 64),
            pause=pause,
        )
        # Neither a hook nor a filter or handler of the log that fails may change what became of the money.
        with suppress(Exception):
            log_attempt(event)
        self._reported = self._number
        if self._hook is not None:
            try:
                self._hook(event)
            except Exception as failure:
                with suppress(Exception):
                    log.warning("the on_attempt hook raised %s; the call is not affected", type(failure).__name__)

    def __repr__(self) -> str:
        return f"<CallFlow {self._operation.name}, attempt {self._number}>"


def _outcome(error: PaywrightError | None) -> str:
    """Return the word of an `AttemptEvent` for what a call ended with; None is a result."""
    if error is None:
        return "answered"
    words = {GatewayError: "refused", UnreadableAnswer: "unreadable", OutcomeUnknown: "unknown", NotSent: "not_sent"}
    return next((word for kind, word in words.items() if isinstance(error, kind)), "no_answer")


def _end(error: PaywrightError | None) -> End:
    """Return what the outcome of a call shows of its key; None is a result."""
    if error is None:
        return "placed"
    if isinstance(error, (GatewayError, NotSent)):
        return "nothing"
    return "claimed" if says_it_is_there(error) else "unknown"
