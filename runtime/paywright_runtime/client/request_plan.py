"""Plan how one operation's requests are put together for one merchant, and fill the plan with arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from paywright_runtime import strict_json
from paywright_runtime.client.answer_checks import answer_violations, unknown_answer_members
from paywright_runtime.client.settings import ClientSettings, Merchant, missing
from paywright_runtime.contract.conversion import Writer, writers
from paywright_runtime.contract.violations import Report
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.version import VERSION

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct
    from paywright_runtime.contract.operation import Operation

__all__ = ["RequestPlan", "add_extra", "fill"]

_SOME_TIME: Final = "2025-06-01T12:00:00.000+00:00"
_USER_AGENT: Final = f"paywright/{VERSION}"

# How a member of a request comes about.
_CONSTANT, _ARGUMENT, _CLOCK, _DATA = range(4)
_Step = tuple[str, int, object]


class Envelope:
    """The bytes of a request around its data, which are the same in every request of an operation but for the time."""

    __slots__ = ("_before", "_behind", "_between")

    def __init__(self, before: bytes, between: bytes, behind: bytes) -> None:
        self._before = before
        self._between = between
        self._behind = behind

    def around(self, data: bytes, time: str) -> bytes:
        """Return the whole request."""
        return b"".join((self._before, time.encode(), self._between, data, self._behind))


class RequestPlan:
    """How one operation's requests are put together for one merchant, worked out at its first call.

    With an `envelope`, which was compared with the contract here, `validate` judges the data; without one, the whole.
    """

    __slots__ = (
        "answered_in",
        "at",
        "code",
        "data",
        "envelope",
        "find_unknown",
        "find_violations",
        "foreign",
        "headers",
        "message",
        "message_at",
        "path",
        "result",
        "root",
        "shows",
        "success",
        "validate",
        "yes",
    )

    def __init__(self, contract: Contract, operation: Operation, merchant: Merchant, settings: ClientSettings) -> None:
        self.foreign: frozenset[str] | None = None
        absent: list[str] = []
        self.path = settings.paths.get(operation.name) or operation.path or ""
        if not self.path:
            absent.append(f"paths[{operation.name}]")
        root = contract.struct(operation.request)
        self.message = root.name
        self.root = _steps(contract, root, operation, merchant, absent)
        self.data = (
            _steps(contract, contract.struct(operation.data), operation, merchant, absent) if operation.data else []
        )
        headers = contract.struct(operation.request_headers).fields if operation.request_headers else ()
        self.headers: list[tuple[str, str, str | None]] = [("Accept", "constant", "application/json")]
        self.headers.append(("User-Agent", "constant", _USER_AGENT))
        for field in headers:
            source = field.source or "constant"
            text = _number(merchant, source, field, absent) if source.startswith("merchant.") else field.sends
            if source == "snap.signature" and merchant.snap_signature is None:
                absent.append("snap_signature")
            if text is not None or not source.startswith(("merchant.", "constant")):
                self.headers.append((field.wire, source, text))
        if all(name.lower() != "content-type" for name, _, _ in self.headers):
            self.headers.append(("Content-Type", "constant", "application/json"))
        if absent:
            raise missing(absent)
        asked_in, self.answered_in = operation.payloads
        self.at = f"/{asked_in}" if asked_in else ""
        self.success, self.code, self.message_at = operation.success_path, operation.code_path, operation.message_path
        self.yes = operation.succeeds[1] if operation.succeeds is not None else ""
        self.envelope = _envelope(contract, root, self.root, self.at)
        self.validate = contract.validator(operation.data if self.envelope and operation.data else root.name)
        self.result = contract.struct(operation.result) if operation.result else None
        self.find_violations = partial(answer_violations, contract, operation)
        self.find_unknown = partial(unknown_answer_members, contract, operation)
        shown = self.result.by_wire if self.result is not None else {}
        self.shows = tuple(each for each in operation.shows if each.answered_path[0] in shown)

    def arguments(self) -> Iterator[str]:
        """Iterate over the names on the wire of the arguments that the operation takes."""
        return (name for name, how, _ in (*self.root, *self.data) if how == _ARGUMENT)


def _number(merchant: Merchant, source: str, field: Field, absent: list[str]) -> str | None:
    name = source.removeprefix("merchant.")
    value = cast("str | None", getattr(merchant, name))
    if value is None and field.required:
        absent.append(name)
    return value


def _steps(
    contract: Contract, struct: Struct, operation: Operation, merchant: Merchant, absent: list[str]
) -> list[_Step]:
    steps: list[_Step] = []
    for field, writer in zip(struct.fields, writers(contract, struct), strict=True):
        if field.wire == operation.payloads[0] and operation.data and struct.name == operation.request:
            steps.append((field.wire, _DATA, None))
        elif field.sends is not None:
            steps.append((field.wire, _CONSTANT, field.sends))
        elif field.source == "clock":
            steps.append((field.wire, _CLOCK, None))
        elif field.source is not None:
            value = (
                operation.version
                if field.source == "operation.version"
                else _number(merchant, field.source, field, absent)
            )
            if value is not None:
                steps.append((field.wire, _CONSTANT, value))
        elif (
            field.kind == "struct"
            and not field.array
            and all(inner.sends is not None for inner in contract.struct(field.of or "").fields)
        ):
            constants = {inner.wire: inner.sends for inner in contract.struct(field.of or "").fields}
            steps.append((field.wire, _CONSTANT, constants))
        else:
            steps.append((field.wire, _ARGUMENT, writer))
    return steps


def _envelope(contract: Contract, root: Struct, steps: list[_Step], at: str) -> Envelope | None:
    """Return the envelope; None if it breaks the contract, holds arguments or more than one time, or has rules about the whole."""
    if root.rules or [how for _, how, _ in steps if how != _CONSTANT] != [_CLOCK, _DATA]:
        return None
    report = Report()
    whole = fill(steps, {}, _SOME_TIME, {}, "", report)
    contract.validator(root.name)(whole, "", report)
    if any(not pointer.startswith(f"{at}/") for pointer, _, _ in report.found):
        return None
    try:
        before, between = strict_json.write(whole).split(_SOME_TIME.encode())
    except (ValueError, strict_json.JsonProblem):
        return None
    member = f'"{at[1:]}":'.encode()
    between, behind = between.split(member + b"{}")
    return Envelope(before, between + member, behind)


def fill(
    steps: list[_Step], values: Mapping[str, object], time: str, data: dict[str, object] | None, at: str, report: Report
) -> dict[str, object]:
    """Return the object that the steps make of the arguments; report what cannot be written, at pointers under `at`."""
    wire: dict[str, object] = {}
    for name, how, what in steps:
        if how == _ARGUMENT:
            value = values.get(name)
            if value is not None:
                # Text that is text already is most of a message.
                wire[name] = value if type(value) is str else cast(Writer, what)(value, f"{at}/{name}", report)
        elif how == _CONSTANT:
            wire[name] = what
        else:
            wire[name] = time if how == _CLOCK else data
    return wire


def add_extra(struct: Struct, wire: dict[str, object], extra: Mapping[str, object]) -> None:
    """Add members newer than the contract to `wire`. Raises `InvalidArgument` for members that the contract has."""
    for name, value in extra.items():
        if name in struct.by_wire:
            raise InvalidArgument(
                f"extra is for members newer than the contract, and {name} is one of its own: "
                f"pass {struct.by_wire[name].python}=... instead. Nothing was sent."
            )
        wire[name] = value
