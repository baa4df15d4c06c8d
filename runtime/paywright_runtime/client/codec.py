"""One call, without I/O: arguments to a signed request, and an answer's bytes to a result.

`build` and `read` know nothing of sockets, threads or sleeping; `client` drives them. Only verified bytes are ever parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from paywright_runtime import formats, strict_json
from paywright_runtime.answer import Answer
from paywright_runtime.attempts import Attempt, UnverifiedHint
from paywright_runtime.errors import (
    AlreadyPlaced,
    ContractViolation,
    GatewayError,
    InvalidArgument,
    NoAnswer,
    OutcomeUnknown,
    PaywrightError,
    UnreadableAnswer,
)
from paywright_runtime.exchange import SignedRequest, Unusable
from paywright_runtime.facts import nearest
from paywright_runtime.guards import check_guards
from paywright_runtime.hints import unverified_hint
from paywright_runtime.redact import shown
from paywright_runtime.request_content import answer_differs
from paywright_runtime.settings import ClientSettings, Merchant, missing
from paywright_runtime.signatures import SignatureProblem, UnsignedAnswers, VerifiedBytes
from paywright_runtime.skew import clock_note, clock_skew
from paywright_runtime.validation import find_half_pairs
from paywright_runtime.version import VERSION
from paywright_runtime.violations import Report, Violation
from paywright_runtime.wire import Writer, read, writers

if TYPE_CHECKING:
    from paywright_runtime.exchange import RawAnswer
    from paywright_runtime.facts import Contract, Field, Operation, Struct
    from paywright_runtime.strict_json import JSON

__all__ = ["Core", "Prepared", "payload"]

_USER_AGENT: Final = f"paywright/{VERSION}"

# How a member of a request comes about.
_CONSTANT, _ARGUMENT, _CLOCK, _DATA = range(4)
_Step = tuple[str, int, object]


class Prepared:
    """A request that is signed and ready, with what is needed to recognise its answer.

    `bound` says that the answer repeated what only this request had asked for: nothing else can have been meant by it.
    """

    __slots__ = ("bound", "echoes", "key", "operation", "payload", "request", "warnings")

    def __init__(
        self,
        operation: Operation,
        request: SignedRequest,
        key: str | None,
        echoes: Sequence[tuple[str, str]],
        payload: Mapping[str, object],
        warnings: Sequence[Violation],
    ) -> None:
        self.operation = operation
        self.request = request
        self.key = key
        self.echoes = echoes
        self.payload = payload
        self.warnings = warnings
        self.bound = False


class _Plan:
    """How one operation's requests are put together for one merchant, worked out at its first call."""

    __slots__ = ("data", "foreign", "headers", "message", "path", "result", "root", "shows", "validate")

    def __init__(self, contract: Contract, operation: Operation, merchant: Merchant, settings: ClientSettings) -> None:
        self.foreign: frozenset[str] | None = None
        absent: list[str] = []
        self.path = settings.paths.get(operation.name) or operation.path or ""
        if not self.path:
            absent.append(f"paths[{operation.name}]")
        root = contract.struct(operation.asks)
        self.message = root.name
        self.root = _steps(contract, root, operation, merchant, absent)
        self.data = (
            _steps(contract, contract.struct(operation.data), operation, merchant, absent) if operation.data else []
        )
        headers = contract.struct(operation.request_headers).fields if operation.request_headers else ()
        self.headers: list[tuple[str, str, str | None]] = [("Accept", "constant", "application/json")]
        self.headers.append(("User-Agent", "constant", _USER_AGENT))
        for field in headers:
            source = field.source or "constant"
            text = _number(merchant, source, field, absent) if source.startswith("merchant.") else field.sends
            if source == "snap.signature" and merchant.snap_signature is None:
                absent.append("snap_signature")
            if text is not None or not source.startswith(("merchant.", "constant")):
                self.headers.append((field.wire, source, text))
        if all(name.lower() != "content-type" for name, _, _ in self.headers):
            self.headers.append(("Content-Type", "constant", "application/json"))
        if absent:
            raise missing(absent)
        self.validate = contract.validator(root.name)
        self.result = contract.struct(operation.result) if operation.result else None
        shown = self.result.by_wire if self.result is not None else {}
        self.shows = tuple(each for each in operation.shows if each.answered_path[0] in shown)


