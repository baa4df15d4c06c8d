"""Faults of one message: its schema, the contract's rules, its JSON, its headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from tests.audit.helpers.planted_story import Draft, Story
from tests.support.tables import table

__all__ = ["BYTES", "GONE", "HEADERS", "VALUES", "plant_bytes", "plant_header", "plant_value"]

GONE: Final = object()


class Value(NamedTuple):
    """One member of a good message changed, after those in `before`, and one of the other message in `also`; without a value
    it is taken out. `expected` are pointers and codes; without any, `code` at the member itself."""

    kind: str
    operation: str
    part: str
    pointer: str
    code: str
    value: object = GONE
    expected: Sequence[tuple[str, str]] = ()
    note: bool = False
    before: Sequence[tuple[str] | tuple[str, object]] = ()
    also: tuple[str, str, object] | None = None


def plant_value(story: Story, fault: Value) -> None:
    draft = story.any(fault.operation)
    if fault.operation == BILL:
        story.forms = ("records",)  # it is known by these very members where the capture does not say what it is
    for pointer, *value in (*fault.before, (fault.pointer, fault.value)):
        put(draft.side(fault.part).value, str(pointer), _numbered(value[0] if value else GONE, story))
    if fault.also is not None:
        part, pointer, value = fault.also
        put(draft.side(part).value, pointer, _numbered(value, story))
    for pointer, code in fault.expected or ((fault.pointer, fault.code),):
        story.expect(draft, fault.part, pointer, code, note=fault.note)


def _numbered(value: object, story: Story) -> object:
    """Keys are nobody else's."""
    return value.replace("{number}", str(story.number)) if isinstance(value, str) else value


def put(value: Any, pointer: str, new: object) -> None:
    *way, last = (int(step) if step.isdigit() else step for step in pointer.split("/")[1:])
    for step in way:
        if isinstance(value, dict) and step not in value:
            value[step] = {}
        value = value[step]
    if new is GONE:
        del value[last]
    else:
        value[last] = new


CHECKOUT, QUERY, REFUND, REFUND_QUERY = "orders.checkout", "orders.query", "refunds.create", "refunds.query"
RATES, TOKENS = "rates.query", "payment_tokens.list"
PERIOD, BILL = "notifications.subscription_payment", "merchant.validate_bill_payment"
VALUES: Final = [Value(**row) for row in table("audit/helpers/planted_values.yaml")]


class Bytes(NamedTuple):
    """The bytes of a good message changed before they are signed: the signature holds, the JSON is not what it should be."""

    kind: str
    operation: str
    part: str
    change: Callable[[bytes], bytes]
    pointer: str = ""
    code: str = "json"


def _swap(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(raw: bytes) -> bytes:
        assert raw.count(old) == 1, old
        return raw.replace(old, new)

    return change


BYTES: Final = (
    Bytes("a member twice", REFUND, "request", _swap(b'"refundAmount":4.25', b'"refundAmount":4.25,"refundAmount":4.25'),
          "/data/refundAmount", "duplicate"),
    Bytes("a member of an answer twice", CHECKOUT, "response", _swap(b'"msg":', b'"msg":"x","msg":'), "/msg", "duplicate"),
    Bytes("a byte order mark", REFUND_QUERY, "request", lambda raw: b"\xef\xbb\xbf" + raw),
    Bytes("a byte order mark in an answer", RATES, "response", lambda raw: b"\xef\xbb\xbf" + raw),
    Bytes("a comma too many", REFUND, "request", lambda raw: raw[:-1] + b",}"),
    Bytes("no number", CHECKOUT, "request", _swap(b'"totalAmount":10.5', b'"totalAmount":NaN')),
    Bytes("infinite", REFUND, "request", _swap(b'"refundAmount":4.25', b'"refundAmount":1e999')),
    Bytes("half a surrogate pair", CHECKOUT, "request", _swap(b'"Tickets"', b'"\\ud83d"')),
    Bytes("no UTF-8", CHECKOUT, "request", _swap(b'"Tickets"', b'"Billets \xe0"')),
    Bytes("too deep", QUERY, "response", _swap(b'"msg":', b'"deep":' + b"[" * 80 + b"]" * 80 + b',"msg":')),
    Bytes("text behind", QUERY, "response", lambda raw: raw + b"}"),
    Bytes("cut off", RATES, "request", lambda raw: raw[:-3]),
    Bytes("quotes of another kind", RATES, "request", lambda raw: raw.replace(b'"', b"'")),
    Bytes("a comment", TOKENS, "response", lambda raw: raw[:-1] + b"/* ok */}"),
    Bytes("a page instead", QUERY, "response", lambda raw: b"<html>busy</html>"),
    Bytes("no object", QUERY, "response", lambda raw: b"[" + raw + b"]", "", "type"),
    Bytes("null instead", REFUND_QUERY, "response", lambda raw: b"null", "", "type"),
    Bytes("no text at all", REFUND_QUERY, "response", lambda raw: b""),
    Bytes("a number of a thousand digits", QUERY, "response", _swap(b'"msg":', b'"n":' + b"9" * 1500 + b',"msg":')),
)  # fmt: skip


class Header(NamedTuple):
    """A header that the contract asks for, missing (None) or another."""

    kind: str
    operation: str
    name: str
    values: Sequence[str]
    code: str


SNAP, CANCEL = "snap.status", "snap.cancel"
HEADERS: Final = (
    Header("no media type", CHECKOUT, "Content-Type", (), "required"),
    Header("another media type", REFUND, "Content-Type", ("text/plain",), "format"),
    Header("a form's media type", PERIOD, "Content-Type", ("application/x-www-form-urlencoded",), "format"),
    Header("two media types", QUERY, "Content-Type", ("application/json", "application/json"), "duplicate"),
    Header("no partner", SNAP, "X-PARTNER-ID", (), "required"),
    Header("no channel", SNAP, "CHANNEL-ID", (), "required"),
    Header("no external id", CANCEL, "X-EXTERNAL-ID", (), "required"),
    Header("a bad timestamp", SNAP, "X-TIMESTAMP", ("1748750400",), "format"),
)


def plant_header(story: Story, fault: Header) -> None:
    draft = story.any(fault.operation)
    side = draft.asked
    side.headers = [pair for pair in side.headers if pair[0] != fault.name]
    side.headers += [[fault.name, value] for value in fault.values]
    if not fault.values:  # what is missing in a text that the gateway accepted, the text may lack
        story.forms = ("records", "packed")
    part = "notification" if draft.kind == "notify" else "request"
    story.expect(draft, part, f"@header/{fault.name}", fault.code)


def plant_bytes(story: Story, fault: Bytes) -> None:
    draft: Draft = story.any(fault.operation)
    story.forms = ("records", "packed")  # a HAR file is text, which cannot say all of it
    draft.side(fault.part).made = fault.change
    story.expect(draft, fault.part, fault.pointer, fault.code)
