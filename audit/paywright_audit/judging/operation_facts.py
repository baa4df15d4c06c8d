"""Precompute facts about each operation for the audit: validators, headers, keys, echoes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.records import Pairs
from paywright_audit.judging.memo import Memo
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.value_checks import Report

CURRENT_KEY: Final = "1"
"""The keyVersion of the only signature algorithm [2.1, 5.6]."""
_MEDIA_TYPE: Final = "Content-Type"
_NAME: Final = itemgetter(0)
INBOUND: Final = ("gateway", "merchant")
"""The sender of a notification, and that of the answer."""
Path = tuple[str, ...]


class HeaderFacts:
    """The headers that the contract lists for one message. Names are compared without case."""

    def __init__(self, struct: str) -> None:
        fields = CONTRACT.struct(struct).by_wire
        self.struct: str = struct
        self.sign_due: bool = "sign" in fields and fields["sign"].required
        self.snap: bool = "X-SIGNATURE" in fields
        self.check: Callable[[dict[str, object], str, Report], None] = CONTRACT.validator(struct)
        self._names = {name.lower(): name for name in fields}
        self._needed = {name for name, field in fields.items() if field.required}
        self._media_alone = all(field.limits == "string" for name, field in fields.items() if name != _MEDIA_TYPE)
        self._places = Memo(self._place)
        self._fits = Memo(self._is_media_type)

    def usual_signature(self, pairs: Pairs) -> str | None:
        """Return the signature among headers that break nothing; None if they must be looked at.

        Names are judged once for all messages that have the same ones, and so are media types.
        """
        places, _, usual = self._places[tuple(map(_NAME, pairs))]
        if not usual or (_MEDIA_TYPE in places and not self._fits[pairs[places[_MEDIA_TYPE]][1]]):
            return None
        return pairs[places["sign"]][1]

    def known(self, pairs: Pairs) -> tuple[dict[str, object], Sequence[str]]:
        """Return the headers by the contract's names, with the last of several, and the names that are repeated."""
        places, repeated, _ = self._places[tuple(map(_NAME, pairs))]
        return {wire: pairs[place][1] for wire, place in places.items()}, repeated

    def signature(self, pairs: Pairs) -> tuple[object, bool]:
        """Return the signature, the last of several, None without one; and whether there are several."""
        found, repeated = self.known(pairs)
        return found.get("sign"), "sign" in repeated

    def _place(self, names: tuple[str, ...]) -> tuple[Mapping[str, int], Sequence[str], bool]:
        """Return the places of known headers, the repeated ones, and whether all are there once, a signature too."""
        places: dict[str, int] = {}
        repeated: dict[str, None] = {}
        for place, name in enumerate(names):
            wire = self._names.get(name.lower())
            if wire is not None:
                if wire in places:
                    repeated[wire] = None
                places[wire] = place
        return places, [*repeated], not repeated and self._media_alone and places.keys() >= {"sign", *self._needed}

    def _is_media_type(self, text: str) -> bool:
        report = Report()
        self.check({**dict.fromkeys(self._needed, ""), _MEDIA_TYPE: text}, "", report)
        return not report.found


class MessageFacts:
    """One message of an operation. `headers` is None if the contract lists none."""

    def __init__(self, part: str, struct: str, headers: str | None) -> None:
        self.part: str = part
        self.struct: str = struct
        self.check: Callable[[dict[str, object], str, Report], None] = CONTRACT.validator(struct)
        self.headers: HeaderFacts | None = None if headers is None else HeaderFacts(headers)


class OperationFacts:
    """Precomputed facts about one operation.

    `echoes` are the echoed members, each with the paths of the objects that have it in request and response, and whether
    it is compared without case. `clock` is the member with the time of a call, `signed` that
    of any request, `version` the member with the operation's version, and the current one. `key_version` is the path of the
    version of the signature's algorithm. `code` is the member of the response with its code, `success` the code of success.
    """

    def __init__(self, operation: Operation) -> None:
        self.operation: Operation = operation
        self.name: str = operation.name
        self.senders: tuple[str, str] = INBOUND if operation.inbound else ("merchant", "gateway")
        self.parts: tuple[str, str] = operation.roles
        asked, answered = self.parts
        self.asked: MessageFacts = MessageFacts(asked, operation.request, operation.request_headers)
        self.answered: MessageFacts = MessageFacts(answered, operation.response, operation.response_headers)
        payload = operation.payload_paths
        self.echoes: tuple[tuple[str, tuple[str, ...], tuple[str, ...], bool], ...] = tuple(
            (name, *payload, ignores_case(operation)) for name in operation.echoes
        )
        # `succeeds` of a notification is about its own content; the merchant's response has a code of its own [4.19].
        ours = None if operation.inbound else operation.succeeds
        self.code: str
        self.success: str
        self.code, self.success = ours or ("code", "SUCCESS")
        fields = CONTRACT.struct(operation.request).fields
        # Only calls must arrive within two minutes [8]; a notification may be delivered hours late.
        timed = () if operation.inbound else fields
        self.clock: str | None = next((field.wire for field in timed if field.source == "clock"), None)
        self.signed: str | None = next((field.wire for field in fields if field.source == "clock"), None)
        wire = next((field.wire for field in fields if field.source == "operation.version"), None)
        places = (("keyVersion",), ("additionalInfo", "keyVersion"))
        self.key_version: tuple[str] | tuple[str, str] | None = next(
            (place for place in places if _has(operation.request, place)), None
        )
        self.version: tuple[str, str] | None = (
            (wire, operation.version) if wire is not None and operation.version is not None else None
        )

    def code_of(self, answered: object) -> str | None:
        """Return the code of an answer; None if it has none, or one that is no text."""
        code = answered.get(self.code) if type(answered) is dict else None
        return code if type(code) is str else None


def path_of(pointer: str) -> Path:
    """Return the names in a JSON pointer."""
    return tuple(pointer.split("/")[1:])


def ignores_case(operation: Operation) -> bool:
    """Return whether the keys of an operation, or of the write that it queries, are compared without case [4.1]."""
    return operation.key_ignores_case or operation.name in _ignoring_case()


@cache
def _ignoring_case() -> frozenset[str]:
    writes = (CONTRACT.operation(name) for name in CONTRACT.operations())
    return frozenset(
        str(one.resolution.operation) for one in writes if one.key_ignores_case and one.resolution is not None
    )


def _has(struct: str, place: Path) -> bool:
    field = CONTRACT.struct(struct).by_wire.get(place[0])
    return field is not None and (len(place) == 1 or (bool(field.of) and _has(str(field.of), place[1:])))


@cache
def members_from(*sources: str) -> tuple[str, ...]:
    """Return the members of requests and notifications whose value comes from one of these sources, such as `merchant.app_id`."""
    operations = map(CONTRACT.operation, CONTRACT.operations())
    fields = [field for one in operations for field in CONTRACT.struct(one.request).fields]
    return tuple(dict.fromkeys(field.wire for source in sources for field in fields if field.source == source))


@cache
def facts_of(name: str) -> OperationFacts:
    """Return the facts of an operation, made on first use."""
    return OperationFacts(CONTRACT.operation(name))


@cache
def shown_notification() -> OperationFacts:
    """Return the facts of a notification that the specification shows: all have the same headers and time [6]."""
    operations = map(CONTRACT.operation, CONTRACT.operations())
    return next(facts_of(one.name) for one in operations if one.inbound and one.discriminators)
