"""The members without which a message is not believed, derived from the other facts: what carries identity, state or money.

Needed are numbers, amounts and their currencies; states; members that are a key or a gateway's id anywhere; those that an answer
repeats, and by which it is compared with its request; what tells what a notification is about, and which account was paid.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]


def mark_needed(
    operations: Mapping[str, Row],
    structs: Mapping[str, Row],
    sets: Mapping[str, Row],
    followed: Mapping[str, Row],
    into: Mapping[str, str],
) -> None:
    """Set `needed` in the rows of such members, in all objects that the gateway writes.

    `into` are the accounts that money comes into, by the operation that tells of it.
    """
    table = _Table(operations, structs)
    for name, row in operations.items():
        table.add(row)
        table.at(table.payload(row), into[name])
    for row in followed.values():
        answered = table.payload(operations[row["operation"]])
        table.at(answered, row["by"], key=True)
        for name in ("state", "each", "amount", "currency"):
            table.at(answered, row.get(name), currency=name == "currency")
    read: set[str] = set()
    for row in operations.values():
        table.reach(table.payload(row), read)
    for name in read:
        for field in structs[name]["fields"]:
            kind, of = field["kind"], field.get("of")
            own = kind in ("number", "decimal") or (kind == "set" and bool(sets[of].get("states")))
            never_blank = kind in ("boolean", "any") and field.get("required")
            currency = kind == "text" and of is not None and of in table.currencies
            told = field["wire"] in table.keys or (name, field["wire"]) in table.places
            if kind != "struct" and (own or never_blank or currency or told):
                field["needed"] = True


class _Table:
    """Facts about members, from the rows of operations and followings."""

    def __init__(self, operations: Mapping[str, Row], structs: Mapping[str, Row]) -> None:
        self._operations = operations
        self._fields = {name: {field["wire"]: field for field in row["fields"]} for name, row in structs.items()}
        self.keys: set[str] = set()
        self.places: set[tuple[str, str]] = set()
        self.currencies: set[str | None] = set()

    def payload(self, operation: Row) -> str:
        """Return the object with the operation's own members in an answer, a notification or a question."""
        if not operation.get("inbound"):
            return str(operation.get("result") or operation["response"])
        asked, _ = operation.get("payloads", ("", ""))
        return str(self._fields[operation["request"]][asked]["of"] if asked else operation["request"])

    def add(self, one: Row) -> None:
        """Add what one operation says."""
        told, answered = one["request" if one.get("inbound") else "response"], self.payload(one)
        if one.get("key"):
            self.keys.add(one["key"])
        for pointer in one.get("once_per", ()):
            self.at(told, pointer, key=pointer != one.get("state"))
        self.at(told, one.get("gateway_id"), key=True)
        self.at(told, one.get("about", ("", None))[1])
        if "amount" in one:
            message = one["request"] if one["amount"]["role"] == one["roles"][0] else one["response"]
            self.at(message, one["amount"]["pointer"])
            self.at(message, one["amount"]["currency"], currency=True)
        for name in one.get("echoes", ()):
            self.at(answered, name)
        for name, member, _ in one.get("each_echoes", ()):
            self.at(answered, f"{name}.{member}")
        for listed in one.get("lists", ()):
            self.at(told, f"{listed['items']}/{listed['key']}", key=True)
        resolution = one.get("resolution", {})
        query = self._operations.get(resolution.get("operation"))
        settled = answered if query is None else self.payload(query)
        for shown in one.get("shows", ()):
            self.at(answered, shown["answered"])
            self.at(settled, shown["answered"])
        self.at(settled, resolution.get("by"))
        self.at(settled, resolution.get("done", (None,))[0])

    def at(self, struct: str, path: str | None, *, key: bool = False, currency: bool = False) -> None:
        """Add the member at a JSON pointer or a path with dots, if the object has it."""
        field: Row | None = None
        for step in path.replace("/", ".").strip(".").split(".") if path else ():
            struct = struct if field is None else str(field.get("of"))
            field = self._fields.get(struct, {}).get(step)
            if field is None:
                return
        if field is not None:
            self.places.add((struct, field["wire"]))
            self.keys.update([field["wire"]] if key else [])
            self.currencies.update([field.get("of")] if currency else [])

    def reach(self, struct: str, found: set[str]) -> None:
        """Add an object and all objects in it."""
        if struct not in found:
            found.add(struct)
            for field in self._fields[struct].values():
                if field["kind"] == "struct":
                    self.reach(str(field["of"]), found)
