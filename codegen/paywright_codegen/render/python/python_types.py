"""Which Python type a field has, in an argument and in a model, and what stands behind it."""

from __future__ import annotations

from paywright_codegen.conditions import closed_values
from paywright_codegen.model import Contract, Field, Struct

__all__ = ["Directions", "argument_type", "kind", "model_line"]


class Directions:
    """Which named structs the merchant writes and which it reads. Some are both."""

    def __init__(self, contract: Contract) -> None:
        self.written: set[str] = set()
        self.read: set[str] = set()
        self.results: set[str] = set()
        for operation in contract.operations.values():
            ours, theirs = operation.messages if not operation.inbound else operation.messages[::-1]
            _reach(contract, ours.root, self.written)
            _reach(contract, theirs.root, self.read)
            if not operation.inbound and operation.answers.result is not None:
                self.results.add(operation.answers.result)
                _reach(contract, contract.structs[operation.answers.result], self.read)


def _reach(contract: Contract, struct: Struct, found: set[str]) -> None:
    if struct.name in found:
        return
    found.add(struct.name)
    for field in struct.fields:
        if field.type.kind == "struct":
            inner = contract.structs.get(field.type.name)
            if inner is None:
                inner = next(one for one in contract.all_structs() if one.name == field.type.name)
            _reach(contract, inner, found)


def kind(contract: Contract, field: Field) -> str:
    """The word by which the runtime knows how to read and write a field."""
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
        texts = "str" if chosen.open else _literal(tuple(value.wire for value in chosen.values))
        return f"{ref.name} | {texts}"
    if written and not read and closed_values(contract, field):
        return _literal(field.values)
    word = kind(contract, field)
    if word in ("number", "decimal"):
        return "Decimal" if read else "Decimal | int"
    return {"text": "str", "boolean": "bool", "any": "Mapping[str, object]"}.get(word, word)


def _literal(values: tuple[str, ...]) -> str:
    return f"Literal[{', '.join(map(ascii, values))}]"


def argument_type(contract: Contract, field: Field) -> str:
    """The type of an argument; an optional one is None when it is left out."""
    one = _scalar(contract, field, written=True, read=False)
    text = f"Sequence[{one}]" if field.type.array else one
    return text if field.required else f"{text} | None"


def model_line(contract: Contract, struct: Struct, field: Field, name: str, directions: Directions) -> str:
    """`out_trade_no: str | None = None`: a field of a dataclass, without its comment."""
    written, read = struct.name in directions.written, struct.name in directions.read
    one = _scalar(contract, field, written, read)
    options = []
    if field.type.array and not written:
        text, default = f"tuple[{one}, ...]", None if field.required else "()"
    else:
        text = f"Sequence[{one}]" if field.type.array else one
        optional = not field.required or (field.blank and kind(contract, field) != "text")
        text, default = (f"{text} | None", "None") if optional else (text, None)
    if field.filled and field.required and written and not read:
        default = ascii(field.sends or field.values[0])
    if field.redaction is not None:
        options = [f"default={default}"] if default is not None else []
        return f"{name}: {text} = field({', '.join([*options, 'repr=False'])})"
    return f"{name}: {text}" if default is None else f"{name}: {text} = {default}"
