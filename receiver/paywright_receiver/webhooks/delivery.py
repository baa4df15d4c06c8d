"""A verified notification (webhook) for this merchant: its kind, its key, and its content, which is read on first use [6]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from paywright_receiver.items.state_memory import OrderOf
from paywright_receiver.items.state_order import ItemStates, StateOrder
from paywright_runtime.answer import Violation
from paywright_runtime.contract.conversion import number_text, read, read_number
from paywright_runtime.contract.needed_members import Due, due_members, needed_texts
from paywright_runtime.contract.notification_digest import digest, fingerprint
from paywright_runtime.contract.validation import describe_violations, judge
from paywright_runtime.contract.value_checks import Report, within
from paywright_runtime.errors import UnreadableNotification
from paywright_runtime.redaction import shown_word

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Struct
    from paywright_runtime.contract.operation import Operation
    from paywright_runtime.strict_json import JSON

LONGEST: Final = 256
"""Most characters of a kind, a number or a state in a key of the ledger."""
_LACKS: Final = {"required": "has no value", "type": "cannot be read", "max": f"has more than {LONGEST} characters"}


def _unordered(state: str | None) -> StateOrder:
    return StateOrder()


class KindFacts:
    """A kind of notification that the specification shows: its data, the parts of its key, the order of its states."""

    __slots__ = ("_due", "_states", "_texts", "at", "fingerprint", "kind", "operation", "order", "parts", "root", "state", "struct", "validate")  # fmt: skip

    def __init__(self, contract: Contract, operation: Operation, kind: str) -> None:
        self.operation: Operation = operation
        self.kind: str = kind
        self.root: Struct = contract.struct(operation.request)
        member = self.root.by_wire.get(operation.payloads[0])
        self.at: str = "" if member is None else f"/{member.wire}"
        self.struct: Struct = self.root if member is None else contract.struct(member.of or "")
        self.validate: Callable[[dict[str, object], str, Report], None] = contract.validator(self.struct.name)
        self._texts: tuple[tuple[str, ...], ...] = tuple(needed_texts(contract, self.struct))
        self._due: Due | None = due_members(contract, self.struct)
        self.fingerprint: Callable[[object], str] = fingerprint(contract, self.struct)
        self.parts: list[tuple[tuple[str, ...], bool]] = []
        self.state: int | None = None
        self._states: ItemStates | None = None
        self.order: OrderOf = _unordered
        for number, pointer in enumerate(operation.once_per):
            path = tuple(pointer[len(self.at) + 1 :].split("/"))
            *_, (_, field) = contract.at(self.struct.name, "/" + "/".join(path))
            self.parts.append((path, field is not None and field.kind == "number"))
            if pointer == operation.state and field is not None:
                self.state = number
                self._states = ItemStates(contract, field.of or "")
                self.order = self._states.order

    def has_needed(self, data: Mapping[str, JSON]) -> bool:
        """Return whether valid data has the needed members that no limit demands; else reading it reports which are blank."""
        due, paths = self._due, self._texts
        if due is not None and data.get(due.state) in due.ends:
            paths += due.members
        for path in paths:
            value: Any = data
            for name in path:
                value = value[name]
            if not value:
                return False
        return True

    def denied(self, state: str | None, body: Mapping[str, JSON]) -> str | None:
        """Return the member that denies success although the state means paid; None if they agree [6.1, 6.2]."""
        if self.operation.succeeds is None or self._states is None or state not in self._states.paid:
            return None
        member, yes = self.operation.succeeds
        return None if within(body, self.operation.success_path) == yes else member.replace(".", "/")


class Delivery:
    """A verified notification for this merchant, with its key. `facts` is None for a kind that the specification does not show.

    `at` is the JSON pointer of its data. `lacks` are the paths of missing parts of its key, each with the code of a violation.
    `operation` is the contract's name for its kind, or None, and `by` the way by which it became known. `written` is its key as the
    merchant wrote it, if the ledger has another spelling; see `ClaimRequest`.
    """

    __slots__ = (
        "_contract", "_read", "at", "body", "by", "data", "facts", "key", "kind", "lacks", "notify_time", "operation", "order", "raw", "state",
        "subject", "written",
    )  # fmt: skip

    def __init__(
        self,
        contract: Contract,
        raw: bytes,
        body: dict[str, JSON],
        kind: str,
        facts: KindFacts | None,
        at: str,
        notify_time: datetime,
    ) -> None:
        self._contract = contract
        self._read: object = None
        self.raw: bytes = raw
        self.body: dict[str, JSON] = body
        self.kind: str = kind
        self.facts: KindFacts | None = facts
        self.order: OrderOf = _unordered if facts is None else facts.order
        self.operation: str | None = None if facts is None else facts.operation.name
        self.by: Literal["notification", "inquiry"] = "notification"
        self.written: str | None = None
        self.notify_time: datetime = notify_time
        self.at: str = at
        self.data: JSON = body.get(at[1:]) if at else body
        self.key: str = ""
        self.subject: str = ""
        self.state: str | None = None
        self.lacks: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """Return its key for people: as the merchant wrote it."""
        return self.written or self.key

    def read(self) -> object:
        """Return the typed data; for an unknown kind, `data` as parsed JSON. Raises `UnreadableNotification`."""
        if self._read is None:
            shown = self.facts is not None
            self._read = self._typed() if shown else self.data if type(self.data) is dict else {}
        return self._read

    def follows(self, was: str | None) -> None:
        """Ignore the state that had its effect before: the data is the gateway's own."""

    def check(self) -> None:
        """Raise `UnreadableNotification` if it cannot be read, lacks a member of its key, or contradicts itself.

        Data that breaks no limit and has what is needed can be read, so it is read on first use.
        """
        facts = self.facts
        if self.lacks:
            raise self._unreadable(
                Violation(f"{self.at}/{name}", code, f"it names the effect, and {_LACKS[code]}")
                for name, code in self.lacks
            )
        if facts is None:
            return
        denied = facts.denied(self.state, self.body)
        if denied is not None:
            says = "it does not say what means success, and the state says paid"
            raise self._unreadable([Violation(f"/{denied}", "contradiction", says)])
        report = Report()
        if type(self.data) is dict:
            facts.validate(self.data, facts.at, report)  # type: ignore[arg-type]  # a dict of JSON is one of objects
            if not report.found and facts.has_needed(self.data):
                return
        self.read()

    def _unreadable(self, violations: Iterable[Violation]) -> UnreadableNotification:
        return UnreadableNotification(key=self.shown, violations=tuple(violations))

    def fingerprint(self) -> str:
        """Return a hash of its content, the same for every JSON spelling of it: 64 hexadecimal digits."""
        if self.data is None:
            return digest(self.key)
        return digest(self.data) if self.facts is None else self.facts.fingerprint(self.data)

    def _typed(self) -> object:
        assert self.facts is not None
        facts, trouble, result = self.facts, Report(), None
        if type(self.data) is dict:
            result = read(self._contract, facts.struct, self.data, facts.at, trouble)
        else:
            trouble.add(facts.at, "required", "is required")
        if trouble.found:
            raise self._unreadable(describe_violations(self._contract, facts.operation.request, trouble))
        return result

    def violations(self) -> list[Violation]:
        """Return the violations of the contract; empty for an unknown kind."""
        if self.facts is None:
            return []
        operation = self.facts.operation
        return judge(self._contract, operation.name, operation.roles[0], self.body, parsed=True, read=True)


def key_step(text: str) -> str:
    """Return a part of a key of the ledger, in which parts are separated by slashes."""
    return text.replace("%", "%25").replace("/", "%2F") if "/" in text or "%" in text else text


def shown_ledger_key(key: str) -> str:
    """Return a key of the ledger for display: anything like a card number in it is masked, but for the number after the kind.

    That is the merchant's or the gateway's own.
    """
    steps = key.split("/")
    for at, step in enumerate(steps):
        if at not in (0, 2):
            steps[at] = key_step(shown_word(step.replace("%2F", "/").replace("%25", "%")))
    return "/".join(steps)


def part_of_key(data: object, path: tuple[str, ...], number: bool) -> str | None:
    """Return a part of a key as text, the same for every accepted spelling of it."""
    value = within(data, path)
    if type(value) is str and not number:
        return value
    found = read_number(value)
    return None if found is None else number_text(found)
