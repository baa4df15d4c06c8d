"""What the audit needs of each operation, taken from the contract once: validators, headers, keys, echoes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from paywright.contract import CONTRACT
from paywright_runtime.facts import Operation
from paywright_runtime.violations import Report
from paywright_tools.audit.records import Pairs

__all__ = [
    "CURRENT_KEY",
    "OTHER",
    "HeaderPlan",
    "MessagePlan",
    "OperationPlan",
    "Path",
    "folds_case",
    "in_data",
    "plan_of",
    "unknown_notification",
]

OTHER: Final = "(other)"
"""What a code is counted as that the contract does not know."""
CURRENT_KEY: Final = "1"
"""The keyVersion of the one signature algorithm there is [2.1, 5.6]."""
_ECHOED: Final = {
    "merchant.validate_bill_payment": ("referenceNo",)
}  # which the contract does not list as echoes [4.18]
_MOST_NAMES: Final = 4096
_MOST_MEDIA: Final = 64
Path = tuple[str, ...]


class HeaderPlan:
    """The headers that the contract knows of one message; their names are compared without case."""

    __slots__ = ("_check", "_due", "_good", "_names", "_plain", "_spelled", "sign_due", "snap", "struct")

    def __init__(self, struct: str) -> None:
        fields = CONTRACT.struct(struct).by_wire
        self.struct = struct
        self.sign_due = "sign" in fields and fields["sign"].required
        self.snap = "X-SIGNATURE" in fields
        self._check = CONTRACT.validator(struct)
        self._names = {name.lower(): name for name in fields}
        self._spelled: dict[str, str | None] = {}
        # Where but the media type any text will do, media types that were found good need not be looked at again.
        self._plain = all(field.limits == "string" or name == "Content-Type" for name, field in fields.items())
        self._due = frozenset(name for name, field in fields.items() if field.required)
        self._good: set[object] = set() if "Content-Type" in fields else {None}

    def known(self, pairs: Pairs) -> tuple[dict[str, object], Sequence[str]]:
        """The headers by the contract's spelling, the last of several counting, and those that stand more than once."""
        found: dict[str, object] = {}
        repeated: Sequence[str] = ()
        spelled = self._spelled
        for name, value in pairs:
            try:
                wire = spelled[name]
            except KeyError:
                wire = self._names.get(name.lower())
                if len(spelled) < _MOST_NAMES:
                    spelled[name] = wire
            if wire is not None:
                if wire in found and wire not in repeated:
                    repeated = (*repeated, wire)
                found[wire] = value
        return found, repeated

    def check(self, found: dict[str, object], bad: Report) -> None:
        """Judges the headers found."""
        if self._plain and self._due <= found.keys():
            media = found.get("Content-Type")
            if media in self._good:
                return
            before = len(bad.found)
            self._check(found, "@header", bad)
            if len(bad.found) == before and len(self._good) < _MOST_MEDIA:
                self._good.add(media)
            return
        self._check(found, "@header", bad)


class MessagePlan:
    """One message of an operation. `headers` is None where the contract shows none."""

    __slots__ = ("check", "headers", "part", "struct")

    def __init__(self, part: str, struct: str, headers: str | None) -> None:
        self.part = part
        self.struct = struct
        self.check: Callable[[dict[str, object], str, Report], None] = CONTRACT.validator(struct)
        self.headers = None if headers is None else HeaderPlan(headers)


class OperationPlan:
    """One operation. `echoes` are the echoed members, each with whether it stands in the request's `data` and in the answer's, and
    whether it is compared without case; `clock` is the member of the request that holds its time, `version` the one that holds its
    version and the current one, `key_version` where the version of the signature's algorithm stands. `code` is the member of the
    answer that holds its code, `success` the one that says yes, and `codes` are those that the contract knows."""

    __slots__ = (
        "answered", "asked", "clock", "code", "codes", "echoes", "key_version", "name", "operation", "success", "version",
    )  # fmt: skip

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.name = operation.name
        asked, answered = operation.roles
        self.asked = MessagePlan(asked, operation.asks, operation.request_headers)
        self.answered = MessagePlan(answered, operation.answers, operation.response_headers)
        self.echoes = tuple(
            (name, in_data(operation.asks, name), in_data(operation.answers, name), folds_case(operation))
            for name in operation.echoes or _ECHOED.get(operation.name, ())
        )
        # What a notification says of success it says by itself; the merchant's answer to it has a word of its own [4.19].
        ours = None if operation.inbound else operation.succeeds
        self.code, self.success = ours or ("code", "SUCCESS")
        self.codes = operation.refuses | operation.absent | operation.repeats | {self.success}
        fields = CONTRACT.struct(operation.asks).fields
        # Calls alone are due within two minutes [8]; a notification may be delivered hours late.
        timed = () if operation.inbound else fields
        self.clock = next((field.wire for field in timed if field.source == "clock"), None)
        wire = next((field.wire for field in fields if field.source == "operation.version"), None)
        places = (("keyVersion",), ("additionalInfo", "keyVersion"))
        self.key_version = next((place for place in places if _has(operation.asks, place)), None)
        self.version = (wire, operation.version) if wire is not None and operation.version is not None else None


def in_data(struct: str, name: str) -> bool:
    """Whether a member stands in a message's `data`, and not at its top."""
    return name not in CONTRACT.struct(struct).by_wire


def folds_case(operation: Operation) -> bool:
    """Whether the keys of an operation are compared without case: its own, or those of what it inquires [4.1]."""
    return operation.key_ignores_case or operation.name in _folding()


@cache
def _folding() -> frozenset[str]:
    writes = (CONTRACT.operation(name) for name in CONTRACT.operations())
    return frozenset(
        str(one.resolution.operation) for one in writes if one.key_ignores_case and one.resolution is not None
    )


def _has(struct: str, place: Path) -> bool:
    field = CONTRACT.struct(struct).by_wire.get(place[0])
    return field is not None and (len(place) == 1 or (bool(field.of) and _has(str(field.of), place[1:])))


@cache
def plan_of(name: str) -> OperationPlan:
    """The plan of an operation, made when it is first seen."""
    return OperationPlan(CONTRACT.operation(name))


@cache
def unknown_notification() -> HeaderPlan:
    """The headers of a notification that the contract does not show: those of any other [6]."""
    shown = next(
        operation
        for operation in map(CONTRACT.operation, CONTRACT.operations())
        if operation.inbound and operation.request_headers
    )
    return HeaderPlan(str(shown.request_headers))
