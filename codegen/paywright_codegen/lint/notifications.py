"""Check the identity of a notification's effect, and the decision in a response."""

from __future__ import annotations

from paywright_codegen.literals import objection
from paywright_codegen.lookup import decision_struct, is_state, payload_struct, required_at
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.problems import Complaints

__all__ = ["complaints"]


def complaints(contract: Contract, operation: Operation) -> Complaints:
    """Yield the complaints about `once per:` and `decides:`."""
    if operation.asks.role == "notification":
        yield from _once(contract, operation)
    elif operation.once_per:
        yield "once per", "is not a notification, and says `once per:`", "remove the line"
    if operation.inbound and operation.asks.role == "request":
        yield from _decision(contract, operation)
    elif operation.decides is not None:
        yield "decides", "asks nothing of the merchant, and says `decides:`", "remove the line"


def _once(contract: Contract, operation: Operation) -> Complaints:
    if not operation.once_per:
        yield "once per", "does not say what it has one effect for", "write `once per:` and the fields of its data"
        return
    struct = payload_struct(contract, operation.asks)[1]
    if not struct.named:
        yield "notification", "tells of something without a name", "give its data a type of its own"
    states = 0
    for path in operation.once_per:
        field = required_at(contract, struct, path)
        said = ".".join(path)
        if field is None or field.type.kind in ("struct", "object", "boolean"):
            yield "once per", f"is once per `{said}`, which is not a required text or number of its data", "name one that always comes"
        elif is_state(contract, field):
            states += 1
    if len(set(operation.once_per)) < len(operation.once_per):
        yield "once per", "names a field twice in `once per:`", "name each once"
    if states > 1:
        yield "once per", "is once per more than one state", "keep the one that the notification tells of"
    if states == len(operation.once_per):
        yield "once per", "is once per a state of nothing", "name also what the state is of"


def _decision(contract: Contract, operation: Operation) -> Complaints:
    decides = operation.decides
    if decides is None:
        yield "decides", "asks the merchant, and does not say how the answer decides", "write `decides:`"
        return
    if operation.when is not None:
        what = "asks the merchant, and says `when:`, by which notifications alone are recognised"
        yield "when", what, "remove the line: a question is recognised by its address and its fields"
    struct = decision_struct(contract, operation)
    member, reason = struct.field(decides.member), struct.field(decides.reason)
    for said, value in (("yes", decides.yes), ("no", decides.no)):
        why = "is not a field" if member is None else objection(contract, member, value)
        if why is not None:
            yield f"decides/{said}", f"decides by `{decides.member}` being {value}, and that {why}", "correct the field or the value"
    if reason is None or reason.required or reason.type.kind != "string":
        yield "decides/why not", f"gives its reason in `{decides.reason}`, which is not an optional text", "name a field of its answer"
    asked = payload_struct(contract, operation.asks)[1]
    if decides.amount is not None:
        for said, name, place in (
            ("amount", decides.amount, asked),
            ("from", decides.least, struct),
            ("to", decides.most, struct),
        ):
            field = place.field(name or "")
            if field is None or field.type.kind != "number":
                what = "of the question" if place is asked else "of its answer"
                yield f"decides/{said}", f"limits its decision by `{name}`, which is not a number {what}", "name one"
    if operation.asks.result is None or not struct.named:
        yield (
            "request" if operation.asks.result is None else "response"
        ), "asks and decides in messages without a name", "give both a type of their own"
    for field in struct.fields:
        known = field.wire in (decides.member, decides.reason) or asked.field(field.wire) is not None
        if field.required and not known and field.type.kind != "number":
            what = f"must answer `{field.wire}` also when it refuses, and nothing says with what"
            yield field, what, "ask for a field of that name, or make it a number or optional"
