"""Read the state for the console, a page at a time. Table and column names come only from `sections`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from paywright_runtime import strict_json
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.fields import whole
from paywright_sandbox.engine.money import in_currency
from paywright_sandbox.engine.state.store import Cell, Row
from paywright_sandbox.pages.console.columns import ListCell, ListColumn, Related, Section, currency_of, labelled, plain
from paywright_sandbox.pages.html.message_view import laid_out

__all__ = ["PAGE", "ListRow", "Pages", "body_of", "facts_of", "line_of", "lines_of", "related_to"]

PAGE: Final = 50
_MOST_RELATED: Final = 100
_INSIDE: Final = frozenset((
    "id", "key", "order_id", "plan", "balance", "link", "token", "period", "prices", "goods", "body", "binds",
    "status",
))  # fmt: skip
_AMOUNTS: Final = frozenset((
    "amount", "fee", "first", "frozen", "tax", "target_amount", "transaction_amount", "promotion_amount",
    "trial_amount",
))  # fmt: skip


@dataclass(frozen=True)
class ListRow:
    """A row of a list. `path` is its own page, if it has one."""

    row: Row
    cells: Sequence[ListCell]
    path: str = ""


@dataclass(frozen=True)
class Pages:
    """The position in a long list; pages count from 1."""

    number: int
    last: int
    total: int

    @property
    def first_row(self) -> int:
        """The number of the first row of the page, from 1."""
        return (self.number - 1) * PAGE + 1

    @property
    def last_row(self) -> int:
        """The number of the last row of the page."""
        return min(self.number * PAGE, self.total)


def lines_of(context: RequestContext, section: Section, number: int) -> tuple[list[ListRow], Pages]:
    """Return a page of a section, the newest rows first; the last page if `number` is too large."""
    counted = context.state.one(f"SELECT count(*) AS number FROM {section.name}")
    total = int(str(counted["number"])) if counted else 0
    last = max(1, -(-total // PAGE))
    number = min(max(1, number), last)
    rows = context.state.all(
        f"SELECT * FROM {section.name} ORDER BY id DESC LIMIT ? OFFSET ?", PAGE, (number - 1) * PAGE
    )
    return [_line(row, section.columns, section.name) for row in rows], Pages(number, last, total)


def line_of(context: RequestContext, section: Section, row: int) -> ListRow | None:
    """Return one row of a section, or None."""
    found = context.state.one(f"SELECT * FROM {section.name} WHERE id = ?", row)
    return None if found is None else _line(found, section.columns, section.name)


def related_to(context: RequestContext, related: Related, owner: Row, by: str) -> list[ListRow]:
    """Return the rows that belong to `owner` by its column `by`: at most the latest hundred, in order."""
    events = related.table == "events"
    own = related.own and not events and "merchant" in owner
    sql = f"SELECT * FROM {related.table} WHERE {related.by} = ? {'AND merchant = ?' if own else ''} ORDER BY {'seq' if events else 'id'} DESC LIMIT ?"
    rows = context.state.all(sql, owner[by], *((owner["merchant"],) if own else ()), _MOST_RELATED)
    if events and related.own and "merchant" in owner:
        rows = [row for row in rows if _is_of(context, row, owner["merchant"])]
    # The movements of a balance are in its currency.
    shared = {"currency": owner["currency"]} if "currency" in owner else {}
    return [_line({**shared, **row}, related.columns, related.section) for row in reversed(rows)]


def _is_of(context: RequestContext, event: Row, merchant: Cell) -> bool:
    """Return whether an event belongs to a merchant: by itself, by its notification, or without either."""
    raw = event["detail"]
    detail = strict_json.parse(raw) if isinstance(raw, bytes) else None
    if not isinstance(detail, dict):
        return True
    number = detail.get("notification")
    if "merchant" not in detail and isinstance(number, int):
        row = context.state.one("SELECT merchant FROM notifications WHERE id = ?", number)
        return row is None or row["merchant"] == merchant
    return detail.get("merchant", merchant) == merchant


def facts_of(row: Row) -> list[tuple[str, ListCell]]:
    """Return the values of a row, by the names of its columns in words."""
    facts: list[tuple[str, ListCell]] = []
    for name, value in row.items():
        if name in _INSIDE or value in (None, ""):
            continue
        if name.endswith("_at") or name == "reply_by":
            facts.append((labelled(name.removesuffix("_at")), ListCell("time", plain(value, "time"))))
        elif name in _AMOUNTS:
            currency = currency_of(row, name)
            facts.append((labelled(name), ListCell("money", in_currency(plain(value, "money"), currency), currency)))
        else:
            facts.append((labelled(name.removesuffix("_at")), ListCell("text", _readable(value))))
    return facts


def body_of(row: Row) -> str:
    """Return the message in a row, laid out for people, or an empty text."""
    body = row.get("body")
    return laid_out(body) if isinstance(body, bytes) else ""


def _line(row: Row, columns: Sequence[ListColumn], section: str) -> ListRow:
    cells = [
        ListCell(column.kind, _readable(row[column.name])) if isinstance(row[column.name], bytes) else column.of(row)
        for column in columns
    ]
    return ListRow(row, cells, f"/_sandbox/console/{section}/{whole(row, 'id')}" if section else "")


def _readable(value: Cell) -> str:
    """Return a cell as text; JSON becomes `name value, name value`."""
    if not isinstance(value, bytes):
        return plain(value, "text")
    try:
        parsed = strict_json.parse(value)
    except strict_json.JsonProblem:
        return plain(value, "text")
    if not isinstance(parsed, dict):
        return plain(value, "text")
    return ", ".join(f"{name} {part}" for name, part in parsed.items() if part not in (None, "", {}, []))
