"""Find parts of a contract: the payload of a message, the field at the end of a path, the values a field may have."""

from __future__ import annotations

from collections.abc import Sequence

from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import Demand, Path, paths_of
from paywright_codegen.model.types import Field, Struct


def each_echo(said: str) -> tuple[str, str, str]:
    """Return list, field and the request's list of `L.F in M`; without `in`, the last one is ""."""
    path, _, among = said.partition(" in ")
    elements, _, name = path.partition(".")
    return elements, name, among


def members_on(contract: Contract, struct: Struct, path: Sequence[str]) -> list[tuple[Struct, Field]]:
    """Return the members on a path, each with the object that has it; fewer than its steps if one is missing."""
    found: list[tuple[Struct, Field]] = []
    for step in path:
        inner = found[-1][1].type if found else None
        if inner is not None and inner.kind != "struct":
            break
        inside = struct if inner is None else contract.struct_named(inner.name)
        field = inside.field(step)
        if field is None:
            break
        found.append((inside, field))
    return found


def field_at(contract: Contract, struct: Struct, path: Sequence[str], *, lists: bool = False) -> Field | None:
    """Return the field at the end of a path, or None. With `lists`, arrays may stand on the way."""
    found = [field for _, field in members_on(contract, struct, path)]
    if len(found) < len(path) or (not lists and any(one.type.array for one in found[:-1])):
        return None
    return found[-1]


def required_at(contract: Contract, struct: Struct, path: Path) -> Field | None:
    """Return the field at the end of a path of required fields that are no arrays, or None."""
    found = [field for _, field in members_on(contract, struct, path)]
    fits = len(found) == len(path) and all(one.required and not one.type.array for one in found)
    return found[-1] if fits else None


def member(contract: Contract, message: MessageSpec, path: Path) -> Field | None:
    """Return the field at the end of a path into the operation's own fields of a message, or None."""
    return field_at(contract, message.data or message.root, path)


def root_member(contract: Contract, message: MessageSpec, path: str) -> Field | None:
    """Return the field at a path with dots into a whole message, or None."""
    return field_at(contract, message.root, path.split("."))


def payload_struct(contract: Contract, message: MessageSpec) -> tuple[str, Struct]:
    """Return the JSON pointer and struct of a message's payload: the member that its envelope names, or the whole."""
    root = contract.structs.get(message.root.name, message.root)
    member = root.field(message.payload or "")
    if member is not None:
        return f"/{member.wire}", contract.structs.get(member.type.name) or message.data or root
    return "", root


def told(contract: Contract, message: MessageSpec) -> Struct:
    """Return the struct of a message's payload: of the operation itself, or of what a notification tells."""
    return payload_struct(contract, message)[1]


def payload_member(contract: Contract, message: MessageSpec, path: Path) -> tuple[str, Field | None]:
    """Return the JSON pointer of a path into a message's payload, and the field there; None if there is none."""
    at, struct = payload_struct(contract, message)
    return "/".join((at, *path)), field_at(contract, struct, path)


def amount_message(operation: Operation) -> MessageSpec:
    """Return the message that has an operation's amount: the response of a query, the request of any other."""
    return operation.asks if operation.inbound or operation.key is not None else operation.answers


def once_per(contract: Contract, operation: Operation) -> tuple[tuple[str, ...], str | None]:
    """Return JSON pointers to the fields that identify the effect of a notification, and to the state among them."""
    at, struct = payload_struct(contract, operation.asks)
    pointers = tuple("/".join((at, *path)) for path in operation.once_per)
    states = [
        pointer
        for pointer, path in zip(pointers, operation.once_per, strict=True)
        if (field := required_at(contract, struct, path)) is not None and is_state(contract, field)
    ]
    return pointers, states[0] if states else None


def all_filled(contract: Contract, field: Field) -> bool:
    """Return whether the client fills in every member of an object."""
    inner = contract.structs.get(field.type.name)
    return inner is not None and not field.type.array and all(part.filled for part in inner.fields)


def is_decimal(contract: Contract, field: Field) -> bool:
    """Return whether a field, or each element of it, is a number or decimal text."""
    chosen = contract.formats.get(field.type.name) if field.type.kind == "format" else None
    return field.type.kind == "number" or (chosen is not None and chosen.python == "Decimal")


def sent_decimals(contract: Contract) -> int | None:
    """Return the largest number of decimals that the client sends; None if there is no limit."""
    return next((limit.decimals for limit in contract.limits.values() if limit.decimals is not None), None)


