"""Decide the Python type and default of a field, in an argument and in a model, by who writes it and who reads it."""

from __future__ import annotations

from collections.abc import Sequence

from paywright_codegen.lookup import closed_values
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Struct


class Directions:
    """The names of the structs that the merchant writes, and of those that it reads. Some are both.

    Of those that it writes, `sent` are the ones in requests of the client, and not in answers to the gateway.
    """

    def __init__(self, contract: Contract) -> None:
        self.written: set[str] = set()
        self.sent: set[str] = set()
        self.read: set[str] = set()
        self.results: set[str] = set()
        for operation in contract.operations.values():
            ours, theirs = operation.messages if not operation.inbound else operation.messages[::-1]
            self.written |= contract.reached_from(ours.root).keys()
            self.read |= contract.reached_from(theirs.root).keys()
            if not operation.inbound:
                self.sent |= contract.reached_from(ours.root).keys()
            if not operation.inbound and operation.answers.result is not None:
                self.results.add(operation.answers.result)
                self.read |= contract.reached_from(contract.structs[operation.answers.result]).keys()


def kind(contract: Contract, field: Field) -> str:
    """Return the word by which the runtime knows how to read and write a field."""
    ref = field.type
    if ref.kind == "format":
        return {"Decimal": "decimal", "date": "date", "datetime": "datetime"}.get(
            contract.formats[ref.name].python, "text"
        )
    return {"string": "text", "object": "any"}.get(ref.kind, ref.kind)


def _scalar(contract: Contract, field: Field, written: bool, read: bool) -> str:
    ref = field.type
    if ref.kind == "struct":
        return ref.name
    if ref.kind == "set":
        if not written:
            return ref.name
        chosen = contract.sets[ref.name]
        texts = "str" if chosen.open else literal([value.wire for value in chosen.values])
        return f"{ref.name} | {texts}"
    if written and not read and closed_values(contract, field):
        return literal(field.values)
    word = kind(contract, field)
    if word in ("number", "decimal"):
        return "Decimal" if read else "Decimal | int"
    return {"text": "str", "boolean": "bool", "any": "Mapping[str, object]"}.get(word, word)


def literal(texts: Sequence[str]) -> str:
    """Return the type of some texts, as source; `Never` if there are none."""
    return f"Literal[{', '.join(map(ascii, texts))}]" if texts else "Never"


def argument_type(contract: Contract, field: Field) -> str:
    """Return the type of an argument. An optional one may be None."""
    one = _scalar(contract, field, written=True, read=False)
    text = f"Sequence[{one}]" if field.type.array else one
    return text if field.required else f"{text} | None"


def parameter_type(contract: Contract, field: Field) -> str:
    """Return the type of a parameter, with its default."""
    return argument_type(contract, field) + ("" if field.required else " = None")


def model_line(contract: Contract, struct: Struct, field: Field, name: str, directions: Directions) -> str:
    """Return a field of a dataclass without its comment: `out_trade_no: str | None = None`."""
    written, read = struct.name in directions.written, struct.name in directions.read
    one = _scalar(contract, field, written, read)
    options = []
    if field.type.array and not written:
        text, default = f"tuple[{one}, ...]", None if field.required else "()"
    else:
        text = f"Sequence[{one}]" if field.type.array else one
        word = kind(contract, field)
        unread = read and word in ("date", "datetime")  # what is no time is read as None
        optional = not field.required or (field.blank and word != "text") or unread
        text, default = (f"{text} | None", "None") if optional else (text, None)
    if field.filled and field.source is None and field.required and written and not read:
        default = ascii(field.sends or field.values[0])
        if kind(contract, field) in ("decimal", "date", "datetime"):
            text = "str"  # it is written as the contract has it
    if field.redaction is not None:
        options = [f"default={default}"] if default is not None else []
        return f"{name}: {text} = field({', '.join([*options, 'repr=False'])})"
    return f"{name}: {text}" if default is None else f"{name}: {text} = {default}"
