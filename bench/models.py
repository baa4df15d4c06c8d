"""The contract's messages as models of pydantic and of msgspec, as strict as those can be made.

Neither knows the rules across fields, nor counts all violations of a nested message with the places of the contract; what
is compared is what each of them does do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from pydantic import ConfigDict, StringConstraints, create_model
from pydantic import Field as PydanticField

from paywright_codegen.lookup import closed_values
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Struct
from paywright_runtime.contract.formats import PATTERNS

# Types made at run time have no static form.
Type = Any


class Models:
    """Makes the types of one library, each struct once."""

    def __init__(
        self, contract: Contract, text: Callable[[int | None, int | None, str | None], Type], number: Type
    ) -> None:
        self.contract = contract
        self.text = text
        self.number = number
        self.made: dict[str, Type] = {}
        self.structs = {struct.name: struct for struct in contract.all_structs()}

    def field(self, field: Field, inner: Callable[[Struct], Type]) -> Type:
        """Return the type of a member."""
        kind = field.type.kind
        values = closed_values(self.contract, field)
        one: Type
        if kind == "struct":
            one = inner(self.structs[field.type.name])
        elif kind in ("number", "boolean", "object"):
            one = {"number": self.number, "boolean": bool, "object": dict[str, Any]}[kind]
        elif values:
            one = Literal[values]
        else:
            one = self.text(*((None, None) if field.type.array else (field.min, field.max)), self._pattern(field))
        return list[one] if field.type.array else one

    def _pattern(self, field: Field) -> str | None:
        if field.range is not None:
            from paywright_codegen.documents.json_schema import range_pattern

            return f"^(?:{range_pattern(*field.range)})$"
        if field.type.kind != "format":
            return None
        form = self.contract.formats[field.type.name]
        return f"^(?:{form.pattern or PATTERNS[form.check or '']})$"


def pydantic_type(contract: Contract, struct: Struct) -> Type:
    """Make a pydantic model in strict mode; patterns are Python's, because the contract's look ahead."""
    models = Models(
        contract,
        lambda low, high, pattern: Annotated[str, StringConstraints(min_length=low, max_length=high, pattern=pattern)],
        Annotated[float | int, PydanticField(allow_inf_nan=False)],
    )
    config = ConfigDict(strict=True, regex_engine="python-re", extra="ignore", protected_namespaces=())

    def make(one: Struct) -> Type:
        if one.name not in models.made:
            members: dict[str, Type] = {}
            for field in one.fields:
                kind = models.field(field, make)
                members[f"f_{field.wire}"] = (
                    (kind, PydanticField(alias=field.wire))
                    if field.required
                    else (kind | None, PydanticField(default=None, alias=field.wire))
                )
            models.made[one.name] = create_model(one.name.replace(".", "_"), __config__=config, **members)
        return models.made[one.name]

    return make(struct)


def msgspec_type(contract: Contract, struct: Struct) -> Type:
    """Make a msgspec struct."""
    models = Models(
        contract,
        lambda low, high, pattern: Annotated[str, msgspec.Meta(min_length=low, max_length=high, pattern=pattern)],
        float | int,
    )

    def make(one: Struct) -> Type:
        if one.name not in models.made:
            members = [
                (
                    (f"f_{field.wire}", models.field(field, make))
                    if field.required
                    else (f"f_{field.wire}", models.field(field, make) | None, None)
                )
                for field in one.fields
            ]
            names = {f"f_{field.wire}": field.wire for field in one.fields}
            models.made[one.name] = msgspec.defstruct(one.name.replace(".", "_"), members, rename=names, kw_only=True)
        return models.made[one.name]

    return make(struct)
