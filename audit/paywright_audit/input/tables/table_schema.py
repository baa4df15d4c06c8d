"""The columns of a table of captured traffic, with the types that they may have.

`paywright audit --schema` prints them. A table may have other names (given by a mapping) and any accepted type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final, Literal, NamedTuple

from paywright_audit.input.errors import AuditSetupError

Kind = Literal["time", "text", "flag", "status", "headers", "body"]

Columns = Mapping[str, str | None]
"""Names of columns in a table by our own names; None if the table has no such column."""


class NoTable(Exception):
    """Raised for a table, or a row, that cannot be read as captured traffic. The message holds our own words only."""


class TableColumn(NamedTuple):
    """A column: its name, its kind of content, its usual type, whether a table must have it, and its meaning."""

    name: str
    kind: Kind
    written: str
    required: bool
    words: str


ACCEPTED: Final[Mapping[Kind, str]] = {
    "time": "a timestamp (without a time zone: UTC), text such as 2025-06-01T12:00:00Z, or a number since 1970",
    "text": "text, or binary in UTF-8",
    "flag": "true or false",
    "status": "a number",
    "headers": "a list of structs of name and value, a list of lists of two texts, a map of texts, or one of these as JSON",
    "body": "binary, which is taken for the exact bytes, or text",
}
"""The types that a column of each kind may have in another table, in words."""

FORMS: Final = ("exact", "text", "unpacked", "parsed", "truncated", "lost")
"""The forms of a captured body: its exact bytes, decoded to text, decompressed, parsed and written again, cut off, or not
there."""

_TIME, _PAIRS = "timestamp[us, tz=UTC]", "list<struct<name: string, value: string>>"
_FORM: Final = (
    f"the form of the body: {', '.join(FORMS)}; null: exact if it is binary, text if it is text, lost if it is null"
)

COLUMNS: Final = (
    TableColumn("at", "time", _TIME, True, "when the exchange began; null: unknown"),
    TableColumn("until", "time", _TIME, False, "when it ended"),
    TableColumn("kind", "text", "string", False, "call (to the gateway) or notify (to the merchant); null: unknown"),
    TableColumn("url", "text", "string", True, "the URL or path of the request"),
    TableColumn("method", "text", "string", False, "the method of the request"),
    TableColumn("sent", "flag", "bool", False, "false: nothing of the request was sent"),
    TableColumn("request_headers", "headers", _PAIRS, True, "the headers of the request"),
    TableColumn("request_body", "body", "binary", True, "the body of the request; null: the capture does not have it"),
    TableColumn("request_form", "text", "string", False, _FORM),
    TableColumn("response_status", "status", "int32", True, "the status of the answer; null: there was no answer"),
    TableColumn("response_headers", "headers", _PAIRS, True, "the headers of the answer"),
    TableColumn("response_body", "body", "binary", True, "the body of the answer"),
    TableColumn("response_form", "text", "string", False, "the same of the answer's body"),
    TableColumn("file", "text", "string", False, "the capture file that the exchange comes from, for findings"),
    TableColumn("place", "text", "string", False, "its place there, such as line 7, for findings"),
)
"""The columns, in their usual order."""


def check_columns(columns: Columns) -> None:
    """Raise `AuditSetupError` if a mapping has a name that is not one of our columns."""
    names = [column.name for column in COLUMNS]
    for name in columns:
        if name not in names:
            near = get_close_matches(name, names, 3)
            raise AuditSetupError(
                f"there is no column {name!r}.{f' Did you mean {chr(32).join(near)}?' if near else ''} "
                "`paywright audit --schema` prints all."
            )


def schema_lines() -> Iterator[str]:
    """Yield the lines that `paywright audit --schema` prints."""
    yield "The table of captured traffic. For another table, --column NAME=COLUMN gives the name of its column"
    yield "(COLUMN may be a path into structs, such as request.body), and NAME= says that it has none."
    yield ""
    width = max(len(column.name) for column in COLUMNS)
    for column in COLUMNS:
        need = "required" if column.required else "optional"
        yield f"{column.name:<{width}}  {need}  {column.written}"
        yield f"{'':<{width}}            {column.words}"
    yield ""
    yield "Accepted in other tables:"
    for kind, words in ACCEPTED.items():
        yield f"  {', '.join(column.name for column in COLUMNS if column.kind == kind)}: {words}"
