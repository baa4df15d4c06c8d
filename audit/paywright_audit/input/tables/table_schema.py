"""The columns of a table of captured traffic, with the types that they may have.

`paywright audit --schema` prints them. A table may have other names (given by a mapping) and any accepted type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from paywright_audit.input.errors import AuditSetupError
from paywright_runtime.contract.index import nearest

Columns = Mapping[str, str | None]
"""Names of columns in a table by our own names; None if the table has no such column."""


class NoTable(Exception):
    """Raised for a table, or a row, that cannot be read as captured traffic. The message holds our own words only."""


class ColumnKind(NamedTuple):
    """A kind of columns: its usual type, a pattern of the types that it may have in another table, and these in words."""

    written: str
    types: str
    accepted: str


_TEXTS: Final = r"(?:large_)?string|(?:large_)?binary|fixed_size_binary\[.*"
_NUMBERS: Final = "u?int.*|float|double|halffloat"

TIME: Final = ColumnKind(
    "timestamp[us, tz=UTC]",
    rf"timestamp\[.*|{_TEXTS}|{_NUMBERS}",
    "a timestamp (without a time zone: UTC), text such as 2025-06-01T12:00:00Z, or a number since 1970",
)
TEXT: Final = ColumnKind("string", _TEXTS, "text, or binary in UTF-8")
FLAG: Final = ColumnKind("bool", "bool", "true or false")
STATUS: Final = ColumnKind("int32", _NUMBERS, "a number")
HEADERS: Final = ColumnKind(
    "list<struct<name: string, value: string>>",
    f"(?:(?:large_|fixed_size_)?list|map)<(?!.*dictionary<).*|{_TEXTS}",  # the bytes of dictionaries are not counted
    "a list of structs of name and value, a list of lists of two texts, a map of texts, or one of these as JSON",
)
BODY: Final = ColumnKind("binary", _TEXTS, "binary, which is taken for the exact bytes, or text")


class TableColumn(NamedTuple):
    """A column: its name, its kind of content, whether a table must have it, and its meaning."""

    name: str
    kind: ColumnKind
    required: bool
    words: str


FORMS: Final = ("exact", "text", "unpacked", "parsed", "truncated", "lost")
"""The forms of a captured body: its exact bytes, decoded to text, decompressed, parsed and written again, cut off, or not
there."""

_FORM: Final = (
    f"the form of the body: {', '.join(FORMS)}; null: exact if it is binary, text if it is text, lost if it is null"
)

COLUMNS: Final = (
    TableColumn("at", TIME, True, "when the exchange began; null: unknown"),
    TableColumn("until", TIME, False, "when it ended"),
    TableColumn("kind", TEXT, False, "call (to the gateway) or notify (to the merchant); null: unknown"),
    TableColumn("url", TEXT, True, "the URL or path of the request"),
    TableColumn("method", TEXT, False, "the method of the request"),
    TableColumn("sent", FLAG, False, "false: nothing of the request was sent"),
    TableColumn("request_headers", HEADERS, True, "the headers of the request"),
    TableColumn("request_body", BODY, True, "the body of the request; null: the capture does not have it"),
    TableColumn("request_form", TEXT, False, _FORM),
    TableColumn("response_status", STATUS, True, "the status of the answer; null, and no headers or body: none came"),
    TableColumn("response_headers", HEADERS, True, "the headers of the answer"),
    TableColumn("response_body", BODY, True, "the body of the answer"),
    TableColumn("response_form", TEXT, False, "the same of the answer's body"),
    TableColumn("file", TEXT, False, "the capture file that the exchange comes from, for findings"),
    TableColumn("place", TEXT, False, "its place there, such as line 7, for findings"),
)
"""The columns, in their usual order."""


def needed(there: Sequence[str], columns: Columns) -> list[str]:
    """Return those columns of a table that are read, or have members that are. Raises `NoTable` if several have one name."""
    theirs = [f"{columns.get(column.name, column.name) or ''}.".lower() for column in COLUMNS]
    found = [one for one in there if any(name.startswith(f"{one}.".lower()) for name in theirs)]
    if len(set(found)) < len(found):
        raise NoTable("it has several columns of the same name")
    return found


def check_columns(columns: Columns) -> None:
    """Raise `AuditSetupError` if a mapping has a name that is not one of our columns."""
    known = {column.name: column for column in COLUMNS}
    for name in columns.keys() - known:
        raise AuditSetupError(
            f"there is no column {name!r}.{nearest(name, known)} `paywright audit --schema` prints all."
        )


def schema_lines() -> Iterator[str]:
    """Yield the lines that `paywright audit --schema` prints."""
    yield "The table of captured traffic. For another table, --column NAME=COLUMN gives the name of its column"
    yield "(COLUMN may be a path into structs, such as request.body), and NAME= says that it has none."
    yield ""
    width = max(len(column.name) for column in COLUMNS)
    for column in COLUMNS:
        need = "required" if column.required else "optional"
        yield f"{column.name:<{width}}  {need}  {column.kind.written}"
        yield f"{'':<{width}}            {column.words}"
    yield ""
    yield "Accepted in other tables:"
    for kind in (TIME, TEXT, FLAG, STATUS, HEADERS, BODY):
        yield f"  {', '.join(column.name for column in COLUMNS if column.kind is kind)}: {kind.accepted}"
