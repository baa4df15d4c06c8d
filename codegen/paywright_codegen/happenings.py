"""What the service tells the merchant of: which effect a notification has once, and how an answer decides."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen.literals import objection
from paywright_codegen.model import Contract, Field, Message, Operation, Path, Struct

__all__ = ["complaints", "decision_struct", "once_per", "payload_struct"]

_Complaints = Iterator[tuple[str, str]]


def payload_struct(contract: Contract, message: Message) -> tuple[str, Struct]:
    """The struct of what a message is about and the JSON pointer to it: that of its member `data`, or the whole."""
    root = contract.structs.get(message.root.name, message.root)
    data = root.field("data")
    if data is not None and data.type.kind == "struct" and not data.type.array:
        return "/data", contract.structs.get(data.type.name) or message.data or root
    return "", root


def decision_struct(contract: Contract, operation: Operation) -> Struct:
    """The struct in which an answer decides."""
    return payload_struct(contract, operation.answers)[1]


def once_per(contract: Contract, operation: Operation) -> tuple[tuple[str, ...], str | None]:
    """JSON pointers to the fields that a notification has one effect for, and to the one among them that is a state."""
    at, struct = payload_struct(contract, operation.asks)
    pointers = tuple("/".join((at, *path)) for path in operation.once_per)
    states = [
        pointer
        for pointer, path in zip(pointers, operation.once_per, strict=True)
        if (field := field_at(contract, struct, path)) is not None and _is_state(contract, field)
    ]
    return pointers, states[0] if states else None


def field_at(contract: Contract, struct: Struct, path: Path) -> Field | None:
    """The field at the end of a path of required fields, or None."""
    field = struct.field(path[0])
    if field is None or not field.required or field.type.array:
        return None
    if len(path) == 1:
        return field
    return field_at(contract, contract.struct_of(field.type), path[1:]) if field.type.kind == "struct" else None


def _is_state(contract: Contract, field: Field) -> bool:
    return field.type.kind == "set" and contract.sets[field.type.name].states


def complaints(contract: Contract, operation: Operation) -> _Complaints:
    """What is wrong with `once per:` and `decides:`."""
    if operation.asks.role == "notification":
        yield from _once(contract, operation)
    elif operation.once_per:
        yield "is no notification, and says `once per:`", "take the line away"
    if operation.inbound and operation.asks.role == "request":
        yield from _decision(contract, operation)
    elif operation.decides is not None:
        yield "asks nothing of the merchant, and says `decides:`", "take the line away"


def _once(contract: Contract, operation: Operation) -> _Complaints:
    if not operation.once_per:
        yield "does not say what it has one effect for", "write `once per:` and the fields of its data"
        return
    struct = payload_struct(contract, operation.asks)[1]
    if not struct.named:
        yield "tells of something without a name", "give its data a type of its own"
    states = 0
    for path in operation.once_per:
        field = field_at(contract, struct, path)
        said = ".".join(path)
        if field is None or field.type.kind in ("struct", "object", "boolean"):
            yield f"is once per `{said}`, which is no required text or number of its data", "name one that always comes"
        elif _is_state(contract, field):
            states += 1
    if len(set(operation.once_per)) < len(operation.once_per):
        yield "names a field twice in `once per:`", "name each once"
    if states > 1:
        yield "is once per more than one state", "keep the one that the notification tells of"
    if states == len(operation.once_per):
        yield "is once per a state of nothing", "name also what the state is of"


def _decision(contract: Contract, operation: Operation) -> _Complaints:
    decides = operation.decides
    if decides is None:
        yield "asks the merchant, and does not say how the answer decides", "write `decides:`"
        return
    struct = decision_struct(contract, operation)
    member, reason = struct.field(decides.member), struct.field(decides.reason)
    for value in (decides.yes, decides.no):
        why = "is no field" if member is None else objection(contract, member, value)
        if why is not None:
            yield f"decides by `{decides.member}` being {value}, and that {why}", "correct the field or the value"
    if reason is None or reason.required or reason.type.kind != "string":
        yield f"gives its reason in `{decides.reason}`, which is no optional text", "name a field of its answer"
    asked = payload_struct(contract, operation.asks)[1]
    if decides.amount is not None:
        for name, place in ((decides.amount, asked), (decides.least, struct), (decides.most, struct)):
            field = place.field(name or "")
            if field is None or field.type.kind != "number":
                what = "of the question" if place is asked else "of its answer"
                yield f"limits its decision by `{name}`, which is no number {what}", "name one"
    if operation.asks.result is None or not struct.named:
        yield "asks and decides in messages without a name", "give both a type of their own"
    for field in struct.fields:
        known = field.wire in (decides.member, decides.reason) or asked.field(field.wire) is not None
        if field.required and not known and field.type.kind != "number":
            what = f"must answer `{field.wire}` also when it refuses, and nothing says with what"
            yield what, "ask for a field of that name, or make it a number or optional"
