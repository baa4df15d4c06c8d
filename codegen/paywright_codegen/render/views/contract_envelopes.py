"""Views of `contract_envelopes.py.jinja`: the arguments and members that operations of one envelope share."""

from __future__ import annotations

from collections import Counter, defaultdict

from paywright_codegen import naming
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.render.views.contract_file import EnvelopeMembers, OperationTable, field_row, rule_rows

__all__ = ["EnvelopeTable", "SharedParts"]


class EnvelopeTable:
    """The arguments that all operations of an envelope share, as a partial call of `Operation(...)`."""

    def __init__(self, envelope: str, tables: list[OperationTable]) -> None:
        self.name = f"{naming.constant(envelope)}_OPERATION"
        self.refuses_name = f"{naming.constant(envelope)}_REFUSES"
        codes = [table.operation.refuses for table in tables]
        self.refuses = tuple(code for code in codes[0] if all(code in some for some in codes))
        first, *others = (table.options for table in tables)
        self.options = {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}
        if self.refuses:
            self.options["refusal_codes"] = self.refuses_name

    def row(self, table: OperationTable) -> str:
        """Return an operation as a call of this partial, as source."""
        options = dict(table.options)
        if self.refuses:
            more = tuple(code for code in table.operation.refuses if code not in self.refuses)
            options["refusal_codes"] = f"{self.refuses_name} | frozenset({more!a})" if more else self.refuses_name
        own = [f"{key}={value}" for key, value in options.items() if self.options.get(key) != value]
        return f"{self.name}({', '.join([f'{table.name!a}', *own])})"


class SharedParts:
    """Statements that each envelope of a contract makes once, for all its operations and messages."""

    def __init__(self, contract: Contract) -> None:
        by_envelope: dict[str, list[Operation]] = defaultdict(list)
        alike: dict[tuple[str, str], Counter[tuple[str, ...]]] = defaultdict(Counter)
        rules: dict[tuple[str, str], Counter[tuple[str, ...]]] = defaultdict(Counter)
        roots: dict[str, tuple[tuple[str, str], tuple[str, ...]]] = {}
        for operation in contract.operations.values():
            by_envelope[operation.envelope].append(operation)
            for message in operation.messages:
                wires = [field.wire for field in message.root.fields]
                if message.payload in wires and not message.root.named:
                    before = message.root.fields[: wires.index(message.payload or "")]
                    rows = tuple(field_row(contract, field) for field in before)
                    roots[message.root.name] = (operation.envelope, message.role), rows
                    alike[operation.envelope, message.role][rows] += 1
                    rules[operation.envelope, message.role][rule_rows(message.root)] += 1
        self.operations = {
            name: EnvelopeTable(name, [OperationTable(contract, one) for one in some])
            for name, some in by_envelope.items()
            if len(some) > 1
        }
        self.members = {
            key: EnvelopeMembers(*key, rows, rules[key].most_common(1)[0][0])
            for key, counted in alike.items()
            for rows, count in counted.most_common(1)
            if count > 1 and rows
        }
        self._of_root = {
            root: self.members[key]
            for root, (key, rows) in roots.items()
            if key in self.members and self.members[key].rows == rows
        }

    def row(self, table: OperationTable) -> str:
        """Return an operation as a call, as source."""
        envelope = self.operations.get(table.operation.envelope)
        return table.row if envelope is None else envelope.row(table)

    def of(self, root: str) -> EnvelopeMembers | None:
        """Return the members that the struct of a whole message begins with; None where they are its own."""
        return self._of_root.get(root)

    @property
    def names(self) -> list[str]:
        """Return every name that the module defines."""
        tables = self.operations.values()
        refuses = [table.refuses_name for table in tables if table.refuses]
        members = [name for one in self.members.values() for name in (one.name, one.rules_name)]
        return [*(table.name for table in tables), *refuses, *members]
