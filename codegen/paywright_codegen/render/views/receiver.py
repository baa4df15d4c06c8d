"""Views of `receiver.py.jinja`: a decorator for every notification, and a class for every question."""

from __future__ import annotations

from paywright_codegen import naming
from paywright_codegen.lookup import payload_struct, told
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import Field
from paywright_codegen.python_types import argument_type
from paywright_codegen.render.views.doc_text import wrapped


class NotificationView:
    """A notification as a decorator for its handler."""

    def __init__(self, contract: Contract, operation: Operation) -> None:
        self.name = operation.name
        self.method = f"on_{operation.verb}"
        self.data = payload_struct(contract, operation.asks)[1].name
        self._operation = operation

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the decorator."""
        lines = _head(self._operation)
        *others, last = [".".join(map(naming.variable, path)) for path in self._operation.once_per]
        fields = f"{', '.join(others)} and {last}" if others else last
        said = f"`event.data` is the {self.data}. It has one effect for each {fields}."
        return [*lines, "", *wrapped(said, 8)]


class QuestionView:
    """A question to the merchant: a class with `accept` and `refuse`, and a decorator for the function that decides."""

    def __init__(self, contract: Contract, operation: Operation) -> None:
        assert operation.decides is not None  # the linter requires it
        decision = told(contract, operation.answers)
        self.name = operation.name
        self.method = f"on_{operation.verb}"
        self.asked = operation.asks.result or ""
        self.class_name = f"{self.asked}Question"
        self.decision = decision.name
        self.module = naming.module(decision.place)
        self._contract = contract
        self._operation = operation
        self._decides = operation.decides
        self._fields = decision.fields
        self._echoed = {field.wire for field in payload_struct(contract, operation.asks)[1].fields}

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the decorator."""
        said = (
            f"The function gets a {self.class_name} and returns a {self.decision}, such as its accept(...) or refuse(...). "
            "It runs in a thread of its own; when it fails or takes longer than `bill_deadline`, the answer is a refusal. "
            "It must have no effect: the question carries neither who is asked nor when, and may come again."
        )
        return [*_head(self._operation), "", *wrapped(said, 8)]

    @property
    def class_doc(self) -> list[str]:
        """Return the docstring of the class."""
        asked = self._contract.structs[self.asked]
        return wrapped(f"{asked.prose.summary.rstrip('.')} [{', '.join(asked.sections)}].", 4)

    def _asked_for(self) -> list[Field]:
        """Return the fields that the merchant fills in to accept: those that neither repeat the question nor decide."""
        skipped = {self._decides.member, self._decides.reason, *self._echoed}
        return [field for field in self._fields if field.wire not in skipped]

    @property
    def arguments(self) -> list[str]:
        """Return the arguments of `accept`."""
        fields = sorted(self._asked_for(), key=lambda field: not field.required)
        return [
            f"{naming.variable(field.wire)}: {argument_type(self._contract, field)}"
            + ("" if field.required else " = None")
            for field in fields
        ]

    @property
    def accepted(self) -> list[str]:
        """Return the members of an acceptance, as keyword arguments."""
        return [*self._common(self._decides.yes), *(f"{name}={name}" for name in map(_python, self._asked_for()))]

    @property
    def refused(self) -> list[str]:
        """Return the members of a refusal, as keyword arguments. Its amounts are 0."""
        zeros = [f"{_python(field)}=0" for field in self._asked_for() if field.required]
        cut = next((field.max for field in self._fields if field.wire == self._decides.reason), None)
        reason = self.reason if cut is None else f"{self.reason}[:{cut}]"
        return [*self._common(self._decides.no), *zeros, f"{self.reason}={reason}"]

    @property
    def reason(self) -> str:
        """Return the argument of `refuse`."""
        return naming.variable(self._decides.reason)

    def _common(self, word: str) -> list[str]:
        echoed = [_python(field) for field in self._fields if field.wire in self._echoed]
        return [*(f"{name}=self.data.{name}" for name in echoed), f"{naming.variable(self._decides.member)}={word!a}"]


class ReceiverView:
    """Everything that a receiver handles."""

    def __init__(self, contract: Contract) -> None:
        inbound = [operation for operation in contract.operations.values() if operation.inbound]
        self.notifications = [NotificationView(contract, one) for one in inbound if one.asks.role == "notification"]
        self.questions = [QuestionView(contract, one) for one in inbound if one.decides is not None]

    def __bool__(self) -> bool:
        return bool(self.notifications or self.questions)


def _python(field: Field) -> str:
    return naming.variable(field.wire)


def _head(operation: Operation) -> list[str]:
    cited = f" [{', '.join(operation.sections)}]"
    lines = wrapped(operation.prose.summary.rstrip(".") + f"{cited}.", 8)
    return [*lines, "", *wrapped(" ".join(operation.prose.more), 8)] if operation.prose.more else lines
