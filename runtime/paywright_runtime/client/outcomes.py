"""Decide what a call ends with: not sent, no answer, an unknown outcome or a refusal; and what this shows about its key.

Only a write can have an unknown outcome: once a byte of its body may have left, until a verified answer says what became of it.
`answer_reader` raises what is verified and cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from paywright_runtime.client.unverified_parts import clock_note, clock_skew
from paywright_runtime.contract.same_content import content_of, differences
from paywright_runtime.errors import (
    AlreadyPlaced,
    GatewayError,
    NoAnswer,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    UnreadableAnswer,
    says_it_is_there,
)
from paywright_runtime.transport.api import Unusable, body_may_have_left

if TYPE_CHECKING:
    from paywright_runtime.answer import Answer
    from paywright_runtime.attempts import Attempt, UnverifiedHint
    from paywright_runtime.client.request_plan import Prepared
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation
    from paywright_runtime.settling.resolution import End


def not_sent(
    operation: Operation, key: str | None, reason: str, phase: str, attempts: tuple[Attempt, ...]
) -> PaywrightError:
    """Build the error for a last attempt that was not sent: `NoAnswer` if an earlier one was, which only a read repeats."""
    if any(body_may_have_left(attempt.phase) for attempt in attempts):
        return NoAnswer(operation=operation.name, reason=reason, attempts=attempts)
    return NotSent(
        operation=operation.name,
        reason=reason,
        phase=phase,
        key=key,
        attempts=attempts,
        write=operation.write,
        resolver=operation.resolver(by_key=True),
    )


def no_answer(
    prepared: Prepared,
    reason: str,
    attempts: tuple[Attempt, ...],
    *,
    code: str | None = None,
    hint: UnverifiedHint | None = None,
) -> PaywrightError:
    """Build the error for a request that was sent and has no verified answer: the outcome of a write is unknown."""
    if not prepared.operation.write:
        return NoAnswer(operation=prepared.operation.name, reason=reason, attempts=attempts, unverified_hint=hint)
    return OutcomeUnknown(reason=reason, code=code, attempts=attempts, unverified_hint=hint, **write_facts(prepared))


def refusal(contract: Contract, prepared: Prepared, answer: Answer, now: Callable[[], datetime]) -> PaywrightError:
    """Return the error for a verified code other than success. Raises `Unusable` for a code of another operation."""
    operation = prepared.operation
    if answer.code in _foreign_codes(contract, prepared):
        raise Unusable("foreign_code", answer.code)
    if operation.write and answer.code not in operation.refusal_codes:
        repeated = answer.code in operation.duplicate_codes
        kind, reason = (AlreadyPlaced, "already_placed") if repeated else (OutcomeUnknown, "unproven_code")
        return kind(reason=reason, code=answer.code, attempts=answer.attempts, **write_facts(prepared))
    refuses_time = answer.code in operation.clock_codes
    return GatewayError(
        operation=operation.name,
        code=answer.code,
        msg=answer.msg,
        key=prepared.key,
        answer=answer,
        attempts=answer.attempts,
        clock_note=clock_note(clock_skew(answer.headers, now())) if refuses_time else "",
        signed=any(name.lower() == prepared.plan.signature.lower() for name, _ in answer.headers),
        write=operation.write,
        not_there=answer.code in operation.not_found_codes,
        resolver=_resolver(contract, operation),
    )


def other_content(
    prepared: Prepared, data: Mapping[str, object], attempts: tuple[Attempt, ...]
) -> AlreadyPlaced | None:
    """Return the error for a success that shows other content than this write has; None if it shows none."""
    facts = write_facts(prepared)
    found = differences(prepared.operation, facts["content"], data)
    other = {one.member: one.shown for one in found}
    return AlreadyPlaced(reason="other_content", shown=other, attempts=attempts, **facts) if found else None


def _resolver(contract: Contract, operation: Operation) -> str | None:
    """Return the method that settles this write, or the writes that this query settles."""
    if operation.write:
        return operation.resolver(by_key=True)
    writes = map(contract.operation, contract.operations())
    return next((write.resolver(by_key=True) for write in writes if _settled_by(write) == operation.name), None)


def _foreign_codes(contract: Contract, prepared: Prepared) -> frozenset[str]:
    """Return the codes that the contract states for other operations of the same envelope, and not for this one."""
    operation, plan = prepared.operation, prepared.plan
    if plan.foreign is None:
        others = map(contract.operation, contract.operations())
        known = (_codes(other) for other in others if other.envelope == operation.envelope)
        plan.foreign = frozenset[str]().union(*known) - _codes(operation)
    return plan.foreign


def _codes(operation: Operation) -> frozenset[str]:
    return operation.refusal_codes | operation.duplicate_codes | operation.not_found_codes


def write_facts(prepared: Prepared) -> dict[str, Any]:
    """Return the arguments that every error of a write takes: its key, what it asked for, and what resolves it."""
    operation = prepared.operation
    return {
        "operation": operation.name,
        "key": prepared.key or "",
        "resolve_with": _settled_by(operation),
        "resolver": operation.resolver(),
        "content": content_of(operation, prepared.payload),
    }


def _settled_by(operation: Operation) -> str | None:
    return operation.resolution.operation if operation.resolution is not None else None


def outcome_of(error: PaywrightError | None) -> str:
    """Return the `outcome` of an `AttemptEvent` for the error of a call; None is a result."""
    if error is None:
        return "answered"
    words = {GatewayError: "refused", UnreadableAnswer: "unreadable", OutcomeUnknown: "unknown", NotSent: "not_sent"}
    return next((word for kind, word in words.items() if isinstance(error, kind)), "no_answer")


def outcome_without_answer(*, write: bool, sent: bool) -> str:
    """Return the `outcome` of an `AttemptEvent` for an attempt without a verified answer."""
    return "not_sent" if not sent else "unknown" if write else "no_answer"


def end_of(error: PaywrightError | None) -> End:
    """Return what the error of a call shows about its key; None is a result."""
    if error is None:
        return "placed"
    return "claimed" if says_it_is_there(error) else "unproven"
