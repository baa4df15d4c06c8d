"""Faults of one message: its schema, the contract's rules, its JSON, its headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from tests.audit.helpers.planted_story import Draft, Story

__all__ = ["BYTES", "GONE", "HEADERS", "VALUES", "plant_bytes", "plant_header", "plant_value"]

GONE: Final = object()
Expected = tuple[tuple[str, str], ...]


class Value(NamedTuple):
    """One member of a good message changed, after those in `before`, and one of the other message in `also`. `expected` are
    pointers and codes; without any, `code` at the member itself."""

    kind: str
    operation: str
    part: str
    pointer: str
    value: object
    code: str
    expected: Expected = ()
    note: bool = False
    before: tuple[tuple[str, object], ...] = ()
    also: tuple[str, str, object] | None = None


def plant_value(story: Story, fault: Value) -> None:
    draft = story.any(fault.operation)
    if fault.operation == BILL:
        story.forms = ("records",)  # it is known by these very members where the capture does not say what it is
    for pointer, value in (*fault.before, (fault.pointer, fault.value)):
        put(draft.side(fault.part).value, pointer, _numbered(value, story))
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


CHECKOUT, DROP_IN, QUERY = "orders.checkout", "orders.drop_in", "orders.query"
REFUND, REFUND_QUERY, PLAN = "refunds.create", "refunds.query", "subscriptions.create"
EXCHANGE, RATES, TOKENS, LINK = "exchanges.create", "rates.query", "payment_tokens.list", "payment_links.query"
PERIOD, BILL = "notifications.subscription_payment", "merchant.validate_bill_payment"
_RULE: Final = {"periodUnit": "M", "periodCount": 1}
_PLAN: Final = "/data/subscriptionPlan"
_SHIPPED: Final = {
    "country": "US", "firstName": "A", "lastName": "B", "phoneNo": "1", "email": "a@shop.example", "address1": "C", "city": "D",
    "zipCode": "1",
}  # fmt: skip
_LINKED: Final = "/data/payByLinkInfo/0"
_TOKEN: Final = "/data/tokenList/0"

VALUES: Final = (
    # What is missing, or null, or nothing.
    Value("a required member is missing", CHECKOUT, "request", "/data/subject", GONE, "required"),
    Value("a required member of the envelope is missing", REFUND, "request", "/keyVersion", GONE, "required"),
    Value("a required member of an answer is missing", CHECKOUT, "response", "/data/tradeToken", GONE, "required"),
    Value("a required member of a nested object is missing", QUERY, "response", "/data/trade/currency", GONE, "required"),
    Value("a required member of an element is missing", RATES, "response", "/data/currencyList/0/rate", GONE, "required"),
    Value("a required member is null", CHECKOUT, "request", "/data/currency", None, "required"),
    Value("a required member of the envelope is null", EXCHANGE, "request", "/appId", None, "required"),
    Value("a required text is empty", QUERY, "request", "/data/outTradeNo", "", "min"),
    Value("data is missing", DROP_IN, "request", "/data/paymentDetail", GONE, "required"),
    Value("a member of a notification is missing", PERIOD, "notification", "/data/userId", GONE, "required"),
    Value("a member of a question is missing", BILL, "request", "/amount", GONE, "required"),
    # Of another type.
    Value("a number as text", CHECKOUT, "request", "/data/totalAmount", "10.50", "type"),
    Value("a text as number", REFUND, "request", "/keyVersion", 1, "type"),
    Value("a text as true", CHECKOUT, "request", "/data/userId", True, "type"),
    Value("an object as array", QUERY, "request", "/data", [], "type"),
    Value("an array as object", RATES, "request", "/data/ccyPairList", {}, "type"),
    Value("an object as text", QUERY, "response", "/data/source", "10.50 USD", "type"),
    Value("an element of another type", "accounts.list_authorized", "request", "/data/productTypeList/0", 5, "type"),
    Value("an element that is no object", TOKENS, "response", _TOKEN, "PTK", "type"),
    Value("an amount as number", QUERY, "response", "/data/trade/amount", 10.5, "type"),
    Value("an acknowledgement of another type", "notifications.receive", "answer", "/code", 200, "type"),
    # Too long, too short, out of range.
    Value("a text too long", CHECKOUT, "request", "/data/subject", "T" * 257, "max"),
    Value("an answer's text too long", REFUND, "response", "/data/tradeOrderNo", "T" * 65, "max"),
    Value("a text of other length", EXCHANGE, "request", "/data/ccyPair", "EURUS", "exact",
          (("/data/ccyPair", "exact"), ("/data/ccyPair", "pair-of-the-two"))),
    Value("out of range", CHECKOUT, "request", "/data/expireTime", "60", "range"),
    Value("digits that are none", DROP_IN, "request", "/data/expireTime", "1e4", "range"),
    # Not in a list, not in a form.
    Value("a value not in the list", EXCHANGE, "request", "/data/side", "HOLD", "value"),
    Value("a terminal that is none", DROP_IN, "request", "/data/terminalType", "TV", "value"),
    Value("a bad currency", CHECKOUT, "request", "/data/currency", "usd", "format"),
    Value("a bad currency of a refund", REFUND, "request", "/data/refundCurrency", "$$$", "format"),
    Value("a bad country", DROP_IN, "request", "/data/country", "s1", "format"),
    Value("a bad time", EXCHANGE, "request", "/requestTime", "yesterday", "format"),
    Value("a bad time in an answer", QUERY, "response", "/data/transactionUtcTime", "2025-13-01", "format"),
    Value("a bad address", CHECKOUT, "request", "/data/notifyUrl", "shop.example", "format"),
    Value("a bad amount", EXCHANGE, "request", "/data/transactionAmount", "10,50", "format"),
    Value("a bad amount in an answer", QUERY, "response", "/data/trade/amount", "10.5 USD", "format"),
    Value("a key with a space", CHECKOUT, "request", "/data/outTradeNo", "ORD {number}", "format",
          (("/data/outTradeNo", "format"),), also=("response", "/data/outTradeNo", "ORD {number}")),
    # The rules of the contract.
    Value("success without data", RATES, "response", "/data", GONE, "success-has-data"),
    Value("no side in dollars", EXCHANGE, "request", "/data/targetCcy", "GBP", "one-side-usd",
          (("/data/transactionCcy", "one-side-usd"),), before=(("/data/ccyPair", "EURGBP"),)),
    Value("neither order id", REFUND, "request", "/data/outTradeNo", GONE, "which-order"),
    Value("neither refund id", REFUND_QUERY, "request", "/data/outRefundNo", GONE, "which-refund"),
    Value("a method without country", CHECKOUT, "request", "/data/country", GONE, "method-needs-country",
          before=(("/data/paymentDetail", {"paymentMethodType": "CARD"}),)),
    Value("a target without method", CHECKOUT, "request", "/data/paymentDetail", {"targetOrg": "GCASH"},
          "target-needs-method", (("/data/paymentDetail/paymentMethodType", "target-needs-method"),)),
    Value("an address without state", CHECKOUT, "request", "/data/shippingInfo", _SHIPPED, "state-where-used",
          (("/data/shippingInfo/state", "state-where-used"),)),
    Value("an app of no known system", DROP_IN, "request", "/data/osType", "BEOS", "os-of-wap-and-app",
          before=(("/data/terminalType", "APP"),)),
    Value("a message though it worked", REFUND_QUERY, "response", "/data/resultMsg", "failed", "message-of-failure"),
    Value("a card's token with a target", TOKENS, "response", f"{_TOKEN}/targetOrg", "X", "card-has-no-target"),
    Value("a card's token with an account", TOKENS, "response", f"{_TOKEN}/accountDisplay", "X", "card-has-no-account"),
    Value("a card asked for with a target", TOKENS, "request", "/data/targetOrg", "X", "card-has-no-target"),
    Value("the same of the other inquiry", "payment_tokens.inquire", "response", f"{_TOKEN}/targetOrg", "X",
          "card-has-no-target"),
    Value("neither period nor prices", PLAN, "request", f"{_PLAN}/prices", [], "period-or-prices",
          ((f"{_PLAN}/periodRule", "period-or-prices"), (f"{_PLAN}/periodAmount", "period-or-prices"))),
    Value("a period beside prices", PLAN, "request", f"{_PLAN}/periodRule", _RULE, "prices-alone"),
    Value("a time of what was not paid", LINK, "response", f"{_LINKED}/completeAt", "2025-06-01T12:00:00.000+08:00",
          "time-of-success", before=((f"{_LINKED}/status", "PENDING"), (f"{_LINKED}/paymentDetails", GONE))),
    Value("details of what was not paid", LINK, "response", f"{_LINKED}/paymentDetails", [{}], "details-of-success",
          before=((f"{_LINKED}/status", "PENDING"),)),
    Value("paid without a token", PERIOD, "notification", "/data/subscriptionPaymentDetail/lastPaymentInfo",
          {"lastPaymentStatus": "SUCCESS", "payTime": "2025-06-01T12:00:00.000+08:00"}, "paid-has-token",
          (("/data/subscriptionPaymentDetail/lastPaymentInfo/tradeToken", "paid-has-token"),)),
    # What the contract does not have, and may.
    Value("an unknown member", CHECKOUT, "request", "/data/couponCode", "X1", "unknown-field", note=True),
    Value("an unknown member of an answer", QUERY, "response", "/data/trade/rounded", True, "unknown-field", note=True),
    Value("an unknown member of the envelope", REFUND, "request", "/trace", {"id": 7}, "unknown-field", note=True),
    Value("an unknown state", CHECKOUT, "response", "/data/status", "PARKED", "unknown-value", note=True),
    Value("another version", EXCHANGE, "request", "/version", "1.0", "other-version", note=True),
)  # fmt: skip


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