def _number(merchant: Merchant, source: str, field: Field, absent: list[str]) -> str | None:
    name = source.removeprefix("merchant.")
    value = cast("str | None", getattr(merchant, name))
    if value is None and field.required:
        absent.append(name)
    return value


def _steps(
    contract: Contract, struct: Struct, operation: Operation, merchant: Merchant, absent: list[str]
) -> list[_Step]:
    steps: list[_Step] = []
    for field, writer in zip(struct.fields, writers(contract, struct), strict=True):
        if field.wire == "data" and operation.data:
            steps.append((field.wire, _DATA, None))
        elif field.sends is not None:
            steps.append((field.wire, _CONSTANT, field.sends))
        elif field.source == "clock":
            steps.append((field.wire, _CLOCK, None))
        elif field.source is not None:
            value = (
                operation.version
                if field.source == "operation.version"
                else _number(merchant, field.source, field, absent)
            )
            if value is not None:
                steps.append((field.wire, _CONSTANT, value))
        elif field.kind == "struct" and all(
            inner.sends is not None for inner in contract.struct(field.of or "").fields
        ):
            constants = {inner.wire: inner.sends for inner in contract.struct(field.of or "").fields}
            steps.append((field.wire, _CONSTANT, constants))
        else:
            steps.append((field.wire, _ARGUMENT, writer))
    return steps