def is_state(contract: Contract, field: Field) -> bool:
    """Return whether a field holds the state of a resource."""
    return field.type.kind == "set" and contract.sets[field.type.name].states


def closed_values(contract: Contract, field: Field) -> tuple[str, ...]:
    """Return the only values that a field may have; empty if it may have others."""
    if field.type.kind == "set":
        chosen = contract.sets[field.type.name]
        return () if chosen.open else tuple(value.wire for value in chosen.values)
    return field.values


def corrected_at(demand: Demand) -> str:
    """Return where to correct a broken demand, relative to the object: `outTradeNo`, `paymentDetail/targetOrg`."""
    return "/".join(paths_of(demand)[0])


def notified_numbers(contract: Contract) -> tuple[str, ...]:
    """Return the merchant's numbers that notifications name: their addressee."""
    found: dict[str, None] = {}
    for operation in contract.operations.values():
        if operation.inbound:
            root = contract.structs.get(operation.asks.root.name, operation.asks.root)
            sources = (field.source or "" for field in (*root.fields, *operation.asks.headers))
            found |= dict.fromkeys(one.removeprefix("merchant.") for one in sources if one.startswith("merchant."))
    required = [number.name for number in contract.numbers.values() if number.required and number.kind == "id"][:1]
    return tuple(dict.fromkeys([*required, *found]))


def header_struct(contract: Contract, message: MessageSpec) -> str | None:
    """Return the name of the struct of a message's headers; None if it has none."""
    return contract.once(header_structs)[message.headers].name if message.headers else None


def header_structs(contract: Contract) -> dict[tuple[Field, ...], Struct]:
    """Return the struct of every distinct set of headers. One that several messages have is named after the envelope."""
    alike: dict[tuple[Field, ...], list[tuple[str, MessageSpec]]] = {}
    for operation in contract.operations.values():
        for message in operation.messages:
            if message.headers:
                alike.setdefault(message.headers, []).append((operation.envelope, message))
    found: dict[str, Struct] = {}
    for headers, messages in alike.items():
        envelope, first = messages[0]
        shared = f"{envelope}.{first.role}.headers"
        name = shared if len(messages) > 1 and shared not in found else f"{first.name}.headers"
        found[name] = Struct(headers[0].place, name=name, fields=headers)
    return {struct.fields: struct for struct in found.values()}


def query_of(contract: Contract, write: Operation) -> Operation | None:
    """Return the query that settles an unknown outcome of a write; None if there is none."""
    return None if write.resolution is None else contract.operations.get(write.resolution.operation or "")


def settled_by(contract: Contract, query: Operation) -> list[Operation]:
    """Return the writes whose unknown outcome a query settles."""
    return contract.once(_settled).get(query.name, [])


def _settled(contract: Contract) -> dict[str, list[Operation]]:
    found: dict[str, list[Operation]] = {}
    for one in contract.operations.values():
        if one.resolution is not None and one.resolution.operation is not None:
            found.setdefault(one.resolution.operation, []).append(one)
    return found


def by_resource(contract: Contract) -> dict[str, list[Operation]]:
    """Return the operations of each resource. Ask for it by `once`."""
    found: dict[str, list[Operation]] = {}
    for one in contract.operations.values():
        found.setdefault(one.resource, []).append(one)
    return found


def questions_of(contract: Contract, operation: Operation) -> tuple[str, ...]:
    """Return the open questions of an operation and of everything in its messages, each once."""
    parts: list[Cited] = [operation, *(field for message in operation.messages for field in message.headers)]
    for struct in contract.reached_from(*(message.root for message in operation.messages)).values():
        parts.append(struct)
        for field in struct.fields:
            parts.append(field)
            if field.type.kind == "set":
                chosen = contract.sets[field.type.name]
                parts += (chosen, *chosen.values)
            elif field.type.kind == "format":
                parts.append(contract.formats[field.type.name])
        parts += struct.rules
    return tuple(dict.fromkeys(name for part in parts for name in part.open_questions))


def write_of(contract: Contract, following: Following) -> Operation | None:
    """Return the write that makes the followed item: the first of the resource whose outcome the query settles."""
    for operation in contract.once(by_resource).get(following.kind, ()):
        resolution = operation.resolution
        if resolution is None or resolution.done is not None:
            continue
        if (resolution.operation, resolution.by) == (following.operation, following.by):
            return operation
    return None
