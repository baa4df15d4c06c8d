"""Write and read a resolver or followed item as JSON, for another process. It is accepted only as it was written, and for its owner.

It belongs to one merchant at one address: a "not there" of another gateway, or of the sandbox, proves nothing about this one.
A permission to place again is not stored; the process that continues queries once more first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from paywright_runtime.contract.index import Contract
from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.redaction import redacted
from paywright_runtime.settling.not_there import Absence, GivenPermission
from paywright_runtime.settling.resolution import ResolutionState
from paywright_runtime.transport.endpoint import read_base_url

Values: TypeAlias = Mapping[str, object]
Form: TypeAlias = Literal["text", "optional_text", "texts", "listed", "some", "count", "flag", "time", "optional_time"]
"""The form of a stored value, as `_FORMS` reads it; an optional one may be null, `some` texts may be none."""

_UNKNOWN: Final = "unknown"
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
    """A kind of stored document: its mark and version in the JSON, its writer, its noun, what to do if it cannot be used, its members.

    One whose write is unknown has all members: without one of them it could be placed twice. Any other leaves out counts of 0, flags that
    are False, what is null or has nothing in it, and what is `usual` there. `elsewhere` are members that are stored beside the document.
    """

    mark: str
    version: int
    written_by: str
    noun: str
    instead: str
    fields: Mapping[str, Form]
    elsewhere: frozenset[str] = frozenset()
    usual: Mapping[str, object] = field(init=False)
    _held: tuple[str, ...] = field(init=False)
    _forms: Mapping[str, _Form] = field(init=False)

    def __post_init__(self) -> None:
        """Find the forms of the members, the values of what may be left out, and what is stored as the state has it."""
        object.__setattr__(self, "_forms", {name: _FORMS[form] for name, form in self.fields.items()})
        usual = {name: _FORMS[form].usual for name, form in self.fields.items() if name != _UNKNOWN}
        object.__setattr__(self, "usual", {name: value for name, value in usual.items() if value is not _MISSING})
        object.__setattr__(self, "_held", tuple(name for name in self.fields if name not in self.elsewhere | _MADE))

    def write(self, state: ResolutionState, owner: Owner, usual: Values, **more: object) -> str:
        """Return a state as JSON that belongs to an owner. `more` are further members, or other values."""
        absence, given, held = state.absence, state.given, vars(state)
        document = {
            self.mark: self.version,
            "merchant": dict(owner.merchant),
            "absent_at": absence and absence.at,
            "absent_dated": absence and absence.dated,
            "given_at": given and given.at,
            "given_for": 0 if given is None else math.ceil(given.span.total_seconds()),
            **{name: held[name] for name in self._held},
            **more,
        }
        if not state.unknown:
            left = {**self.usual, **usual}
            document = {name: value for name, value in document.items() if name not in left or value != left[name]}
        return _ENCODE(document)

    def read(self, document: Values, owner: Owner | None, usual: Values) -> tuple[dict[str, Any], Owner]:
        """Return the values in a parsed document, for `take_up`, and its owner.

        Raises `InvalidArgument` for anything that `written_by` did not write, and for a document of another owner; None takes any.
        """
        version = document.get(self.mark)
        if type(version) is not int:
            raise self.foreign()
        if version != self.version:
            raise InvalidArgument(
                f"This {self.noun} was stored by another version of the library (its format is {version}, this one's "
                f"{self.version}), and its times cannot be judged here. Nothing was sent. Use the paywright that stored it, or "
                f"{self.instead}."
            )
        values: dict[str, Any] = {**self.usual, **usual} if document.get(_UNKNOWN) is False else {}
        for name, value in document.items():
            if (form := self._forms.get(name)) is not None:
                values[name] = self._value(name, form, value)
        if len(values) != len(self.fields):
            raise self.foreign()
        of = Owner(values["merchant"], values["address"])
        if owner is not None and not of.same(owner):
            raise InvalidArgument(
                f"This {self.noun} belongs to {of}, and this client is {owner}. An answer to one of them proves nothing about "
                f"the other. Nothing was sent. Resume it with a client of its own merchant and address, or {self.instead}."
            )
        return values, of

    def take_up(self, state: ResolutionState, values: Mapping[str, Any]) -> None:
        """Take the values that were read into a state made of what is stored elsewhere."""
        if values["absent_at"] is not None:
            if not state.permitted_for and not values["claimed"]:
                raise self.foreign()
            state.absence = Absence(values["absent_at"], values["absent_dated"], None)
        if values["given_at"] is not None:
            state.given = GivenPermission(values["given_at"], None, timedelta(seconds=values["given_for"]))
        vars(state).update({name: values[name] for name in self._held})

    def _value(self, name: str, form: _Form, value: object) -> object:
        kinds, read, _ = form
        if type(value) not in kinds:
            raise self.foreign()
        if read is None or value is None:
            return value
        try:
            found = read(value)
        except ValueError:
            raise self.foreign() from None
        if type(found) is datetime:
            self.check_year(name, found)
        return found

    def check_year(self, name: str, time: datetime) -> None:
        """Raise `InvalidArgument` for a time from which none can be counted."""
        if not _FIRST_YEAR <= time.year <= _LAST_YEAR:
            raise InvalidArgument(
                f"This {self.noun} has {name} in the year {time.year}, which no clock can be trusted with. Nothing was sent. "
                f"Correct the clock that wrote it, and {self.instead}."
            )

    def foreign(self) -> InvalidArgument:
        """Build the error for text that `written_by` did not write."""
        return InvalidArgument(f"This is not what {self.written_by} wrote. Nothing was sent.")


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(text)
    return time


def _texts(values: dict[str, object]) -> dict[str, object]:
    _listed(values.values())
    return values


def _listed(values: Iterable[object]) -> tuple[object, ...]:
    for one in values:
        if type(one) is not str:
            raise ValueError(one)
    return tuple(values)


def _count(value: int) -> int:
    if not 0 <= value <= _MOST:
        raise ValueError(value)
    return value


class _Form(NamedTuple):
    """The types of a form's values in JSON, what reads them (it raises `ValueError`), and the value that may be left out."""

    kinds: frozenset[type]
    read: Callable[[Any], object] | None
    usual: object