class Core:
    """Builds requests and reads answers for one merchant."""

    def __init__(self, contract: Contract, merchant: Merchant, settings: ClientSettings) -> None:
        self.contract = contract
        self.merchant = merchant
        self.settings = settings
        self._plans: dict[str, _Plan] = {}

    def _plan(self, operation: Operation) -> _Plan:
        plan = self._plans.get(operation.name)
        if plan is None:
            plan = self._plans[operation.name] = _Plan(self.contract, operation, self.merchant, self.settings)
        return plan

    # Building

    def check_names(self, operation: Operation, values: Mapping[str, object]) -> None:
        """Raise `InvalidArgument` for the names in `values` that the operation does not take; nothing has been sent then."""
        plan = self._plan(operation)
        taken = {name: "" for name, how, _ in (*plan.root, *plan.data) if how == _ARGUMENT}
        strange = [name for name in values if name not in taken]
        if strange:
            named = ", ".join(shown(str(name), 64) for name in strange)
            raise InvalidArgument(
                f"{operation.name} does not take {named}. Nothing was sent.{nearest(str(strange[0]), taken)} Members newer than "
                "the contract go into extra."
            )

    def build(
        self, operation: Operation, values: Mapping[str, object], extra: Mapping[str, object] | None, now: datetime
    ) -> Prepared:
        """Sign a request. Raises `MissingSetting` or `ContractViolation`; nothing has been sent then."""
        plan = self._plan(operation)
        bad = Report()
        time = formats.write_request_time(now)
        data = _fill(plan.data, values, time, None, "/data", bad) if operation.data else None
        root = _fill(plan.root, values, time, data, "", bad)
        inner = root if data is None else data
        if extra:
            _add_extra(self.contract.struct(operation.data or operation.asks), inner, extra)
        key = inner.get(operation.key) if operation.key else None
        if operation.resolution is not None and operation.resolution.longest_key is not None:
            self._check_key_length(operation, key, "" if data is None else "/data", bad)
        warnings: list[Violation] = []
        if self.settings.validation != "off":
            plan.validate(root, "", bad)
            if operation.guards:
                check_guards(operation.guards, inner, "" if data is None else "/data", bad)
        if bad.found:
            find_half_pairs(root, "", bad)
            warnings = _unique(bad.violations(self.contract, plan.message))
            if self.settings.validation != "report" or any(found[1] == "type" for found in bad.found):
                raise ContractViolation(operation=operation.name, violations=warnings)
        body = self._write(operation, plan, root)
        request = SignedRequest(plan.path, self._headers(plan, body, time), body)
        echoes = [(name, text) for name in operation.echoes if type(text := inner.get(name)) is str and text]
        return Prepared(operation, request, key if type(key) is str else None, echoes, inner, warnings)

    def _check_key_length(self, operation: Operation, key: object, at: str, bad: Report) -> None:
        limit = self.settings.max_order_key
        if type(key) is str and len(key) > limit:
            query = operation.resolution.operation if operation.resolution else None
            bad.add(
                f"{at}/{operation.key}",
                "max",
                f"has {len(key)} characters, and {query} could never ask for it: at most {limit} are sent "
                f"under the setting max_order_key={limit}",
            )

    def _write(self, operation: Operation, plan: _Plan, root: dict[str, object]) -> bytes:
        try:
            return strict_json.write(cast("strict_json.JSON", root))
        except strict_json.JsonProblem as problem:
            code = "type" if problem.why in ("float", "type", "key") else "json"
            bad = Report()
            bad.add(problem.pointer, code, f"cannot be written as JSON: {strict_json.WHY[problem.why]}")
        raise ContractViolation(operation=operation.name, violations=bad.violations(self.contract, plan.message))

    def _headers(self, plan: _Plan, body: bytes, time: str) -> tuple[tuple[str, str], ...]:
        headers: list[tuple[str, str]] = []
        for name, source, text in plan.headers:
            if text is not None:
                headers.append((name, text))
            elif source == "signature":
                headers.append((name, self.merchant.signer.sign(body)))
            elif source == "clock":
                headers.append((name, time))
            elif source == "snap.external_id":
                from secrets import randbelow

                headers.append((name, f"{randbelow(10**30):030d}"))  # unique within the day [4.17]
            else:
                assert self.merchant.snap_signature is not None  # the plan has asked for it
                headers += self.merchant.snap_signature.headers("POST", plan.path, body, time).items()
        return tuple(headers)

    # Reading

    def verify(self, prepared: Prepared, raw: RawAnswer) -> VerifiedBytes:
        """The answer's bytes, once exactly one valid signature covers them [5.4]. Raises `Unusable`."""
        if raw.status != 200:
            raise Unusable("redirect" if 300 <= raw.status < 400 else "http_status")
        signatures = raw.get_all("sign")
        if not signatures and self.settings.snap_answers == "unsigned" and prepared.operation.envelope == "snap":
            return UnsignedAnswers().verify(raw.body, "")
        if len(signatures) != 1:
            raise Unusable("several_signatures" if signatures else "unsigned")
        try:
            return self.merchant.verifier.verify(raw.body, signatures[0])
        except SignatureProblem as problem:
            reason = problem.reason
        raise Unusable(reason)

    def read(
        self,
        prepared: Prepared,
        verified: VerifiedBytes,
        raw: RawAnswer,
        attempts: Sequence[Attempt],
        now: Callable[[], datetime],
    ) -> object:
        """The result of a verified answer. Raises `Unusable` where it is no answer to this request, else one of the tree."""
        operation = prepared.operation
        try:
            body = strict_json.parse(verified.raw)
        except strict_json.JsonProblem:
            body = None
        if body is None:
            raise Unusable("not_json")
        if type(body) is not dict:
            raise Unusable("not_an_object")
        member, yes = operation.succeeds or ("code", "")
        code = body.get(member)
        if type(code) is not str:
            raise Unusable("no_code")
        words = body.get("msg") or body.get("message") or body.get("responseMessage")
        answer = Answer(
            self.contract,
            operation,
            code=code,
            msg=words if type(words) is str else "",
            raw=verified.raw,
            body=body,
            request=prepared.request.body,
            headers=raw.headers,
            attempts=attempts,
            warnings=prepared.warnings,
        )
        if code != yes:
            inner = payload(self.contract, operation, body)
            if inner is not None:
                _compare_echoes(prepared, None, inner)
            raise self.refusal(prepared, answer, now)
        return self._result(prepared, answer, body)

    def refusal(self, prepared: Prepared, answer: Answer, now: Callable[[], datetime]) -> PaywrightError:
        """What a verified code other than success means for this operation. Raises `Unusable` for a code of another one."""
        operation = prepared.operation
        if answer.code in self._foreign_codes(operation):
            raise Unusable("foreign_code", answer.code)
        if operation.write and answer.code not in operation.refuses:
            kind, reason = (
                (AlreadyPlaced, "already_placed")
                if answer.code in operation.repeats
                else (OutcomeUnknown, "unproven_code")
            )
            return kind(
                operation=operation.name,
                reason=reason,
                key=prepared.key,
                code=answer.code,
                attempts=answer.attempts,
                resolve_with=_settled_by(operation),
                resolver=operation.resolver(content=kind is AlreadyPlaced),
            )
        skew, note = None, ""
        if answer.code in operation.stale:
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
            write=operation.write,
            not_there=answer.code in operation.absent,
            resolver=self._resolver(operation),
        )

    def _resolver(self, operation: Operation) -> str | None:
        """The method that settles an unknown call of this write, or of the writes that this query settles."""
        if operation.write:
            return operation.resolver()
        writes = map(self.contract.operation, self.contract.operations())
        return next((write.resolver() for write in writes if _settled_by(write) == operation.name), None)

    def _foreign_codes(self, operation: Operation) -> frozenset[str]:
        """Codes by which the contract knows other operations of the same form, and never this one."""
        plan = self._plan(operation)
        if plan.foreign is None:
            others = map(self.contract.operation, self.contract.operations())
            known = (other.refuses | other.repeats | other.absent for other in others if not other.inbound)
            own = operation.refuses | operation.repeats | operation.absent
            plan.foreign = frozenset[str]().union(*known) - own
        return plan.foreign

    def _result(self, prepared: Prepared, answer: Answer, body: dict[str, strict_json.JSON]) -> object:
        operation = prepared.operation
        plan = self._plan(operation)
        assert plan.result is not None  # every operation of the client has a result
        inner = payload(self.contract, operation, body)
        at = "" if inner is body else "/data"
        trouble = Report()
        if inner is not None:
            _compare_echoes(prepared, plan.result, inner)
            _compare_elements(prepared, inner)
            if plan.shows and answer_differs(plan.shows, prepared.payload, inner):
                raise self.unknown(prepared, "other_content", answer.attempts)
            result = read(self.contract, plan.result, inner, at, trouble)
        else:
            result = None
            trouble.add(at, "required", "is required")
        violations = trouble.violations(self.contract, operation.answers)
        if not violations and self.settings.strict_answers:
            violations = answer.violations
        if violations:
            raise UnreadableAnswer(
                operation=operation.name,
                raw=answer.raw,
                violations=violations,
                write=operation.write,
                key=prepared.key,
                resolver=operation.resolver(),
            )
        setattr(result, "answer", answer)  # noqa: B010  # every result of an operation has this slot
        return result

    def no_answer(
        self,
        prepared: Prepared,
        reason: str,
        attempts: Sequence[Attempt],
        *,
        code: str | None = None,
        hint: UnverifiedHint | None = None,
    ) -> PaywrightError:
        """The error for a request that left and has no verified answer of its own."""
        if prepared.operation.write:
            return self.unknown(prepared, reason, attempts, code=code, hint=hint)
        return NoAnswer(operation=prepared.operation.name, reason=reason, attempts=attempts, unverified_hint=hint)

    def unknown(
        self,
        prepared: Prepared,
        reason: str,
        attempts: Sequence[Attempt],
        *,
        code: str | None = None,
        hint: UnverifiedHint | None = None,
    ) -> OutcomeUnknown:
        """The error for a write of which nobody here knows what became."""
        return OutcomeUnknown(
            operation=prepared.operation.name,
            reason=reason,
            key=prepared.key,
            code=code,
            attempts=attempts,
            unverified_hint=hint,
            resolve_with=_settled_by(prepared.operation),
            resolver=prepared.operation.resolver(),
        )

    def hint(self, prepared: Prepared, raw: RawAnswer, now: datetime) -> UnverifiedHint | None:
        """What an answer that could not be verified appears to say, for people."""
        hint = unverified_hint(raw.body)
        if hint is not None and hint.code in prepared.operation.stale:
            hint.note = clock_note(clock_skew(raw.headers, now))
        return hint


