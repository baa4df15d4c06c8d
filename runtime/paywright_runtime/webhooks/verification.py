"""From raw bytes and headers to a notification that is verified, meant for us, fresh, and has a key [5, 6].

The order is the point: nothing but verified bytes reaches a parser, and nothing that is meant for another merchant, or that
is older than the ledger remembers, reaches the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from paywright_runtime import formats, strict_json
from paywright_runtime.content import Fingerprint, digest, number_text
from paywright_runtime.errors import UnreadableNotification
from paywright_runtime.ledger import StateOrder
from paywright_runtime.signatures import SignatureProblem, VerifiedBytes, Verifier
from paywright_runtime.state_order import state_order
from paywright_runtime.violations import Report, Violation
from paywright_runtime.wire import read, unknown_members

if TYPE_CHECKING:
    from paywright_runtime.facts import Contract, Operation, Struct
    from paywright_runtime.reply import Outcome
    from paywright_runtime.strict_json import JSON

__all__ = ["Delivery", "Headers", "Inbound", "Known", "Refused"]

Headers = Mapping[str, str] | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]

_NOW: Final = timedelta(0)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,64}(?:[.][0-9]{1,64})?").fullmatch


class Refused(Exception):
    """What came is not taken. `outcome` is a stable word, `why` a sentence that holds no value."""

    def __init__(self, outcome: Outcome, why: str) -> None:
        super().__init__(outcome, why)
        self.outcome: Outcome = outcome
        self.why: str = why


class Known:
    """A kind of notification that the contract shows: where its data stands, what its key is made of, how its state moves."""

    __slots__ = ("_order", "_paid", "_strange", "at", "fingerprint", "kind", "operation", "parts", "root", "state", "struct", "validate")  # fmt: skip

    def __init__(self, contract: Contract, operation: Operation, kind: str) -> None:
        self.operation: Operation = operation
        self.kind: str = kind
        self.root: Struct = contract.struct(operation.asks)
        data = self.root.by_wire.get("data")
        self.at = "/data" if data is not None and data.kind == "struct" else ""
        self.struct: Struct = contract.struct(data.of or "") if self.at and data is not None else self.root
        self.validate: Callable[[dict[str, object], str, Report], None] = contract.validator(self.struct.name)
        self.fingerprint: Fingerprint = Fingerprint(contract, self.struct)
        self.parts: list[tuple[tuple[str, ...], bool]] = []
        self.state: int | None = None
        self._order: dict[str, StateOrder] = {}
        self._strange = StateOrder()
        self._paid: frozenset[str] = frozenset()
        for number, pointer in enumerate(operation.once_per):
            path = tuple(pointer[len(self.at) + 1 :].split("/"))
            *_, (_, field) = contract.at(self.struct.name, "/" + "/".join(path))
            self.parts.append((path, field is not None and field.kind == "number"))
            if pointer == operation.state and field is not None:
                self.state = number
                self._order, self._strange = state_order(contract, field.of or "")
                self._paid = frozenset(contract.set(field.of or "").paid)

    def order(self, state: str | None) -> StateOrder:
        """The place of a state among the others."""
        return StateOrder() if state is None else self._order.get(state, self._strange)

    def denied(self, state: str | None, body: Mapping[str, JSON]) -> str | None:
        """The member of the whole message that says no where the state says paid; None where they agree [6.1, 6.2]."""
        if self.operation.succeeds is None or state not in self._paid:
            return None
        member, yes = self.operation.succeeds
        return None if body.get(member) == yes else member


class Delivery:
    """A verified notification for us, with its key. `known` is None for a kind that the contract does not show."""

    __slots__ = ("_contract", "_read", "body", "data", "key", "kind", "known", "lacks", "notify_time", "raw", "state", "subject")  # fmt: skip

    def __init__(
        self,
        contract: Contract,
        raw: bytes,
        body: dict[str, JSON],
        kind: str,
        known: Known | None,
        notify_time: datetime,
    ) -> None:
        self._contract = contract
        self._read: object = None
        self.raw: bytes = raw
        self.body: dict[str, JSON] = body
        self.kind: str = kind
        self.known: Known | None = known
        self.notify_time: datetime = notify_time
        self.data: JSON = body if known is not None and not known.at else body.get("data")
        self.key: str = ""
        self.subject: str = ""
        self.state: str | None = None
        self.lacks: tuple[str, ...] = ()

    def read(self) -> object:
        """What it tells of. Raises `UnreadableNotification`."""
        if self._read is None:
            shown = self.known is not None
            self._read = self._typed() if shown else self.data if type(self.data) is dict else {}
        return self._read

    def check(self) -> None:
        """Raise `UnreadableNotification` unless it can be read, has all that names its effect, and does not deny itself.

        What breaks no limit can be read, and is read when it is asked for.
        """
        known = self.known
        at = "/data" if known is None else known.at
        if self.lacks:
            raise self._unreadable(
                Violation(f"{at}/{name}", "required", "it names the effect, and has no value") for name in self.lacks
            )
        if known is None:
            return
        denied = known.denied(self.state, self.body)
        if denied is not None:
            says = "it does not say what means success, and the state says paid"
            raise self._unreadable([Violation(f"/{denied}", "contradiction", says)])
        bad = Report()
        if type(self.data) is dict:
            known.validate(self.data, known.at, bad)  # type: ignore[arg-type]  # a dict of JSON is one of objects
            if not bad.found:
                return
        self.read()

    def _unreadable(self, violations: Iterable[Violation]) -> UnreadableNotification:
        return UnreadableNotification(key=self.key, violations=tuple(violations))

    def fingerprint(self) -> str:
        """A hash over what it says: the same for every writing of it."""
        if self.data is None:
            return digest(self.key)
        return digest(self.data) if self.known is None else self.known.fingerprint.of(self.data)

    def _typed(self) -> object:
        assert self.known is not None
        known, trouble, result = self.known, Report(), None
        if type(self.data) is dict:
            result = read(self._contract, known.struct, self.data, known.at, trouble)
        else:
            trouble.add(known.at, "required", "is required")
        if trouble.found:
            raise self._unreadable(trouble.violations(self._contract, known.operation.asks))
        return result

    def violations(self) -> list[Violation]:
        """Where it departs from the contract."""
        if self.known is None:
            return []
        struct = self.known.operation.asks
        bad = Report()
        self._contract.validator(struct)(dict(self.body), "", bad)
        return bad.violations(self._contract, struct)

    def unknown(self) -> list[str]:
        """JSON pointers of members that the contract does not name."""
        return [] if self.known is None else unknown_members(self._contract, self.known.root, self.body)


class Inbound:
    """Opens what comes in for one merchant."""

    def __init__(
        self,
        contract: Contract,
        *,
        app_id: str,
        merchant_no: str | None,
        verifier: Verifier,
        max_age: timedelta,
        max_ahead: timedelta,
        max_bytes: int,
        once_per: Mapping[str, Sequence[str]],
    ) -> None:
        self.contract: Contract = contract
        self._app_id = app_id
        self._verify = verifier.verify
        self._max_age = max_age
        self._max_ahead = max_ahead
        self._max_bytes = max_bytes
        self._once_per = once_per
        self.known: dict[str, Known] = {}
        self.questions: list[Operation] = []
        self._tells: str | None = None
        self._ours: list[tuple[str, str, bool]] = []
        self._time: str | None = None
        for operation in map(contract.operation, contract.operations()):
            if not operation.inbound:
                continue
            if operation.decides is not None:
                self.questions.append(operation)
            for pointer, kind in operation.tells.items():
                self._tells = pointer[1:]
                self.known[kind] = Known(contract, operation, kind)
        numbers = {"merchant.app_id": app_id, "merchant.merchant_no": merchant_no}
        for known in self.known.values():
            for field in known.root.fields:
                number = numbers.get(field.source or "")
                # Every notification names the app; a number that is left out says nothing against us.
                row = (field.wire, number or "", field.source == "merchant.app_id")
                if number is not None and row not in self._ours:
                    self._ours.append(row)
                if field.source == "clock":
                    self._time = field.wire

    # From bytes to JSON

    def open(self, raw: object, headers: object) -> VerifiedBytes:
        """The bytes, once exactly one valid signature covers them. Raises `Refused`."""
        if type(raw) is not bytes:
            if not isinstance(raw, (bytes, bytearray, memoryview)):
                raise Refused(
                    "not_raw", f"the body was given as {type(raw).__name__}, not as the raw bytes that were signed"
                )
            raw = memoryview(raw).tobytes()  # not bytes(raw): a class of its own may say something else there
        if len(raw) > self._max_bytes:
            raise Refused("too_large", f"the body has more than {self._max_bytes} bytes")
        try:
            found = _signatures(headers)
        except (TypeError, ValueError, AttributeError):
            raise Refused("unsigned", "the headers are neither a mapping nor pairs") from None
        if len(found) != 1:
            if found:
                raise Refused("several_signatures", "there is more than one header sign")
            raise Refused("unsigned", "there is no header sign")
        try:
            return self._verify(raw, found[0])
        except SignatureProblem as problem:
            reason = problem.reason
        if reason == "not_canonical":
            raise Refused("not_canonical", "the signature is not canonical Base64")
        raise Refused("bad_signature", "the signature does not hold")

    def parse(self, raw: bytes) -> dict[str, JSON]:
        """The JSON object in verified bytes. Raises `Refused`."""
        try:
            body = strict_json.parse(raw, max_bytes=self._max_bytes)
        except strict_json.JsonProblem as problem:
            why = strict_json.WHY[problem.why]
        else:
            if type(body) is dict:
                return body
            why = "it is no object"
        raise Refused("not_json", f"the body is not a strict JSON object: {why}")

    # From JSON to a delivery

    def kind(self, body: Mapping[str, JSON]) -> str | None:
        """What tells it from other notifications; None if nothing does."""
        kind = None if self._tells is None else body.get(self._tells)
        return kind if type(kind) is str and kind else None

    def time(self, body: Mapping[str, JSON]) -> datetime | None:
        """When it says it was notified, or None; not judged."""
        text = body.get(self._time) if self._time is not None else None
        return formats.read_time(text) if type(text) is str else None

    def question(self, body: Mapping[str, JSON]) -> Operation:
        """The question that a body without a kind asks: the one whose required members it has. Raises `Refused`."""
        for operation in self.questions:
            fields = self.contract.struct(operation.asks).fields
            if all(field.wire in body for field in fields if field.required):
                return operation
        raise Refused("no_kind", f"the body has no {self._tells}, and is no question that the contract shows")

    def delivery(self, raw: bytes, body: dict[str, JSON], kind: str, now: datetime | None) -> Delivery:
        """A notification for us, fresh by `now` (None: whenever it is from). Raises `Refused`, `UnreadableNotification`.

        The latter is raised by `check` only; here it is not yet known whether the data can be read.
        """
        for wire, number, needed in self._ours:
            value = body.get(wire)
            if value != number and str(value) != number and (needed or value not in (None, "")):
                raise Refused("not_ours", f"its {wire} is another one than ours")
        made = Delivery(self.contract, raw, body, kind, self.known.get(kind), self._fresh(self.time(body), now))
        self._name(made)
        return made

    def _fresh(self, time: datetime | None, now: datetime | None) -> datetime:
        if time is None:
            raise Refused("no_time", f"its {self._time} is no time with an offset")
        if now is not None:
            age = now - time
            if age > self._max_age:
                raise Refused("too_old", f"its {self._time} is older than {self._max_age}")
            if age < _NOW and -age > self._max_ahead:
                raise Refused(
                    "too_new", f"its {self._time} is more than {self._max_ahead} ahead of this machine's clock"
                )
        return time

    def _name(self, made: Delivery) -> None:
        """Work out key, subject and state."""
        known = made.known
        front = f"{_step(self._app_id)}/{_step(made.kind)}"
        if known is not None:
            parts = known.parts
        else:
            parts = [((name,), False) for name in self._once_per.get(made.kind, ())]
        named: list[str] = []
        for path, number in parts:
            text = _text(made.data, path, number)
            if not text:
                made.lacks += ("/".join(path),)
            named.append(text or "")
        if made.lacks or not named:
            # Nothing names it but what it says.
            content = made.data if made.data is not None else {k: v for k, v in made.body.items() if k != self._time}
            made.key = made.subject = f"{front}/sha256:{digest(content)}"
            return
        if known is not None and known.state is not None:
            made.state = named.pop(known.state)
            made.subject = "/".join([front, *map(_step, named)])
            made.key = f"{made.subject}/{_step(made.state)}"
        else:
            made.key = made.subject = "/".join([front, *map(_step, named)])


def _signatures(headers: Any) -> list[str]:
    """The values of all headers called sign; none where these are no headers."""
    found: list[str] = []
    items = getattr(headers, "items", None)
    pairs: Iterable[tuple[object, object]] = items() if items is not None else headers
    for name, value in pairs:
        if isinstance(name, bytes):
            name = name.decode("latin-1")
        if isinstance(name, str) and len(name) == 4 and name.lower() == "sign":
            found.append(value.decode("latin-1") if isinstance(value, bytes) else str(value))
    return found


def _step(text: str) -> str:
    return text.replace("%", "%25").replace("/", "%2F") if "/" in text or "%" in text else text


def _text(data: object, path: tuple[str, ...], number: bool) -> str | None:
    """A part of a key as text, the same for every tolerated writing of it."""
    value = data
    for name in path:
        if type(value) is not dict:
            return None
        value = value.get(name)
    if type(value) is str:
        if not number:
            return value
        value = Decimal(value) if len(value) <= 64 and _NUMBER(value) else None
    if type(value) is int:
        return str(value)
    return number_text(value) if isinstance(value, Decimal) else None
