"""Plan the requests of one operation for one merchant, fill the plan with arguments, check and sign them, without I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.client.settings import BaseMerchant, ClientSettings, missing
from paywright_runtime.contract.amount_guards import Guards
from paywright_runtime.contract.conversion import Writer, time_writer, unknown_members, writers
from paywright_runtime.contract.index import Contract, nearest
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import describe_violations, find_half_pairs, judge
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.errors import ContractViolation, InvalidArgument
from paywright_runtime.redaction import redacted
from paywright_runtime.signing.covered import Scheme
from paywright_runtime.signing.rsa import Signer, signed
from paywright_runtime.transport.api import SignedRequest
from paywright_runtime.version import VERSION

if TYPE_CHECKING:
    from paywright_runtime.contract.model import Field, Struct
    from paywright_runtime.signing.bank_signatures import CallSignature


@dataclass(slots=True, eq=False, repr=False)
class Prepared:
    """A signed request, with the values that identify its answer.

    `bound` is True once the answer has repeated what only this request asked for: it is the answer to this request.
    """

    plan: RequestPlan
    operation: Operation
    request: SignedRequest
    key: str | None
    echoes: Sequence[tuple[str, str]]
    payload: Mapping[str, object]
    warnings: Sequence[Violation]
    bound: bool = False


_SOME_TIME: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_USER_AGENT: Final = f"paywright/{VERSION}"

# The sources of a member or a header of a request.
_CONSTANT, _ARGUMENT, _CLOCK, _DATA, _DIGITS, _SIGNED, _SIGNED_LATE, _CHOSEN = range(8)
_Step = tuple[str, int, object]


class EnvelopeBytes(NamedTuple):
    """The bytes of a request around its data; only the time in them changes from request to request."""

    write_time: Callable[[datetime], str]
    before: bytes
    between: bytes
    behind: bytes

    def around(self, data: bytes, now: datetime) -> bytes:
        """Return the whole request."""
        return b"".join((self.before, self.write_time(now).encode(), self.between, data, self.behind))


class RequestPlan:
    """Plan of one operation's requests for one merchant, made at its first call.

    With an `envelope`, which the constructor has validated, `validate` checks the data; without one, the whole request.
    """

    def __init__(
        self, contract: Contract, operation: Operation, merchant: BaseMerchant, settings: ClientSettings
    ) -> None:
        self.foreign: frozenset[str] | None = None
        absent: list[str] = []
        self.path: str = settings.paths.get(operation.name) or operation.path or ""
        if not self.path:
            absent.append(f"paths[{operation.name}]")
        root = contract.struct(operation.request)
        self.message: str = root.name
        self.root: list[_Step] = _steps(contract, root, operation, merchant, absent)
        self.constants: dict[str, object] = {name: what for name, how, what in self.root if how == _CONSTANT}
        self.data: list[_Step] = (
            _steps(contract, contract.struct(operation.data), operation, merchant, absent) if operation.data else []
        )
        self.arguments: dict[str, str] = {name: "" for name, how, _ in (*self.root, *self.data) if how == _ARGUMENT}
        self.headers: list[_Step] = [("Accept", _CONSTANT, "application/json"), ("User-Agent", _CONSTANT, _USER_AGENT)]
        if operation.request_headers:
            for field in contract.struct(operation.request_headers).fields:
                self.headers += _filled_in(contract, field, operation, merchant, absent)
        if all(name.lower() != "content-type" for name, _, _ in self.headers):
            self.headers.append(("Content-Type", _CONSTANT, "application/json"))
        self.headers.sort(
            key=lambda step: step[1] in (_SIGNED_LATE, _CHOSEN)
        )  # what covers other headers comes after them
        if absent:
            raise missing(absent, type(merchant))
        answered = contract.struct(operation.response_headers) if operation.response_headers else None
        signed = answered.signed_by() if answered is not None else None
        self.signature: str = "" if signed is None else signed[0].wire
        self.may_be_unsigned: bool = signed is not None and not signed[0].required
        self.scheme: Scheme | None = Scheme(*contract.signature(signed[1])) if signed is not None else None
        asked_in, answered_in = operation.payloads
        self.answered_in: str = answered_in
        self.at: str = f"/{asked_in}" if asked_in else ""
        self.code: tuple[str, ...] = operation.success_path
        self.message_at: tuple[str, ...] = operation.message_path
        self.yes: str = operation.succeeds[1] if operation.succeeds is not None else ""
        self.envelope: EnvelopeBytes | None = _envelope(contract, root, self.root, self.at)
        self.validate: Callable[[dict[str, object], str, Report], None] = contract.validator(
            (operation.data if self.envelope is not None else None) or root.name
        )
        self.guards: Guards = Guards(contract, operation.data or operation.request, operation.guards)
        self.result: Struct | None = contract.struct(operation.result) if operation.result else None
        self.find_violations: partial[list[Violation]] = partial(
            judge, contract, operation.name, "response", parsed=True, read=True
        )
        self.find_unknown: partial[list[str]] = partial(unknown_members, contract, contract.struct(operation.response))
        shown = self.result.by_wire if self.result is not None else {}
        # Whether the answer of the write itself shows what was asked for.
        self.shows: bool = any(each.answered_path[0] in shown for each in operation.shows)


def _filled_in(
    contract: Contract, field: Field, operation: Operation, merchant: BaseMerchant, absent: list[str]
) -> Iterator[_Step]:
    """Yield the step that fills in a member or a header, if it is no argument and known; add the name of a missing number to `absent`."""
    kind, _, name = (field.source or "").partition(".")
    if field.sends is not None:
        yield field.wire, _CONSTANT, field.sends
    elif kind == "clock":
        yield field.wire, _CLOCK, time_writer(field)
    elif kind == "digits":
        yield field.wire, _DIGITS, int(name)
    elif kind == "signature":
        scheme = Scheme(*contract.signature(name))
        yield field.wire, _SIGNED if scheme.plain else _SIGNED_LATE, scheme
    elif kind == "operation" and operation.version is not None:
        yield field.wire, _CONSTANT, operation.version
    elif kind == "merchant":
        value = cast(object, getattr(merchant, name))
        if value is not None:
            yield field.wire, _CHOSEN if name in merchant.CHOICES else _CONSTANT, value
        elif field.required:
            absent.append(name)


def _steps(
    contract: Contract, struct: Struct, operation: Operation, merchant: BaseMerchant, absent: list[str]
) -> list[_Step]:
    steps: list[_Step] = []
    for field, writer in zip(struct.fields, writers(contract, struct), strict=True):
        parts = contract.struct(field.of or "").fields if field.kind == "struct" and not field.array else ()
        if field.wire == operation.payloads[0] and operation.data and struct.name == operation.request:
            steps.append((field.wire, _DATA, None))
        elif field.sends is not None or field.source is not None:
            steps += _filled_in(contract, field, operation, merchant, absent)
        elif parts and all(part.sends is not None for part in parts):
            steps.append((field.wire, _CONSTANT, {part.wire: part.sends for part in parts}))
        else:
            steps.append((field.wire, _ARGUMENT, writer))
    return steps


def _envelope(contract: Contract, root: Struct, steps: list[_Step], at: str) -> EnvelopeBytes | None:
    """Return the envelope; None if it breaks the contract, holds arguments or several times, or has rules about the whole."""
    if root.rules or [how for _, how, _ in steps if how != _CONSTANT] != [_CLOCK, _DATA]:
        return None
    report = Report()
    write_time = next(cast("Callable[[datetime], str]", what) for _, how, what in steps if how == _CLOCK)
    whole = fill(steps, {}, _SOME_TIME, {}, "", report)
    contract.validator(root.name)(whole, "", report)
    if any(not pointer.startswith(f"{at}/") for pointer, _, _ in report.found):
        return None
    try:
        before, between = strict_json.write(whole).split(write_time(_SOME_TIME).encode())
    except (ValueError, strict_json.JsonProblem):
        return None
    member = f'"{at[1:]}":'.encode()
    between, behind = between.split(member + b"{}")
    return EnvelopeBytes(write_time, before, between + member, behind)


def fill(
    steps: list[_Step],
    values: Mapping[str, object],
    now: datetime,
    data: dict[str, object] | None,
    at: str,
    report: Report,
) -> dict[str, object]:
    """Return the object that the steps make of the arguments; report values that cannot be written, at pointers under `at`."""
    wire: dict[str, object] = {}
    for name, how, what in steps:
        if how == _ARGUMENT:
            value = values.get(name)
            if value is not None:
                # Most values are plain text, which needs no writer.
                wire[name] = value if type(value) is str else cast(Writer, what)(value, f"{at}/{name}", report)
        elif how == _CONSTANT:
            wire[name] = what
        elif how == _CLOCK:
            wire[name] = cast("Callable[[datetime], str]", what)(now)
        elif how == _DIGITS:
            wire[name] = random_digits(cast(int, what))
        else:
            wire[name] = data
    return wire


def random_digits(count: int) -> str:
    """Return that many random digits, for a member that must differ in every attempt."""
    from secrets import randbelow

    return f"{randbelow(10**count):0{count}d}"


def header_pairs(
    steps: list[_Step], signer: Signer, path: str, body: bytes, now: datetime
) -> tuple[tuple[str, str], ...]:
    """Return the headers of a request. Its signature covers `body` and, where the contract says so, path and other headers."""
    headers: list[tuple[str, str]] = []
    time = ""
    for name, how, what in steps:
        if how == _CONSTANT:
            headers.append((name, cast(str, what)))
        elif how == _SIGNED:
            headers.append((name, signed(signer, body)))
        elif how == _CLOCK:
            time = cast("Callable[[datetime], str]", what)(now)
            headers.append((name, time))
        elif how == _DIGITS:
            headers.append((name, random_digits(cast(int, what))))
        elif how == _CHOSEN:
            headers += cast("CallSignature", what).headers("POST", path, body, time).items()
        else:
            values = {name.lower(): value for name, value in headers}
            headers.append((name, cast(Scheme, what).sign(signer, "POST", path, body, values)))
    return tuple(headers)


def add_extra(struct: Struct, wire: dict[str, object], extra: Mapping[str, object]) -> None:
    """Add members newer than the contract to `wire`. Raises `InvalidArgument` for names that the contract has, in any letter case."""
    known = {
        each.lower(): field for field in struct.fields for each in (field.wire, field.python, field.also or field.wire)
    }
    for name, value in extra.items():
        if (field := known.get(str(name).lower())) is not None:
            raise InvalidArgument(
                f"extra is for members newer than the contract, and {field.wire} is one of its own: "
                f"pass {field.python}=... instead. Nothing was sent."
            )
        wire[name] = value


class RequestBuilder:
    """Builds the requests of one merchant."""

    def __init__(self, contract: Contract, merchant: BaseMerchant, settings: ClientSettings) -> None:
        self.contract = contract
        self.merchant = merchant
        self.settings = settings
        self._plans: dict[str, RequestPlan] = {}

    def _plan(self, operation: Operation) -> RequestPlan:
        plan = self._plans.get(operation.name)
        if plan is None:
            plan = self._plans[operation.name] = RequestPlan(self.contract, operation, self.merchant, self.settings)
        return plan

    def check_names(self, operation: Operation, values: Mapping[str, object]) -> None:
        """Raise `InvalidArgument` for names in `values` that the operation does not take; nothing has been sent then."""
        taken = self._plan(operation).arguments
        strange = [name for name in values if name not in taken]
        if strange:
            named = ", ".join(redacted(str(name), 64) for name in strange)
            raise InvalidArgument(
                f"{operation.name} does not take {named}. Nothing was sent.{nearest(str(strange[0]), taken)} Members newer than "
                "the contract go into extra."
            )

    def build(
        self, operation: Operation, values: Mapping[str, object], extra: Mapping[str, object] | None, now: datetime
    ) -> Prepared:
        """Sign a request. Raises `MissingSetting` or `ContractViolation`; nothing has been sent then."""
        plan = self._plan(operation)
        report = Report()
        data = fill(plan.data, values, now, None, plan.at, report) if operation.data else None
        # With an envelope only the data changes from request to request; without one, the whole.
        if plan.envelope is not None and data is not None:
            body, at = data, plan.at
        else:
            body, at = fill(plan.root, values, now, data, "", report), ""
        inner = body if data is None else data
        if extra:
            add_extra(self.contract.struct(operation.data or operation.request), inner, extra)
        key = inner.get(operation.key) if operation.key else None
        useless = not self._check_key(operation, key, plan.at, report)
        warnings: list[Violation] = []
        if self.settings.validation != "off":
            plan.validate(body, at, report)
            plan.guards.check(inner, plan.at, report)
        if report.found:
            find_half_pairs(body, at, report)
            warnings = list(dict.fromkeys(describe_violations(self.contract, plan.message, report)))
            reported = self.settings.validation == "report" and not useless
            if not reported or any(found[1] == "type" for found in report.found):
                raise self._violation(operation, warnings)
        raw = self._write(operation, plan, body, at)
        question = hash((operation.name, key if type(key) is str else raw))
        if plan.envelope is not None:
            raw = plan.envelope.around(raw, now)
        headers = header_pairs(plan.headers, self.merchant.signer, plan.path, raw, now)
        request = SignedRequest(plan.path, headers, raw, question)
        echoes = [(name, text) for name in operation.echoes if type(text := inner.get(name)) is str and text]
        return Prepared(plan, operation, request, key if type(key) is str else None, echoes, inner, warnings)

    def _check_key(self, operation: Operation, key: object, at: str, report: Report) -> bool:
        """Return whether a key can settle its write. Report one that cannot: it is refused under all settings."""
        resolution, pointer = operation.resolution, f"{at}/{operation.key}"
        longest = None if resolution is None else resolution.longest_key
        if (key is None or (isinstance(key, str) and not key.strip())) and operation.write:
            report.add(
                pointer,
                "required",
                "is required and must not be blank: only with it can this call be repeated or settled",
            )
        elif resolution is not None and longest is not None and isinstance(key, str) and len(key) > longest:
            query = f"{resolution.operation} cannot ask for it"
            report.add(pointer, "max", f"has {len(key)} characters, and {query}: at most {longest} are sent")
        else:
            return True
        return False

    def _write(self, operation: Operation, plan: RequestPlan, body: dict[str, object], at: str) -> bytes:
        try:
            return strict_json.write(body, around=1 if at else 0)
        except strict_json.JsonProblem as problem:
            code = "type" if problem.why in ("float", "type", "key") else "json"
            report = Report()
            report.add(at + problem.pointer, code, f"cannot be written as JSON: {strict_json.WHY[problem.why]}")
        raise self._violation(operation, describe_violations(self.contract, plan.message, report))

    def _violation(self, operation: Operation, violations: Sequence[Violation]) -> ContractViolation:
        resolver = operation.resolver(by_key=True)
        return ContractViolation(
            operation=operation.name, violations=tuple(violations), write=operation.write, resolver=resolver
        )