_MISSING: Final = object()
_NONE: Final = type(None)
_FORMS: Final[Mapping[Form, _Form]] = {
    "text": _Form(frozenset((str,)), None, _MISSING),
    "optional_text": _Form(frozenset((str, _NONE)), None, None),
    "texts": _Form(frozenset((dict,)), _texts, _MISSING),
    "listed": _Form(frozenset((list,)), _listed, _MISSING),
    "some": _Form(frozenset((list,)), lambda values: frozenset(_listed(values)), frozenset()),
    "count": _Form(frozenset((int,)), _count, 0),
    "flag": _Form(frozenset((bool,)), None, False),
    "time": _Form(frozenset((str,)), _time, _MISSING),
    "optional_time": _Form(frozenset((str, _NONE)), _time, None),
}


def _plain(value: object) -> object:
    """Return a time or a set of texts as JSON has it."""
    return value.isoformat() if isinstance(value, datetime) else sorted(cast("frozenset[str]", value))


_ENCODE: Final = json.JSONEncoder(default=_plain).encode
_DECODE: Final = json.JSONDecoder().decode


def parsed(text: str) -> dict[str, object]:
    """Return the object in a JSON text; an empty one for anything else."""
    try:
        document = _DECODE(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return document if type(document) is dict else {}


_INSTEAD: Final = "start a new one with resolve(key), which asks from the beginning"
_MADE: Final = frozenset(("merchant", "address", "absent_at", "absent_dated", "given_at", "given_for"))
FIELDS: Final[Mapping[str, Form]] = {
    "merchant": "texts", "absent_at": "optional_time", "absent_dated": "optional_time", "given_at": "optional_time", "given_for": "count",
    "started_at": "time", "since": "time", "next_at": "optional_time", "asked_at": "optional_time", "answers": "count", "failures": "count",
    "absences": "count", "placings": "count", "unknown": "flag", "claimed": "flag", "decide": "flag", "used": "flag", "keys": "listed",
    "foreign": "some", "code": "optional_text", "last": "text",
}  # fmt: skip
"""The members that each kind of stored resolution has, and their forms."""
_CALL: Final[Mapping[str, Form]] = {
    "address": "text", "operation": "text", "key": "text", "asks": "texts", "content": "texts", "asked": "count",
}  # fmt: skip
RESOLVING: Final = StoredKind("paywright_resolving", 1, "Resolver.to_json", "resolver", _INSTEAD, {**_CALL, **FIELDS})


def stored(state: ResolutionState, owner: Owner) -> str:
    """Return the resolution as JSON, for `taken_up`."""
    again = {} if state.permitted is None else {"next_at": state.permitted.wall}
    return RESOLVING.write(state, owner, {}, address=owner.address, **again)


def taken_up(contract: Contract, text: str, owner: Owner) -> ResolutionState:
    """Read what `stored` wrote. Raises `InvalidArgument` for anything else: a wrong time could place an order twice."""
    values, _ = RESOLVING.read(parsed(text), owner, {})
    state = ResolutionState(contract, *(values[name] for name in ("operation", "key", "asks", "started_at", "content")))
    RESOLVING.take_up(state, values)
    if state.next_at is None:
        raise RESOLVING.foreign()
    return state