def payload(contract: Contract, operation: Operation, body: Mapping[str, JSON]) -> dict[str, JSON] | None:
    """What an answer is about: its member `data` where the form has one, else the whole; None where there is no object."""
    wrapped = operation.result != operation.answers and "data" in contract.struct(operation.answers).by_wire
    inner = body.get("data") if wrapped else body
    return inner if type(inner) is dict else None


def _fill(
    steps: list[_Step], values: Mapping[str, object], time: str, data: dict[str, object] | None, at: str, bad: Report
) -> dict[str, object]:
    wire: dict[str, object] = {}
    for name, how, what in steps:
        if how == _ARGUMENT:
            value = values.get(name)
            if value is not None:
                # Text that is text already is most of a message.
                wire[name] = value if type(value) is str else cast(Writer, what)(value, f"{at}/{name}", bad)
        elif how == _CONSTANT:
            wire[name] = what
        else:
            wire[name] = time if how == _CLOCK else data
    return wire


def _add_extra(struct: Struct, wire: dict[str, object], extra: Mapping[str, object]) -> None:
    for name, value in extra.items():
        if name in struct.by_wire:
            raise InvalidArgument(
                f"extra is for members newer than the contract, and {name} is one of its own: "
                f"pass {struct.by_wire[name].python}=... instead. Nothing was sent."
            )
        wire[name] = value


