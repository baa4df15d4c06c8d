"""Leave out of an exchange what is confidential. Each value is judged by its path through the contract.

Values stay under members that the contract has there and does not class as secret, card data or personal data. Below others each
value becomes stars or a zero, and each name is hidden. So are paths that the contract does not have, queries, and values of headers
beside those of HTTP. What looks like a card number stays nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from paywright.contract import CONTRACT
from paywright_audit.input.records import Exchange, Message, Parsed
from paywright_audit.judging.matching import Matcher
from paywright_runtime import strict_json
from paywright_runtime.card_numbers import SHORTEST, first_and_last, mask_card_numbers

if TYPE_CHECKING:
    from paywright_runtime.contract.model import Field, Struct

_MARK: Final = "***"
_PLAIN_HEADERS: Final = frozenset(
    (
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "date", "host",
        "transfer-encoding", "user-agent", "x-timestamp",
    )
)  # fmt: skip
_matcher: Final = cache(Matcher)


def redacted(seen: Any, longest: int) -> dict[str, object]:
    """Return the URL, the request and the response of a record. A body of more than `longest` bytes, or of no strict JSON, is None."""
    asked, answered = _parsed(seen.asked, longest), _parsed(seen.answer, longest)
    found = _matcher().match(Exchange("", seen.url, Message((), Parsed(asked)), None, seen.kind))
    operation = None if found is None else found.operation
    roots = (None, None) if operation is None else (operation.request, operation.response)
    return {
        "url": _url(seen.url, (operation and operation.path) or ""),
        "request": {
            "headers": _headers(seen.begun), "body": _body(asked, roots[0]),
            "method": _no_cards(seen.method),
        },
        "response": {
            "status": seen.status, "headers": _headers(seen.headers), "body": _body(answered, roots[1])
        } if seen.whole else None,
        "redacted": True,
    }  # fmt: skip


def _headers(headers: Iterable[tuple[str, str]]) -> list[list[str]]:
    return [[_no_cards(name), _no_cards(value) if name.lower() in _PLAIN_HEADERS else _MARK] for name, value in headers]


def _url(url: str, known: str) -> str:
    """Return the scheme, the host, and of the path what the contract has: `known`, if it ends so."""
    try:
        parts = urlsplit(url)
    except ValueError:  # a stranger's Host header
        return f"http://{_MARK}/"
    path = parts.path.removesuffix(known) if known else parts.path
    shown = known if path != parts.path else ""
    return (
        f"{parts.scheme}://{_no_cards(parts.netloc.rpartition('@')[2])}{f'/{_MARK}' if path.strip('/') else ''}{shown}"
    )


def _parsed(body: bytearray | None, longest: int) -> object:
    try:
        return None if body is None else strict_json.parse(bytes(body), max_bytes=longest)
    except strict_json.JsonProblem:
        return None


def _body(value: object, root: str | None) -> dict[str, object] | None:
    return None if value is None else {"parsed": _masked(value, CONTRACT.struct(root) if root else None)}


def _masked(value: object, struct: Struct | None) -> object:
    """Return a value without what is confidential in this object of the contract; None hides all of it."""
    if isinstance(value, dict):
        fields = {} if struct is None else struct.by_wire
        return {
            name if name in fields else f"{_MARK}{number}": _member(one, fields.get(name))
            for number, (name, one) in enumerate(value.items(), 1)
        }
    if isinstance(value, list):
        return [_masked(one, struct) for one in value]
    if isinstance(value, str):
        return "*" * len(value)
    return value if value is None or isinstance(value, bool) else 0


def _member(value: object, field: Field | None) -> object:
    if field is None or field.redaction is not None or field.kind in ("any", "struct"):
        known = field is not None and field.redaction is None and field.of
        return _masked(value, CONTRACT.struct(known) if known else None)
    if isinstance(value, list):
        return [_masked(one, None) if isinstance(one, list) else _member(one, field) for one in value]
    if isinstance(value, str):
        return _no_cards(value)
    if field.kind in ("number", "decimal") and isinstance(value, (int, Decimal)):
        number = Decimal(value)
        return value if max(len(number.as_tuple().digits), number.adjusted() + 1) < SHORTEST else 0
    return _masked(value, None)


def _no_cards(text: str) -> str:
    return text if len(text) < SHORTEST else mask_card_numbers(text, first_and_last, checked=True, loosely=True)
