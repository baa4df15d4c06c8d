"""Write the objects of the OpenAPI document, in a form that generators of clients can read.

They judge as the JSON Schemas do, apart from the rules, which stand as sentences: no generator makes anything of conditions. An optional
object is `anyOf` it or null. What viewers show is in the descriptions, and stands beside them for programs: `x-states`, `x-class`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from paywright_codegen.documents.json_schema import Schema, one_value
from paywright_codegen.lookup import closed_values, is_decimal, sent_decimals
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import MARKS, Field, Set, Struct
from paywright_codegen.python_types import Directions

REFS: Final = "#/components/schemas/"

_CLASSES: Final = {
    "secret": "Secret: never log it.",
    "pan": "A card number: never log or keep it.",
    "pii": "A person's data: do not log it.",
}
_MARK_WORDS: Final = {"final": "final", "settled": "settled", "paid": "money moved", "returned": "money moved back"}


class Components:
    """The schemas of objects under `components`, made as they are referred to: what nothing refers to is not there."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._sent = Directions(contract).sent
        self._decimals = sent_decimals(contract)
        self._versions = {one.asks.root.name: one.version for one in contract.operations.values() if one.version}
        self._names = component_names(contract.all_structs())
        self._made: dict[str, Schema] = {}

    def schemas(self) -> dict[str, Schema]:
        """Return what was referred to, by name."""
        return dict(sorted(self._made.items()))

    def ref(self, struct: Struct) -> Schema:
        """Return a reference to an object, and make its schema."""
        name = self._names[struct.name]
        if name not in self._made:
            self._made[name] = {}  # an object may contain itself
            self._made[name] = self._object(self._contract.struct_named(struct.name))
        return {"$ref": f"{REFS}{name}"}

    def value(self, field: Field, struct: Struct | None = None) -> Schema:
        """Return the schema of a member, or of a header."""
        sent = struct is not None and struct.name in self._sent
        version = self._versions.get(struct.name) if struct is not None else None
        made: Schema
        if field.type.array:
            bounds = {
                name: size for name, size in (("minItems", field.min), ("maxItems", field.max)) if size is not None
            }
            made = {"type": "array" if field.required else ["array", "null"], "items": self._one(field, True), **bounds}
        else:
            made = self._one(field, field.required and field.also is None)
        shown = list(field.examples) or self._shown(field, version)
        if shown and field.type.kind not in ("struct", "object", "boolean") and not field.type.array:
            made["examples"] = [Decimal(one) for one in shown] if field.type.kind == "number" else shown
        if field.redaction is not None:
            made["x-class"] = field.redaction
        if field.also is not None:
            made["x-also"] = field.also  # no member of its own: PHP takes names of two cases for one
        chosen = self._contract.sets.get(field.type.name) if field.type.kind == "set" else None
        if chosen is not None and chosen.states:
            made["x-states"] = marked(chosen)
        decimal = is_decimal(self._contract, field)
        if decimal and sent and self._decimals is not None:
            made["x-sent-decimals"] = self._decimals
        words = " ".join(self._words(field, chosen, decimal))
        return {**({"description": words} if words else {}), **made}

    def _one(self, field: Field, required: bool) -> Schema:
        kind = field.type.kind
        if kind == "struct":
            ref = self.ref(self._contract.struct_named(field.type.name))
            return ref if required else {"anyOf": [ref, {"type": "null"}]}
        if kind == "object":
            return {"type": "object" if required else ["object", "null"], "additionalProperties": True}
        made = one_value(self._contract, field, "", required)
        return {name: value for name, value in made.items() if name != "x-shown"}

    def _shown(self, field: Field, version: str | None) -> list[str]:
        """Return what a member is sent with, or the values of an open list."""
        if field.source == "operation.version" and version is not None:
            return [version]
        if field.sends is not None:
            return [field.sends]
        if field.type.kind == "set" and not closed_values(self._contract, field):
            return [value.wire for value in self._contract.sets[field.type.name].values]
        return []

    def _words(self, field: Field, chosen: Set | None, decimal: bool) -> Iterable[str]:
        if field.prose.text:
            yield _sentence(field.prose.text)
        if field.type.kind == "format" and (shown := self._contract.formats[field.type.name].shown):
            yield _sentence(f"Form: {shown}")
        if field.also is not None:
            yield f"Where it is absent, `{field.also}` is read instead."
        if decimal:
            yield "An exact decimal: no binary float."
        if chosen is not None:
            values = "; ".join(_value_words(chosen, value.wire) for value in chosen.values)
            yield f"{values}{'; other values may come' if chosen.open else ''}."
        if field.redaction is not None:
            yield _CLASSES[field.redaction]

    def _object(self, struct: Struct) -> Schema:
        # The questions behind a rule's text are those of the contract's writers.
        rules = {rule.id: re.sub(r" \?[\w-]+", "", rule.text) for rule in struct.rules if rule.checked}
        properties = {field.wire: self.value(field, struct) for field in struct.fields}
        for field in struct.fields:
            if field.also is not None and field.required:
                rules[f"{field.wire}-or-{field.also}"] = f"need {field.wire} or {field.also}"
        said = [_sentence(struct.prose.text)] if struct.prose.text else []
        said += [f"Rule: {text}." for text in rules.values()]
        required = [field.wire for field in struct.fields if field.required and field.also is None]
        return {
            "type": "object",
            **({"description": "\n\n".join(said)} if said else {}),
            "properties": properties,
            **({"required": required} if required else {}),
            **({"x-rules": rules} if rules else {}),
        }


def component_names(structs: Iterable[Struct]) -> dict[str, str]:
    """Return a name without dots for each object, unlike the names that generators derive from operations.

    `orders.checkout.request` is `OrdersCheckoutRequestMessage`, and what it carries `OrdersCheckoutRequestData`.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for struct in sorted(structs, key=lambda one: "." in one.name):  # named ones keep their names
        name = struct.name
        if "." in name:
            name = "".join(word[:1].upper() + word[1:] for word in name.replace(".", "_").split("_"))
            name += "" if struct.name.endswith(".data") else "Message"
        while name in taken:
            name += "_"
        taken.add(name)
        names[struct.name] = name
    return names


def marked(chosen: Set) -> Schema:
    """Return which states of a list are final, settled, paid and returned."""
    found = {mark: [value.wire for value in chosen.values if mark in value.marks] for mark in MARKS}
    return {"open": chosen.open, **{mark: values for mark, values in found.items() if values}}


def _value_words(chosen: Set, wire: str) -> str:
    value = next(one for one in chosen.values if one.wire == wire)
    text = f"`{wire}`" + (f" ({', '.join(map(_MARK_WORDS.__getitem__, value.marks))})" if value.marks else "")
    return f"{text}: {value.prose.text}" if value.prose.text else text


def _sentence(text: str) -> str:
    """Return a text with a full stop, so that others can stand behind it."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