def _unique(violations: list[Violation]) -> list[Violation]:
    return list(dict.fromkeys(violations))


def _settled_by(operation: Operation) -> str | None:
    return operation.resolution.operation if operation.resolution is not None else None


def _compare_echoes(prepared: Prepared, struct: Struct | None, data: Mapping[str, object]) -> None:
    """Raise `Unusable` if `data` repeats another key than was sent; `struct` is None for a refusal, which may repeat none."""
    for name, sent in prepared.echoes:
        echoed = data.get(name)
        field = struct.by_wire.get(name) if struct is not None else None
        if echoed is None or echoed == "":
            # Where the contract lets the echo be absent, the connection alone binds the answer.
            if field is not None and field.required:
                raise Unusable("wrong_echo")
            continue
        same = echoed == sent
        if not same and prepared.operation.key_ignores_case and type(echoed) is str and echoed.isascii():
            same = echoed.lower() == sent.lower()
        if not same:
            raise Unusable("wrong_echo")
        prepared.bound = True


def _compare_elements(prepared: Prepared, data: Mapping[str, object]) -> None:
    """Raise `Unusable` if an element of a list in `data` is about something else than was asked for."""
    for name, member in prepared.operation.each_echoes:
        sent, elements = prepared.payload.get(member), data.get(name)
        if type(sent) is not str or type(elements) is not list:
            continue
        repeated = [each.get(member) for each in elements if type(each) is dict]
        if any(each not in (None, "", sent) for each in repeated):
            raise Unusable("wrong_echo")
        if sent in repeated:
            prepared.bound = True
