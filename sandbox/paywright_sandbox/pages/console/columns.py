"""The pieces lists are made of: how a value of the state is shown, and what can be done to a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from urllib.parse import quote, urlencode

from paywright_sandbox.engine.money import in_currency
from paywright_sandbox.engine.state.store import Cell, Row, moment

__all__ = [
    "CREATED",
    "MERCHANT",
    "STATUS",
    "Action",
    "Column",
    "Input",
    "Kind",
    "Related",
    "Section",
    "Shown",
    "code",
    "currency_of",
    "labelled",
    "logged_exchanges",
    "money",
    "path_step",
    "plain",
    "whose",
    "written",
]

Kind = Literal["text", "code", "number", "money", "time", "status"]


@dataclass(frozen=True)
class Shown:
    """A value as text. `note` is smaller print beside it."""

    kind: Kind
    value: str
    note: str = ""


@dataclass(frozen=True)
class Column:
    """A column of a list: `name` is the table's, `note` a second one in smaller print."""

    title: str
    name: str
    kind: Kind = "text"
    note: str = ""

    def of(self, row: Row) -> Shown:
        """Return what a row has there."""
        note: Kind = "time" if self.note.endswith("_at") else "text"
        if self.kind == "money":
            currency = plain(row[self.note], "text") if self.note else currency_of(row, self.name)
            return Shown("money", in_currency(plain(row[self.name], "money"), currency), currency if self.note else "")
        return Shown(self.kind, plain(row[self.name], self.kind), plain(row[self.note], note) if self.note else "")


MERCHANT: Final = Column("Merchant", "merchant", "code")
CREATED: Final = Column("Created", "created_at", "time")
STATUS: Final = Column("Status", "status", "status")


def code(title: str, name: str, note: str = "") -> Column:
    """Return a column of ids."""
    return Column(title, name, "code", note)


def money(title: str = "Amount", name: str = "amount", currency: str = "currency") -> Column:
    """Return a column of amounts, with the column of their currency."""
    return Column(title, name, "money", currency)


@dataclass(frozen=True)
class Input:
    """A field of an action's form.

    With `choices` one of them is picked; none is, to begin with, where none is required.
    """

    name: str
    label: str
    value: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Action:
    """A route of the control API by its method and its path behind the prefix, and what the body holds.

    `look` is that of its button: plain, primary or danger.
    """

    label: str
    path: str
    method: str = "POST"
    fixed: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    look: str = "plain"


@dataclass(frozen=True)
class Related:
    """Rows of another table that belong to one: those whose `by` is the row's `of`.

    With `own` their merchant is the row's too.
    """

    title: str
    table: str
    by: str
    columns: Sequence[Column]
    of: str = "id"
    section: str = ""
    own: bool = False


def _nothing(_: Row) -> Sequence[Action]:
    return ()


def _nowhere(_: Row) -> Sequence[tuple[str, str]]:
    return ()


@dataclass(frozen=True)
class Section:
    """A list of the console, of the rows of the table of its name. The first column names a row.

    `subject` is the column by which events and notifications speak of it, `make` the label of the form for the control API's
    `POST` of this name, `doors` pages elsewhere. The template `hint_` and its name tells a newcomer how to get the first one.
    """

    name: str
    title: str
    one: str
    columns: Sequence[Column]
    subject: str = ""
    actions: Callable[[Row], Sequence[Action]] = _nothing
    doors: Callable[[Row], Sequence[tuple[str, str]]] = _nowhere
    related: Sequence[Related] = ()
    make: str = ""


def currency_of(row: Row, name: str) -> str:
    """Return the currency of an amount of a row; empty where the row does not say."""
    side = "target" if name.startswith("target_") else "transaction"
    columns = (f"{side}_ccy", f"{side}_currency", "currency")
    return next((str(row[column]) for column in columns if row.get(column)), "")


def labelled(name: str) -> str:
    """Return the name of a member or a setting in words: Transaction currency for `transactionCurrency`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").split()
    lower = [word.lower() for word in words]
    spelled = [word.upper() if word in _CAPITALS else _WHOLE.get(word, word) for word in lower]
    first, *others = spelled or [name]
    return " ".join((first[:1].upper() + first[1:], *others))


_CAPITALS: Final = frozenset(("http", "id", "snap", "sp", "url", "va"))
_WHOLE: Final = {"ccy": "currency", "msg": "message"}


def plain(value: Cell, kind: Kind) -> str:
    """Return a cell of the state as text."""
    if value is None:
        return ""
    if kind == "time" and isinstance(value, int):
        return written(moment(value))
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def written(time: datetime) -> str:
    """Return a time as lists show it. All are UTC, on the clock of the sandbox."""
    return time.strftime("%Y-%m-%d %H:%M:%S")


def path_step(row: Row, name: str) -> str:
    """Return a cell as a step of a path."""
    return quote(str(row[name]), safe="")


def whose(row: Row) -> dict[str, str]:
    """Return the field that says whose row is meant, where another merchant may have one of the same number."""
    return {"merchant": str(row["merchant"])}


def logged_exchanges(row: Row, name: str) -> tuple[str, str]:
    """Return title and address of the log page with the exchanges whose key is the row's cell `name`."""
    return "Its exchanges in the log", f"/_sandbox/console/log?{urlencode({'key': str(row[name])})}"
