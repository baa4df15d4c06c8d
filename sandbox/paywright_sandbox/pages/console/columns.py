"""Parts of lists: columns, formats of values, and actions of a row."""

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
    "Input",
    "Kind",
    "ListCell",
    "ListColumn",
    "Related",
    "Section",
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
class ListCell:
    """A value as text, with a `note` in smaller print."""

    kind: Kind
    value: str
    note: str = ""


@dataclass(frozen=True)
class ListColumn:
    """A column of a list: `name` and `note`, in smaller print, are columns of the table."""

    title: str
    name: str
    kind: Kind = "text"
    note: str = ""

    def of(self, row: Row) -> ListCell:
        """Return the cell of a row."""
        note: Kind = "time" if self.note.endswith("_at") else "text"
        if self.kind == "money":
            currency = plain(row[self.note], "text") if self.note else currency_of(row, self.name)
            return ListCell(
                "money", in_currency(plain(row[self.name], "money"), currency), currency if self.note else ""
            )
        return ListCell(self.kind, plain(row[self.name], self.kind), plain(row[self.note], note) if self.note else "")


MERCHANT: Final = ListColumn("Merchant", "merchant", "code")
CREATED: Final = ListColumn("Created", "created_at", "time")
STATUS: Final = ListColumn("Status", "status", "status")


def code(title: str, name: str, note: str = "") -> ListColumn:
    """Return a column of ids."""
    return ListColumn(title, name, "code", note)


def money(title: str = "Amount", name: str = "amount", currency: str = "currency") -> ListColumn:
    """Return a column of amounts with their currency."""
    return ListColumn(title, name, "money", currency)


@dataclass(frozen=True)
class Input:
    """A field of an action's form.

    With `choices` it is a selection, empty at first if it is not `required`.
    """

    name: str
    label: str
    value: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Action:
    """A call of the control API: method, path after the prefix, and members of the body.

    `look` is the look of its button: plain, primary or danger.
    """

    label: str
    path: str
    method: str = "POST"
    fixed: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    look: str = "plain"


@dataclass(frozen=True)
class Related:
    """Rows of another table that belong to a row: their column `by` equals its `of`.

    With `own` they have its merchant too.
    """

    title: str
    table: str
    by: str
    columns: Sequence[ListColumn]
    of: str = "id"
    section: str = ""
    own: bool = False


def _nothing(_: Row) -> Sequence[Action]:
    return ()


def _nowhere(_: Row) -> Sequence[tuple[str, str]]:
    return ()


@dataclass(frozen=True)
class Section:
    """A list of the console, with the rows of the table of its name. The first column names a row.

    `subject` is the column that events and notifications refer to, `make` the label of the form for the control API's `POST`
    of this name, `links` are other pages. The template `hint_` and its name explains how to get the first row.
    """

    name: str
    title: str
    one: str
    columns: Sequence[ListColumn]
    subject: str = ""
    actions: Callable[[Row], Sequence[Action]] = _nothing
    links: Callable[[Row], Sequence[tuple[str, str]]] = _nowhere
    related: Sequence[Related] = ()
    make: str = ""


def currency_of(row: Row, name: str) -> str:
    """Return the currency of an amount of a row, or an empty text."""
    side = "target" if name.startswith("target_") else "transaction"
    columns = (f"{side}_ccy", f"{side}_currency", "currency")
    return next((str(row[column]) for column in columns if row.get(column)), "")


def labelled(name: str) -> str:
    """Return a name in words: Transaction currency for `transactionCurrency`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").split()
    lower = [word.lower() for word in words]
    written_out = [word.upper() if word in _CAPITALS else _WHOLE.get(word, word) for word in lower]
    first, *others = written_out or [name]
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
    """Format a time for lists: UTC, on the clock of the sandbox."""
    return time.strftime("%Y-%m-%d %H:%M:%S")


def path_step(row: Row, name: str) -> str:
    """Return a cell as a path segment."""
    return quote(str(row[name]), safe="")


def whose(row: Row) -> dict[str, str]:
    """Return the field with a row's merchant, since another merchant may have the same number."""
    return {"merchant": str(row["merchant"])}


def logged_exchanges(row: Row, name: str) -> tuple[str, str]:
    """Return title and address of the log page for the key in the row's cell `name`."""
    return "Its exchanges in the log", f"/_sandbox/console/log?{urlencode({'key': str(row[name])})}"
