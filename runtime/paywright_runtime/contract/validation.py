"""Judge a wire message by the contract, whoever wrote it, and compose the messages of violations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, cast

from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.contract import formats
from paywright_runtime.contract.conversion import report_unread_times
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.strict_json.errors import HALF, MAX_DEPTH, CutText, escaped, has_half_pair

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct
    from paywright_runtime.contract.operation import Operation

Headers = Mapping[str, str] | Iterable[tuple[str, str]]


def judge(
    contract: Contract,
    operation: str,
    message: str,
    body: object,
    headers: Headers | None = None,
    now: datetime | None = None,
    *,
    parsed: bool = False,
    read: bool = False,
) -> list[Violation]:
    """Return all violations of one message, in the contract's order; see the generated `validate`.

    `parsed` is True if `strict_json` has read `body` from bytes: then every text in it is valid in JSON. `read` is True if
    `body` is read into a model: then times that cannot be read, which are None there, and texts that were cut are violations too.
    """
    facts = contract.operation(operation)
    struct = facts.message(message)
    if struct is None:
        raise InvalidArgument(f"{operation} has no message {message!r}; it has {' and '.join(facts.roles)}.")
    report = Report()
    if isinstance(body, bytes):
        try:
            body, repeated = strict_json.parse_reporting(body)
        except strict_json.JsonProblem as problem:
            return [Violation("", "json", f"is not strict JSON: {strict_json.WHY[problem.why]}")]
        for pointer in repeated:
            report.add(pointer, "duplicate", "appears more than once")
    elif not parsed:
        find_half_pairs(body, "", report)
    if type(body) is dict:
        contract.validator(struct)(cast("dict[str, object]", body), "", report)
        if read:
            report_unread_times(contract, contract.struct(struct), body, report)
            find_half_pairs(body, "", report)
        if now is not None and not facts.inbound:
            _check_clock(contract, struct, body, now, report)
    else:
        report.add("", "type", "must be a JSON object")
    if headers is not None:
        _check_headers(contract, facts, message, headers, report)
    return list(dict.fromkeys(describe_violations(contract, struct, report))) if report.found else []


def find_half_pairs(value: object, at: str, report: Report, depth: int = MAX_DEPTH) -> None:
    """Report strings that JSON cannot carry, and values nested deeper than the reader allows."""
    if isinstance(value, str):
        if isinstance(value, CutText) or has_half_pair(value):
            report.add(at, "json", HALF)
    elif isinstance(value, (dict, list)):
        if not depth:
            report.add(at, "json", strict_json.WHY["depth"])
            return
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, str) and item.isascii():
                continue  # the usual case, which needs no pointer
            find_half_pairs(item, f"{at}/{escaped(str(name))}", report, depth - 1)


def _check_clock(contract: Contract, struct: str, body: Mapping[str, object], now: datetime, report: Report) -> None:
    skew = contract.limits().get("request-skew")
    for field in contract.struct(struct).fields:
        text = body.get(field.wire)
        if skew is None or skew.seconds is None or field.source != "clock" or type(text) is not str:
            continue
        time = formats.read_form(field.of, text)
        if time is not None and abs((now - time).total_seconds()) > skew.seconds:
            report.add(f"/{field.wire}", skew.name, f"is more than {skew.seconds} seconds from the current time")


@cache
def _by_lower_case(headers: Struct) -> Mapping[str, str]:
    return {field.wire.lower(): field.wire for field in headers.fields}


def _check_headers(contract: Contract, operation: Operation, message: str, headers: Headers, report: Report) -> None:
    name = operation.request_headers if message == operation.roles[0] else operation.response_headers
    if name is None:
        return
    known = _by_lower_case(contract.struct(name))
    seen: set[str] = set()
    given: dict[str, object] = {}
    pairs = cast("Iterable[tuple[str, str]]", headers.items() if isinstance(headers, Mapping) else headers)
    for key, value in pairs:
        wire = known.get(key.lower())
        if wire is None:
            continue
        if wire in seen:
            report.add(f"@header/{wire}", "duplicate", "appears more than once")
        seen.add(wire)
        if not isinstance(value, str) or value.strip(" \t"):  # an empty header counts as absent
            given[wire] = value
    contract.validator(name)(given, "@header", report)


def describe_violations(contract: Contract, struct: str, report: Report) -> list[Violation]:
    """Return the violations of a report, with messages; `struct` names the object of the whole message."""
    return [
        Violation(pointer, code, _message(contract, struct, pointer, code, detail))
        for pointer, code, detail in report.found
    ]


def _message(contract: Contract, struct: str, pointer: str, code: str, detail: str) -> str:
    if pointer.startswith("@") or not pointer:
        return detail
    where: Struct = contract.struct(struct)
    field: Field | None = None
    passed = list(contract.at(struct, pointer))
    if passed:
        where, field = passed[-1]
    ruled = [where]
    if field is not None and field.kind == "struct" and field.of:
        ruled.append(contract.struct(field.of))  # a rule about a whole object points at the object itself
    ruled += [outer for outer, _ in reversed(passed[:-1])]  # a rule about a member of an object points at the member
    rule = next(filter(None, (each.rule(code) for each in ruled)), None)
    name = field.python if field is not None else pointer.rsplit("/", 1)[-1]
    if rule is not None:
        return f"{name}: {rule.python}{_cited(rule.sections)}"
    return f"{name} {detail}{_cited(where.sections)}"


def _cited(sections: tuple[str, ...]) -> str:
    return f" [{', '.join(sections)}]" if sections else ""
