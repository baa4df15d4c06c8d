"""Judge the bytes of answers, without I/O: a result, a refusal, or no verified answer to this request.

Only verified bytes are parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from paywright_runtime import strict_json
from paywright_runtime.answer import Answer
from paywright_runtime.attempts import Attempt, UnverifiedHint
from paywright_runtime.client.answer_hint import clock_note, clock_skew, unverified_hint
from paywright_runtime.client.request_plan import Prepared, RequestPlan
from paywright_runtime.client.settings import BaseMerchant, ClientSettings
from paywright_runtime.contract.conversion import member_at, read
from paywright_runtime.contract.validation import describe_violations
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.contract.whose_call import answer_differs, content_of, differences
from paywright_runtime.errors import (
    AlreadyPlaced,
    GatewayError,
    NoAnswer,
    OutcomeUnknown,
    PaywrightError,
    UnreadableAnswer,
    UnreadableWrite,
)
from paywright_runtime.signing.covered import header_values
from paywright_runtime.signing.rsa import SignatureProblem, UnsignedAnswers, VerifiedBytes
from paywright_runtime.transport.api import Unusable

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation
    from paywright_runtime.strict_json import JSON
    from paywright_runtime.transport.api import RawAnswer


class WriteFacts(TypedDict):
    """Arguments that every error of a write with an unknown outcome takes."""

    operation: str
    key: str
    resolve_with: str | None
    resolver: str | None
    content: dict[str, str]


class AnswerReader:
    """Reads the answers to one merchant's requests."""

    def __init__(self, contract: Contract, merchant: BaseMerchant, settings: ClientSettings) -> None:
        self._contract = contract
        self._merchant = merchant
        self._settings = settings

    def verify(self, prepared: Prepared, raw: RawAnswer) -> VerifiedBytes:
        """Return the answer's bytes, once exactly one valid signature covers them [5.4]. Raises `Unusable`."""
        if raw.status != 200:
            raise Unusable("redirect" if 300 <= raw.status < 400 else "http_status")
        plan = prepared.plan
        signatures = raw.get_all(plan.signature)
        if not signatures and self._settings.unsigned_answers and plan.may_be_unsigned:
            return UnsignedAnswers().verify(raw.body, "")
        if len(signatures) != 1 or plan.scheme is None:
            raise Unusable("several_signatures" if signatures else "unsigned")
        try:
            if plan.scheme.plain:
                return self._merchant.verifier.verify(raw.body, signatures[0])
            values = header_values(raw.headers)
            return plan.scheme.verify(self._merchant.verifier, signatures[0], "POST", plan.path, raw.body, values)
        except SignatureProblem as problem:
            reason = problem.reason
        joined = reason == "not_canonical" and plan.scheme.plain and "," in signatures[0]  # by a proxy
        raise Unusable("several_signatures" if joined else reason)

    def read(
        self,
        prepared: Prepared,
        verified: VerifiedBytes,
        raw: RawAnswer,
        attempts: tuple[Attempt, ...],
        now: Callable[[], datetime],
    ) -> object:
        """Read the result of a verified answer. Raises `Unusable` if it does not answer this request, else a `PaywrightError`."""
        try:
            body = strict_json.parse(verified.raw, mends=True)
        except strict_json.JsonProblem:
            body = None
        if body is None:
            raise Unusable("not_json")
        if type(body) is not dict:
            raise Unusable("not_an_object")
        plan = prepared.plan
        code: object
        words: object
        if plan.flat:
            code, words = body.get(plan.flat[0]), body.get(plan.flat[1])
        else:
            code, words = member_at(body, plan.code), member_at(body, plan.message_at)
        succeeded = code == plan.yes
        if type(code) is not str:
            raise Unusable("no_code")
        answer = Answer(
            code=code,
            msg=str(words) if isinstance(words, str) else "",
            raw=verified.raw,
            body=body,
            request=prepared.request.body,
            headers=raw.headers,
            attempts=attempts,
            warnings=prepared.warnings,
            find_violations=plan.find_violations,
            find_unknown=plan.find_unknown,
        )
        inner = body.get(plan.answered_in) if plan.answered_in else body
        if not succeeded:
            if type(inner) is dict:
                prepared.check_echoes(None, inner)
            if raw.surplus:
                raise Unusable("surplus")
            raise self.refusal(prepared, answer, now)
        try:
            result = self._result(prepared, plan, answer, inner)
        except PaywrightError:
            if raw.surplus:
                raise Unusable("surplus") from None
            raise
        if raw.surplus and not prepared.bound:  # a bound answer shows the key that was asked for
            raise Unusable("surplus")
        return result

    def refusal(self, prepared: Prepared, answer: Answer, now: Callable[[], datetime]) -> PaywrightError:
        """Return the error for a verified code other than success. Raises `Unusable` for a code of another operation."""
        operation = prepared.operation
        if answer.code in self._foreign_codes(prepared):
            raise Unusable("foreign_code", answer.code)
        if operation.write and answer.code not in operation.refusal_codes:
            repeated = answer.code in operation.duplicate_codes
            kind, reason = (AlreadyPlaced, "already_placed") if repeated else (OutcomeUnknown, "unproven_code")
            return kind(reason=reason, code=answer.code, attempts=answer.attempts, **self._write_facts(prepared))
        skew, note = None, ""
        if answer.code in operation.clock_codes:
            skew = clock_skew(answer.headers, now())
            note = clock_note(skew)
        return GatewayError(
            operation=operation.name,
            code=answer.code,
            msg=answer.msg,
            key=prepared.key,
            answer=answer,
            attempts=answer.attempts,
            clock_skew=skew,
            clock_note=note,
            signed=any(name.lower() == prepared.plan.signature.lower() for name, _ in answer.headers),
            write=operation.write,
            not_there=answer.code in operation.not_found_codes,
            resolver=self._resolver(operation),
        )

    def _resolver(self, operation: Operation) -> str | None:
        """Return the method that settles this write, or the writes that this query settles."""
        if operation.write:
            return operation.resolver(by_key=True)
        writes = map(self._contract.operation, self._contract.operations())
        return next((write.resolver(by_key=True) for write in writes if _settled_by(write) == operation.name), None)

    def _foreign_codes(self, prepared: Prepared) -> frozenset[str]:
        """Return the codes that the contract states for other operations of the same envelope, and not for this one."""
        operation, plan = prepared.operation, prepared.plan
        if plan.foreign is None:
            others = map(self._contract.operation, self._contract.operations())
            known = (
                other.refusal_codes | other.duplicate_codes | other.not_found_codes
                for other in others
                if other.envelope == operation.envelope
            )
            own = operation.refusal_codes | operation.duplicate_codes | operation.not_found_codes
            plan.foreign = frozenset[str]().union(*known) - own
        return plan.foreign

    def _result(self, prepared: Prepared, plan: RequestPlan, answer: Answer, inner: object) -> object:
        operation = prepared.operation
        assert plan.result is not None  # every operation of the client has a result
        at = f"/{plan.answered_in}" if plan.answered_in else ""
        trouble = Report()
        if type(inner) is dict:
            prepared.check_echoes(plan.result, inner)
            prepared.check_elements(inner, plan.constants)
            if plan.shows and answer_differs(plan.shows, prepared.payload, inner):
                facts = self._write_facts(prepared)
                other = {one.member: one.shown for one in differences(operation, facts["content"], inner)}
                raise AlreadyPlaced(reason="other_content", shown=other, attempts=answer.attempts, **facts)
            result = read(self._contract, plan.result, inner, at, trouble)
        else:
            result = None
            trouble.add(at, "required", "is required")
        violations = tuple(describe_violations(self._contract, operation.response, trouble))
        if not violations and self._settings.strict_answers:
            violations = tuple(answer.violations)
        if violations:
            if operation.write:
                raise UnreadableWrite(
                    raw=answer.raw, violations=violations, attempts=answer.attempts, **self._write_facts(prepared)
                )
            raise UnreadableAnswer(operation=operation.name, raw=answer.raw, violations=violations)
        setattr(result, "answer", answer)  # noqa: B010  # every result of an operation has this slot
        return result

    def no_answer(
        self,
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
        return OutcomeUnknown(
            reason=reason, code=code, attempts=attempts, unverified_hint=hint, **self._write_facts(prepared)
        )

    def _write_facts(self, prepared: Prepared) -> WriteFacts:
        """Return the facts that every error of a write states: its key, what it asked for, and what resolves it."""
        operation = prepared.operation
        return WriteFacts(
            operation=operation.name,
            key=prepared.key or "",
            resolve_with=_settled_by(operation),
            resolver=operation.resolver(),
            content=content_of(operation, prepared.payload),
        )

    def hint(self, prepared: Prepared, raw: RawAnswer, now: datetime) -> UnverifiedHint | None:
        """Return the code and message of an unverified answer, for people who look for a mistake; None without any."""
        # A gateway that refuses all calls may do so in the form of another operation.
        known = map(self._contract.operation, self._contract.operations())
        spellings = {
            (one.success_path, one.message_path): None for one in (prepared.operation, *known) if not one.inbound
        }
        hint = unverified_hint(raw.body, tuple(spellings))
        if hint is not None and hint.code in prepared.operation.clock_codes:
            hint.note = clock_note(clock_skew(raw.headers, now))
        return hint


def payload(operation: Operation, body: Mapping[str, JSON]) -> dict[str, JSON] | None:
    """Return the payload of an answer: the member that the contract names, else the whole; None if it is no object."""
    inner = body.get(operation.payloads[1]) if operation.payloads[1] else body
    return inner if type(inner) is dict else None


def _settled_by(operation: Operation) -> str | None:
    return operation.resolution.operation if operation.resolution is not None else None
