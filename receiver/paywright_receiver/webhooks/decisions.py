"""Write a merchant's decision as the body of an answer that fits the contract and the question [4.18]."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from paywright_receiver.webhooks.handlers import returned
from paywright_runtime import strict_json
from paywright_runtime.contract.conversion import writers
from paywright_runtime.contract.violations import Report

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Struct
    from paywright_runtime.contract.operation import Decision, Operation
    from paywright_runtime.strict_json import JSON

_LONGEST: Final = 200  # characters of a number


def decision_body(
    contract: Contract, operation: Operation, asked: Mapping[str, JSON], decision: object
) -> tuple[bytes | None, str]:
    """Return the body of the answer for a decision; or None, and why it cannot be written."""
    struct = contract.struct(operation.response)
    at = operation.payloads[1]  # where the decision stands in the answer; "" if it is the whole
    report = Report()
    wire: dict[str, object] = {}
    whole = _is_one(contract, decision, struct)
    if not whole and not (at and _is_one(contract, decision, contract.struct(struct.by_wire[at].of or ""))):
        return None, f"the function {returned(decision)}"
    for field, writer in zip(struct.fields, writers(contract, struct), strict=True):
        if field.sends is not None:
            wire[field.wire] = field.sends
        elif whole or field.wire == at:
            value = getattr(decision, field.python) if whole else decision
            if value is not None:
                wire[field.wire] = writer(value, f"/{field.wire}", report)
    if not report.found:
        contract.validator(struct.name)(wire, "", report)
    if report.found:
        return None, "its decision breaks the contract at " + ", ".join(
            f"{at} ({code})" for at, code, _ in report.found
        )
    said = cast("dict[str, object]", wire.get(at, wire))
    if operation.decision is not None and said.get(operation.decision.member) is None:
        return None, f"its answer decides nothing: it has no {operation.decision.member}"
    for name, value in said.items():
        if name in asked and not _same(value, asked[name]):
            return None, f"its decision is about another {name} than what was asked"
    why = "" if operation.decision is None else impossible(operation.decision, asked, said)
    if why:
        return None, f"its decision is impossible: {why}"
    try:
        return strict_json.write(cast("JSON", wire)), ""
    except strict_json.JsonProblem as problem:
        return None, f"its decision cannot be written: {strict_json.WHY[problem.why]}"


def _is_one(contract: Contract, decision: object, struct: Struct) -> bool:
    model = contract.model(struct.name)
    return model is not None and isinstance(decision, model)


def _same(one: object, other: object) -> bool:
    return type(one) is not bool and one == other


def impossible(decides: Decision, asked: Mapping[str, object], answer: Mapping[str, object]) -> str:
    """Return why no answer can have these limits; "" if one can. Both are wire values that have been validated.

    Limits are not negative, and the least is not above the most. A yes allows the amount that was asked about.
    """
    if decides.within is None:
        return ""
    amount, least, most = decides.within
    low, high, wanted = (_number(one) for one in (answer.get(least), answer.get(most), asked.get(amount)))
    if low is None or high is None:
        return ""
    if low < 0 or high < 0:
        return f"its {least if low < 0 else most} is negative"
    if low > high:
        return f"its {least} is above its {most}"
    if answer.get(decides.member) == decides.yes and wanted is not None and not low <= wanted <= high:
        return f"it says {decides.yes} to an {amount} that is not from its {least} to its {most}"
    return ""


def _number(value: object) -> Decimal | None:
    """Read a number on the wire, or a number as text: a question's amount may be either."""
    if type(value) is int or isinstance(value, Decimal):
        return Decimal(value)
    if type(value) is str and len(value) <= _LONGEST:
        try:
            found = Decimal(value)
        except ArithmeticError:
            return None
        return found if found.is_finite() else None
    return None
