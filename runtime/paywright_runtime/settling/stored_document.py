"""Write and read a resolver or followed item as JSON, for another process. It is accepted only as it was written, and for its owner.

It belongs to one merchant at one address: a "not there" of another gateway, or of the sandbox, proves nothing about this one.
A permission to place again is not stored; the process that continues queries once more first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, NoReturn, TypeAlias, TypeVar

from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.redaction import redacted
from paywright_runtime.settling.resolution import ResolutionState
from paywright_runtime.settling.schedule import Absence, GivenPermission
from paywright_runtime.transport.endpoint import read_base_url

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract

Form: TypeAlias = Literal["text", "optional_text", "texts", "listed", "count", "flag", "time", "optional_time"]
"""The form of a stored value: the method of `Reader` that reads it."""

T = TypeVar("T")
_MOST = 10**9
_FIRST_YEAR, _LAST_YEAR = 1900, 9000


class Owner(NamedTuple):
    """The owner of calls: the merchant's numbers by name, and the gateway's address, normalised."""

    merchant: Mapping[str, str]
    address: str

    def same(self, other: Owner) -> bool:
        """Return whether both are one merchant at one gateway. Numbers that only one of them has are ignored."""
        numbers = self.merchant.keys() & other.merchant.keys()
        return (
            next(iter(self.merchant), "") in numbers  # the number that every merchant has
            and all(self.merchant[name] == other.merchant[name] for name in numbers)
            and self.address == other.address
        )

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {redacted(value, 64)}" for name, value in self.merchant.items())
        return f"{numbers} at {redacted(self.address, 200)}"


def address_of(base_url: str) -> str:
    """Return an address with its defaults written out, `https://host:443/path`; unchanged if a custom transport has another form."""
    try:
        base = read_base_url(base_url)
    except ConfigurationError:
        return base_url
    host = f"[{base.host}]" if ":" in base.host else base.host
    return f"{base.scheme}://{host}:{base.port}{base.path}"


@dataclass(frozen=True, slots=True)
class StoredKind:
    """A kind of stored document: its mark and version in the JSON, its writer, its noun, and what to do if it cannot be used."""

    mark: str
    version: int
    written_by: str
    noun: str
    instead: str

    def write(self, owner: Owner, values: Mapping[str, object]) -> str:
        """Return values as JSON that belongs to an owner."""
        document = {self.mark: self.version, "merchant": dict(owner.merchant), "address": owner.address, **values}
        return json.dumps(document, default=_plain)

    def read(self, text: str) -> Reader:
        """Read the JSON. Raises `InvalidArgument` for anything that `written_by` did not write."""
        document = _document(text)
        version = document.get(self.mark)
        if type(version) is not int:
            raise self.foreign()
        if version != self.version:
            raise InvalidArgument(
                f"This {self.noun} was stored by another version of the library (its format is {version}, this one's "
                f"{self.version}), and its times cannot be judged here. Nothing was sent. Use the paywright that stored it, or "
                f"{self.instead}."
            )
        return Reader(self, document)

    def foreign(self) -> InvalidArgument:
        """Build the error for text that `written_by` did not write."""
        return InvalidArgument(f"This is not what {self.written_by} wrote. Nothing was sent.")


class Reader:
    """Reads the members of a stored document. Every method raises `InvalidArgument` for a member of another form."""

    def __init__(self, kind: StoredKind, document: Mapping[str, object]) -> None:
        self.kind = kind
        self._document = document

    @property
    def owner(self) -> Owner:
        """Return whose document it is."""
        return Owner(self.texts("merchant"), self.text("address"))

    def check_owner(self, owner: Owner) -> None:
        """Raise `InvalidArgument` if it belongs to another merchant or gateway."""
        of = self.owner
        if not of.same(owner):
            noun = self.kind.noun
            raise InvalidArgument(
                f"This {noun} belongs to {of}, and this client is {owner}. An answer to one of them proves nothing about "
                f"the other. Nothing was sent. Resume it with a client of its own merchant and address, or {self.kind.instead}."
            )

    def value(self, name: str, form: Form) -> object:
        """Return a value of a form."""
        value: object = getattr(self, form)(name)
        return value

    def text(self, name: str) -> str:
        """Return a text."""
        return self._of(name, str)

    def optional_text(self, name: str) -> str | None:
        """Return a text, or None for null."""
        return None if self.is_null(name) else self.text(name)

    def texts(self, name: str) -> dict[str, str]:
        """Return texts by name."""
        value: dict[str, str] = self._of(name, dict)
        return value if all(type(item) is str for item in value.values()) else self._foreign()

    def listed(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        value: list[str] = self._of(name, list)
        return tuple(value) if all(type(item) is str for item in value) else self._foreign()

    def count(self, name: str) -> int:
        """Return a whole number from 0 to 10^9."""
        value = self._of(name, int)
        return value if 0 <= value <= _MOST else self._foreign()

    def flag(self, name: str) -> bool:
        """Return a truth value."""
        return self._of(name, bool)

    def time(self, name: str) -> datetime:
        """Return an aware time."""
        return self.optional_time(name) or self._foreign()

    def optional_time(self, name: str) -> datetime | None:
        """Return an aware time, or None for null."""
        if self.is_null(name):
            return None
        try:
            time = datetime.fromisoformat(self.text(name))
        except ValueError:
            self._foreign()
        if time.utcoffset() is None:
            self._foreign()
        if not _FIRST_YEAR <= time.year <= _LAST_YEAR:
            raise InvalidArgument(
                f"This {self.kind.noun} has {name} in the year {time.year}, which no clock can be trusted with. Nothing was sent. "
                f"Correct the clock that wrote it, and {self.kind.instead}."
            )
        return time

    def is_null(self, name: str) -> bool:
        """Return whether a member is present and null."""
        return name in self._document and self._document[name] is None

    def _of(self, name: str, kind: type[T]) -> T:
        value = self._document.get(name)
        return value if type(value) is kind else self._foreign()

    def _foreign(self) -> NoReturn:
        raise self.kind.foreign() from None


def _plain(value: object) -> object:
    return (
        value.isoformat()
        if isinstance(value, datetime)
        else sorted(value) if isinstance(value, frozenset) else str(value)
    )


def _document(text: str) -> dict[str, object]:
    try:
        document = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return document if type(document) is dict else {}


_INSTEAD: Final = "start a new one with resolve(key), which asks from the beginning"
RESOLVING: Final = StoredKind("paywright_resolving", 1, "Resolver.to_json", "resolver", _INSTEAD)
FIELDS: Final[Mapping[str, Form]] = {
    "started_at": "time", "since": "time", "next_at": "optional_time", "asked_at": "optional_time", "asked": "count", "answers": "count",
    "failures": "count", "absences": "count", "placings": "count", "unknown": "flag", "claimed": "flag", "decide": "flag", "used": "flag",
    "keys": "listed", "foreign": "listed", "code": "optional_text", "last": "text",
}  # fmt: skip
"""The members that are stored as they are, and their forms."""


def values_of(state: ResolutionState, fields: Mapping[str, Form] = FIELDS) -> dict[str, object]:
    """Return what is stored of a state, for `take_up`."""
    absence, given = state.absence, state.given
    return {
        "operation": state.operation,
        "key": state.key,
        "asks": state.asks,
        "content": state.content,
        "absent_at": absence and absence.at,
        "absent_dated": absence and absence.dated,
        "given_at": given and given.at,
        "given_for": 0 if given is None else math.ceil(given.span.total_seconds()),
        **{name: getattr(state, name) for name in fields},
    }


def take_up(state: ResolutionState, reader: Reader, fields: Mapping[str, Form] = FIELDS) -> None:
    """Read into a state what `values_of` returned of it."""
    values = {name: reader.value(name, form) for name, form in fields.items()}
    absent_at, dated = reader.optional_time("absent_at"), reader.optional_time("absent_dated")
    given_at, given_for = reader.optional_time("given_at"), reader.count("given_for")
    if absent_at is not None:
        if not state.permitted_for and not values["claimed"]:
            raise reader.kind.foreign()
        state.absence = Absence(absent_at, dated, None)
    if given_at is not None:
        state.given = GivenPermission(given_at, None, timedelta(seconds=given_for))
    for name, value in values.items():
        setattr(state, name, value)
    state.foreign = frozenset(state.foreign)


def stored(state: ResolutionState, owner: Owner) -> str:
    """Return the resolution as JSON, for `taken_up`."""
    again = {} if state.permitted is None else {"next_at": state.permitted.wall}
    return RESOLVING.write(owner, values_of(state) | again)


def taken_up(contract: Contract, text: str, owner: Owner) -> ResolutionState:
    """Read what `stored` wrote. Raises `InvalidArgument` for anything else: a wrong time could place an order twice."""
    reader = RESOLVING.read(text)
    reader.check_owner(owner)
    asks, content = reader.texts("asks"), reader.texts("content")
    state = ResolutionState(
        contract, reader.text("operation"), reader.text("key"), asks, reader.time("started_at"), content
    )
    take_up(state, reader)
    if state.next_at is None:
        raise RESOLVING.foreign()
    return state
