"""State machine of one call and all its attempts, without I/O.

A driver, such as the sync or the async client, hands the request of `next_request` to a transport, after `sending`, to be sent by
`attempt_deadline`. It reports with `on_response` or `on_failure`, sleeps for the delay that they return, and takes `result` at the
end. Any other exception goes to `on_interruption`.

Reads are retried within the deadline of the call. A write is retried only while no byte of its body was sent. Each attempt
has its own time and signature, and the same key.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from paywright_runtime.attempts import Attempt
from paywright_runtime.client.attempt_events import AttemptEvent, Hook, log, log_attempt, quietly
from paywright_runtime.client.outcomes import end_of, no_answer, not_sent, outcome_of, outcome_without_answer
from paywright_runtime.client.retrying import WORTH_TRYING, RetryBudget, delay_after, may_retry, share_of
from paywright_runtime.contract.same_content import content_of
from paywright_runtime.errors import GatewayError, PaywrightError
from paywright_runtime.json_value import plain_text
from paywright_runtime.redaction import redacted, shown_key
from paywright_runtime.tracebacks import errors_ignored, interrupts
from paywright_runtime.transport.api import (
    Phase,
    RawAnswer,
    SignedRequest,
    TransportFailure,
    Unusable,
    body_may_have_left,
)

if TYPE_CHECKING:
    from paywright_runtime.client.answer_reader import AnswerReader
    from paywright_runtime.client.attempt_events import CallObserver, ObservedCall
    from paywright_runtime.client.request_plan import Prepared, RequestBuilder
    from paywright_runtime.clock import Clock
    from paywright_runtime.settling.permission import Permission
    from paywright_runtime.settling.resolution import End


class CallFlow:
    """One call and all its attempts."""

    _prepared: Prepared

    def __init__(
        self,
        requests: RequestBuilder,
        answers: AnswerReader,
        clock: Clock,
        budget: RetryBudget,
        hook: Hook | None,
        operation: str,
        values: Mapping[str, object],
        extra: Mapping[str, object] | None,
        again: Permission | None,
        fresh: bool,
    ) -> None:
        self._requests = requests
        self._answers = answers
        self._clock = clock
        self._budget = budget
        self._hook = hook
        self._observed: ObservedCall | None = None
        self._operation = requests.contract.operation(operation)
        self._values = values
        self._extra = extra
        self._again = again
        self._fresh = fresh
        self._attempts: tuple[Attempt, ...] = ()
        self._number = 0
        self._reported = 0  # the number of the last attempt that was reported to the hook
        self._sent = False  # whether this attempt has a request, of which a byte may leave or have left
        self._phase = Phase.CONNECTING  # that its transport has reached
        self._error: PaywrightError | None = None
        self._result: object = None
        self._deadline = monotonic() + requests.settings.timeout
        self.attempt_deadline: float = self._deadline

    def observe(self, observer: CallObserver, base_url: str) -> None:
        """Let an observer follow this call, from here to its end."""
        operation = self._operation
        path = self._requests.settings.paths.get(operation.name) or operation.path or ""
        self._observed = quietly("observer", observer.call, operation, base_url + path, self._key_to_show)

    def _key_to_show(self) -> str | None:
        operation = self._operation
        return self._key() if self._requests.contract.may_show(operation, operation.key) else None

    def _end(self, error: BaseException | None) -> None:
        observed, self._observed = self._observed, None
        if observed is not None:
            quietly("observer", observed.end, error)

    @property
    def blocks(self) -> bool:
        """Return whether the next request waits for a database: that of the follower whose permission the call uses."""
        return self._again is not None and self._again.blocks

    def next_request(self) -> SignedRequest | None:
        """Return the next attempt's request, signed now; None if the signer failed, which ends the call.

        Raises `MissingSetting`, `ContractViolation` or, for a permission that does not hold, `InvalidArgument` or
        `TooEarly`: then this attempt sent nothing.
        """
        self._started_at, self._started = self._clock.now(), monotonic()
        self._number += 1
        self._phase = Phase.CONNECTING
        again = self._requests.settings.retries - self._number + 1
        alone = (
            self._operation.write or again <= 0 or not self._budget.allows()
        )  # else it leaves time for further attempts
        self.attempt_deadline = self._deadline if alone else share_of(self._started, self._deadline, again)
        try:
            self._prepared = self._requests.build(self._operation, self._values, self._extra, self._started_at)
        except PaywrightError:
            raise
        except Exception as failure:  # of a custom signer, such as a KMS that cannot be reached
            if interrupts(failure):
                raise
            detail = type(failure).__name__
        else:
            if self._again is not None:
                self._again.sending(self, content_of(self._operation, self._prepared.payload))
            self._sent = True
            return self._prepared.request._replace(fresh=self._fresh, reach=self._reach)
        self._record_attempt("signing", "signing_failed", detail=detail)
        self._error = not_sent(self._operation, self._key(), "signing_failed", "signing", self._attempts)
        self._report_attempt("not_sent", None, None)
        return None

    def sending(self) -> None:
        """Note that the request is handed to the transport now, of which one that reports no phase may have sent anything."""
        self._phase = Phase.WAITING

    def _reach(self, phase: Phase) -> None:
        self._phase = phase

    def _report_end(self, end: End) -> None:
        if self._again is not None:
            self._again.report(end)

    def _key(self) -> str | None:
        return plain_text(self._values.get(self._operation.key)) if self._operation.key is not None else None

    def on_response(self, raw: RawAnswer) -> float | None:
        """Handle a response. Return the delay in seconds before the next attempt, or None if the call is finished."""
        try:
            unusable, detail = self._judge(raw)
        except BaseException:
            raw.discard()
            raise
        if unusable is not None:
            return self._on_unusable(raw, unusable, detail)
        self._report_end(end_of(self._error))
        self._keep_connection(raw)
        self._budget.give_back()
        observed = self._hook is not None or self._observed is not None
        if observed or self._error is not None or log.isEnabledFor(logging.DEBUG):
            self._report_attempt(outcome_of(self._error), getattr(self._error, "code", None), None, raw.headers)
        return None

    def _on_unusable(self, raw: RawAnswer, unusable: Unusable, detail: str) -> float | None:
        """Handle a response that proves nothing about this call: try again if that is allowed, else end with an error."""
        raw.discard()
        self._report_end("unproven")
        verified = len(self._attempts) == self._number
        self._record_attempt("done", unusable.reason, raw.status, detail)
        write = self._operation.write
        pause = self._retry_delay() if may_retry(write=write, sent=True, reason=unusable.reason) else None
        if pause is None:
            hint = self._answers.hint(self._prepared, raw, self._clock.now()) if not verified else None
            self._error = no_answer(self._prepared, unusable.reason, self._attempts, code=unusable.code, hint=hint)
        self._report_attempt(outcome_without_answer(write=write, sent=True), unusable.code, pause)
        self._sent = pause is None
        return pause

    def _judge(self, raw: RawAnswer) -> tuple[Unusable | None, str]:
        """Verify and read a response, and set the call's result or error. Return why it is unusable, if it is, and a detail."""
        reason = "verifier_failed"
        try:
            verified = self._answers.verify(self._prepared, raw)
            reason = "defect"
            self._record_attempt("done", "answered", raw.status)
            self._result = self._answers.read(self._prepared, verified, raw, self._attempts, self._clock.now)
        except Unusable as unusable:
            slip = self._answers.slip(self._prepared, raw) if unusable.reason == "bad_signature" else ""
            return unusable.with_traceback(None), slip  # its frames would hold the body
        except PaywrightError as judged:
            self._error = judged.with_traceback(None)  # a verified answer other than a result
        except Exception as failure:
            if interrupts(failure):
                raise
            return Unusable(reason), type(failure).__name__
        return None, ""

    def on_failure(self, failure: Exception) -> float | None:
        """Handle an exception of the transport. Return the delay in seconds before the next attempt, or None if the call is finished.

        Raises errors of the library itself from before the attempt: a closed transport, a header that cannot be sent. Raises
        whatever does not say that the transport failed, such as a task's time limit.
        """
        if isinstance(failure, PaywrightError):
            self._sent = False
            self._report_end("unproven")
            raise failure
        if not isinstance(failure, TransportFailure):  # of a custom transport, which may have sent anything
            if not isinstance(failure, (OSError, MemoryError)) or interrupts(failure):
                raise failure
            failure = TransportFailure(Phase.WAITING, "transport_failed", type(failure).__name__)
        failure.__cause__ = failure.__context__ = None
        sent = self._sent = failure.body_started
        self._record_attempt(failure.phase, failure.reason, failure.status, failure.detail)
        self._report_end("unproven")
        write = self._operation.write
        pause = self._retry_delay() if may_retry(write=write, sent=sent, reason=failure.reason) else None
        if pause is None:
            key, reason = self._prepared.key, failure.reason
            self._error = (
                no_answer(self._prepared, reason, self._attempts)
                if sent
                else not_sent(self._operation, key, reason, failure.phase, self._attempts)
            )
            # It shows what the peer or the system did, and nothing of a message.
            self._error.__cause__ = failure.with_traceback(None)
        self._report_attempt(outcome_without_answer(write=write, sent=sent), None, pause)
        self._sent = sent and pause is None
        return pause

    def on_interruption(self, raised: BaseException) -> PaywrightError | None:
        """Handle an exception in place of the outcome: an interrupt, a cancellation, a task's time limit.

        Writes to the log and reports the attempt to the hook, once. If a byte of a write may have left, it returns the error that
        the call would have ended with, adds it to `raised` as a note, and logs a warning; else it returns None.
        """
        if self._number == 0 or isinstance(raised, PaywrightError):
            self._end(raised)
            return None  # an error of ours states the outcome itself
        decided = self._error is not None or self._result is not None
        left = self._sent and (decided or body_may_have_left(self._phase))
        if not decided:
            ready = "pausing" if len(self._attempts) == self._number else "signing"
            self._record_attempt(self._phase if self._sent else ready, "cancelled")
        known = None
        if left and self._operation.write:
            reason = "cancelled" if self._result is None else "result_lost"
            known = self._error or no_answer(self._prepared, reason, self._attempts)
        try:
            self._add_note(raised, known)
            self._report_interruption(type(raised).__name__, decided, left)
        except BaseException as another:
            self._add_note(another, known)
            raise
        finally:
            self._end(known or raised)
        return known

    def _add_note(self, raised: BaseException, known: PaywrightError | None) -> None:
        """Add the message of `known` to `raised`, with the call that resolves by key, because there is no error to pass."""
        if known is not None:
            by_error, by_key = self._operation.resolver(), self._operation.resolver(by_key=True)
            raised.add_note(str(known).replace(by_error or "", by_key or "") if by_error else str(known))

    def _report_interruption(self, by: str, decided: bool, left: bool) -> None:
        """Log an interruption, and report it to the permission and, if the attempt was not reported, to the hook."""
        if decided:
            self._report_end(end_of(self._error))
            outcome = outcome_of(self._error)
        else:
            self._report_end("unproven")
            # A read that is interrupted between two attempts was sent before.
            write, sent = self._operation.write, left or not (self._operation.write or self._sent)
            outcome = outcome_without_answer(write=write, sent=sent)
        if self._reported < self._number or not decided:
            self._report_attempt(outcome, getattr(self._error, "code", None), None)
        if decided and left and self._operation.write:
            with errors_ignored():
                key = self._key()
                name = self._operation.name if key is None else f"{self._operation.name} {shown_key(key)}"
                log.warning("%s: %s interrupted the call before its outcome was handed over: %s", name, by, outcome)

    def result(self) -> object:
        """Return the result, or raise the error of the call. `strip_frames` removes the frames that hold a body."""
        if self._error is not None:
            raise self._error
        self._end(None)
        return self._result

    def _keep_connection(self, raw: RawAnswer) -> None:
        """Keep the connection: for any request if the answer repeats values of this one, else for the same question only.

        An answer that repeats nothing, if it arrived again, could be taken for the answer to any question. After a refused
        write the connection is closed: the same write may be sent again, and could take that answer for its own.
        """
        bound = self._prepared.bound
        if self._operation.write and (not bound or isinstance(self._error, GatewayError)):
            raw.discard()
        elif bound:
            raw.release()
        else:
            raw.reserve()

    def _retry_delay(self) -> float | None:
        """Return the delay before another attempt, and take it from the budget; None if the budget or the time is used up."""
        if self._number > self._requests.settings.retries or not self._budget.allows():
            return None
        pause = delay_after(self._number, self._prepared.request.body)
        if monotonic() + pause + WORTH_TRYING > self._deadline:
            return None
        self._budget.spend()
        return pause

    def _record_attempt(self, phase: str, reason: str, status: int | None = None, detail: str = "") -> None:
        attempt = Attempt(
            number=self._number,
            started_at=self._started_at,
            phase=str(phase),  # of an enum's member too, as it shows itself in a repr
            duration=monotonic() - self._started,
            reason=reason,
            status=status,
            detail=detail,
        )
        # An answer is recorded once it is verified, and again if reading it shows that it is unusable, or is interrupted.
        again = self._sent and len(self._attempts) == self._number
        self._attempts = (*(self._attempts[:-1] if again else self._attempts), attempt)

    def _report_attempt(
        self, outcome: str, code: str | None, pause: float | None, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        attempt = self._attempts[-1]
        event = AttemptEvent(
            operation=self._operation.name,
            key=self._key(),
            attempt=attempt,
            outcome=outcome,
            code=None if code is None else redacted(code, 64),
            pause=pause,
            dates=[pair for pair in headers if pair[0].lower() == "date"],
        )
        # A failure of the hook or of the log's filters and handlers must not change the outcome.
        with errors_ignored():
            log_attempt(event)
        self._reported = self._number
        if self._hook is not None:
            quietly("on_attempt hook", self._hook, event)
        if self._observed is not None:
            quietly("observer", self._observed.attempt, event)
