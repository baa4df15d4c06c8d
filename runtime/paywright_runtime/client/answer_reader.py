"""Decide whether an answer counts, without I/O: verified, readable, and about this request.

Only verified bytes are parsed. A success that is verified and cannot be read is raised here, as `UnreadableAnswer` or, of a write,
`UnreadableWrite`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from paywright_runtime import strict_json
from paywright_runtime.answer import Answer
from paywright_runtime.attempts import Attempt, UnverifiedHint
from paywright_runtime.client.outcomes import other_content, refusal, write_facts
from paywright_runtime.client.request_plan import Prepared, RequestPlan
from paywright_runtime.client.settings import BaseMerchant, ClientSettings
from paywright_runtime.client.unverified_parts import clock_note, clock_skew, unverified_hint
from paywright_runtime.contract.conversion import read
from paywright_runtime.contract.same_content import not_asked_for
from paywright_runtime.contract.validation import describe_violations
from paywright_runtime.contract.value_checks import Report, within
from paywright_runtime.errors import PaywrightError, UnreadableAnswer, UnreadableWrite
from paywright_runtime.json_value import JSON
from paywright_runtime.redaction import redacted
from paywright_runtime.signing.covered import header_values
from paywright_runtime.signing.rsa import SignatureProblem, VerifiedBytes, unsigned
from paywright_runtime.transport.api import RawAnswer, Unusable

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Struct
    from paywright_runtime.contract.operation import Operation


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
            return unsigned(raw.body)
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

    def slip(self, prepared: Prepared, raw: RawAnswer) -> str:
        """Return how an answer with a bad signature came to differ from what the gateway's key signed, in words; "" if that is unknown."""
        coding = "".join(raw.get_all("content-encoding"))
        if coding.lower() not in ("", "identity"):
            return f"Content-Encoding is {redacted(coding, 16)}, and the gateway signs what it does not encode"
        if prepared.plan.scheme is None or not prepared.plan.scheme.plain:
            return ""
        from paywright_runtime.signing.diagnosis import slip_by  # only what fails needs it

        found = slip_by(self._merchant.verifier, raw.body, raw.get_all(prepared.plan.signature)[0])
        return found[:1].lower() + found[1:]

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
        code, words = within(body, plan.code), within(body, plan.message_at)
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
                check_echoes(prepared, None, inner)
            if raw.surplus:
                raise Unusable("surplus")
            raise refusal(self._contract, prepared, answer, now)
        try:
            result = self._result(prepared, plan, answer, inner)
        except PaywrightError:
            if raw.surplus:
                raise Unusable("surplus") from None
            raise
        if raw.surplus and not prepared.bound:  # a bound answer shows the key that was asked for
            raise Unusable("surplus")
        return result

    def _result(self, prepared: Prepared, plan: RequestPlan, answer: Answer, inner: object) -> object:
        operation = prepared.operation
        assert plan.result is not None  # every operation of the client has a result
        at = f"/{plan.answered_in}" if plan.answered_in else ""
        trouble = Report()
        if type(inner) is dict:
            check_echoes(prepared, plan.result, inner)
            check_elements(prepared, inner, plan.constants)
            if plan.shows and (placed := other_content(prepared, inner, answer.attempts)) is not None:
                raise placed
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
                    raw=answer.raw, violations=violations, attempts=answer.attempts, **write_facts(prepared)
                )
            raise UnreadableAnswer(operation=operation.name, raw=answer.raw, violations=violations)
        setattr(result, "answer", answer)  # noqa: B010  # every result of an operation has this slot
        return result

    def hint(self, prepared: Prepared, raw: RawAnswer, now: datetime) -> UnverifiedHint | None:
        """Return the code and message of an unverified answer, for people who look for a mistake; None without any."""
        # A gateway that refuses all calls may do so in the form of another operation.
        known = map(self._contract.operation, self._contract.operations())
        spellings = {
            (one.success_path, one.message_path): None for one in (prepared.operation, *known) if not one.inbound
        }
        hint = unverified_hint(raw.body, tuple(spellings))
        if hint is not None and hint.code in prepared.operation.clock_codes:
            return hint._replace(note=clock_note(clock_skew(raw.headers, now)))
        return hint


def check_echoes(prepared: Prepared, struct: Struct | None, data: Mapping[str, object]) -> None:
    """Raise `Unusable` if `data` repeats another key than was sent; `struct` is None for a refusal, which need not repeat it."""
    for name, sent in prepared.echoes:
        echoed = data.get(name)
        field = struct.by_wire.get(name) if struct is not None else None
        if echoed is None or echoed == "":
            # Where the contract lets the echo be absent, the connection alone binds the answer.
            if field is not None and field.required:
                raise Unusable("wrong_echo")
            continue
        same = type(echoed) is str and echoed == sent
        if not same and prepared.operation.key_ignores_case and type(echoed) is str and echoed.isascii():
            same = echoed.lower() == sent.lower()
        if not same:
            raise Unusable("wrong_echo")
        prepared.bound = True


def check_elements(prepared: Prepared, data: Mapping[str, object], around: Mapping[str, object]) -> None:
    """Raise `Unusable` if an element of a list in `data` is about another thing than was asked for."""
    if not prepared.operation.each_echoes:
        return
    if next(not_asked_for(prepared.operation, prepared.payload, around, data), None) is not None:
        raise Unusable("wrong_echo")
    for name, member, among in prepared.operation.each_echoes:
        sent, elements = prepared.payload.get(member), data.get(name)
        # What other requests ask for too binds nothing: one of several, or a number of the merchant's.
        if not among and type(sent) is str and type(elements) is list:
            prepared.bound = prepared.bound or any(type(each) is dict and each.get(member) == sent for each in elements)


def payload(operation: Operation, body: Mapping[str, JSON]) -> dict[str, JSON] | None:
    """Return the payload of an answer: the member that the contract names, else the whole; None if it is no object."""
    inner = body.get(operation.payloads[1]) if operation.payloads[1] else body
    return inner if type(inner) is dict else None
