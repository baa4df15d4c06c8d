"""Every rule of the contract that is checked: documents that it takes and documents that it refuses, written by hand.

The table is keyed by the struct and the id of the rule. Each line is a change of the members that the rule is about, applied to
the smallest valid object; nested ones are written out. A line without a rule fails. Beside the table, every rule, also one that
has no line yet, is put to documents made from the contract: its members absent, empty, and with the values that they may have.
"""

from __future__ import annotations

from itertools import product
from typing import cast

import pytest

import paywright.contract
from paywright_codegen.model.rules import AnyIs, OneOf, Path, Restrict, Rule
from paywright_codegen.model.types import Field, Struct
from paywright_runtime.contract.value_checks import Report
from tests.support.contract import contract
from tests.support.documents import put, smallest, take
from tests.support.reference_rules import broken, field_at

Json = dict[str, object]

ADDRESS: Json = {
    "firstName": "A", "lastName": "B", "phoneNo": "1", "email": "a@b.example", "address1": "1 Main St",
    "city": "C", "zipCode": "1",
}  # fmt: skip
ENVELOPES = (
    "accounts.list_authorized", "cases.search", "cases.inquire", "exchanges.create", "exchanges.query", "orders.checkout",
    "orders.drop_in", "orders.query", "payment_links.query", "payment_tokens.list", "rates.query", "refunds.create",
    "subscriptions.create", "withdrawals.query",
)  # fmt: skip

# (struct, rule): the documents it takes, those it refuses, and where, relative to the object.
Line = tuple[list[Json], list[Json], str]
EXAMPLES: dict[tuple[str, str], Line] = {
    ("LastPayment", "paid-has-token"): (
        [{"lastPaymentStatus": "SUCCESS", "tradeToken": "T1"}, {"lastPaymentStatus": "FAILED", "tradeToken": None}],
        [{"lastPaymentStatus": "SUCCESS", "tradeToken": None}, {"lastPaymentStatus": "SUCCESS", "tradeToken": ""}],
        "tradeToken"),
    ("HostedPaymentDetail", "target-needs-method"): (
        [{"targetOrg": "X", "paymentMethodType": "WALLET"}, {"targetOrg": ""}, {"targetOrg": None}, {}],
        [{"targetOrg": "X"}, {"targetOrg": "X", "paymentMethodType": ""}, {"targetOrg": "X", "paymentMethodType": None}],
        "paymentMethodType"),
    ("ShippingInfo", "state-where-used"): (
        [{**ADDRESS, "country": "US", "state": "CA"}, {**ADDRESS, "country": "SG"}],
        [{**ADDRESS, "country": country} for country in ("CA", "US", "GB", "UK", "AU")]
        + [{**ADDRESS, "country": "US", "state": ""}],
        "state"),
    ("LinkTransaction", "time-of-success"): (
        [{"status": "PENDING", "completeAt": ""}, {"status": "CLOSE"}, {"status": "SUCCESS", "completeAt": "2025-06-01T12:00:00Z"}],
        [{"status": status, "completeAt": "2025-06-01T12:00:00Z"} for status in ("PENDING", "CLOSE")],
        "completeAt"),
    ("LinkTransaction", "details-of-success"): (
        [{"status": "PENDING"}, {"status": "CLOSE", "paymentDetails": None}, {"status": "SUCCESS", "paymentDetails": [{}]}],
        [{"status": status, "paymentDetails": [{}]} for status in ("PENDING", "CLOSE")],
        "paymentDetails"),
    **{
        (struct, "card-has-no-target"): (
            [{"paymentMethodType": "CARD"}, {"paymentMethodType": "CARD", "targetOrg": ""}, {"paymentMethodType": "WALLET", "targetOrg": "X"}],
            [{"paymentMethodType": "CARD", "targetOrg": "X"}],
            "targetOrg",
        )
        for struct in ("PaymentToken", "BizPaymentToken", "payment_tokens.list.request.data")
    },
    **{
        (struct, "card-has-no-account"): (
            [{"paymentMethodType": "CARD"}, {"paymentMethodType": "WALLET", "accountDisplay": "a***"}],
            [{"paymentMethodType": "CARD", "accountDisplay": "a***"}],
            "accountDisplay",
        )
        for struct in ("PaymentToken", "BizPaymentToken")
    },
    ("Refund", "message-of-failure"): (
        [{"status": "REFUND_FAILED", "resultMsg": "no"}, {"status": "REFUND_SUCCESS", "resultMsg": ""}, {"status": "REFUND_PENDING"}],
        [{"status": status, "resultMsg": "no"} for status in ("REFUND_SUCCESS", "REFUND_PENDING")],
        "resultMsg"),
    ("NewPlan", "period-or-prices"): (
        [{"prices": [], "periodRule": {}, "periodAmount": "1"}, {"prices": [{}]}],
        [{"prices": [], "periodAmount": "1"}, {"prices": []}],
        "periodRule"),
    ("NewPlan", "prices-alone"): (
        [{"prices": [{}]}, {"prices": [{}], "periodRule": None}, {"prices": [], "periodRule": {}, "periodAmount": "1"}],
        [{"prices": [{}], "periodRule": {}}, {"prices": [{}], "periodRule": {}, "periodAmount": "1"}],
        "periodRule"),
    ("exchanges.create.request.data", "one-side-usd"): (
        [{"transactionCcy": "USD", "targetCcy": "EUR"}, {"transactionCcy": "EUR", "targetCcy": "USD"}],
        [{"transactionCcy": "EUR", "targetCcy": "GBP"}],
        "transactionCcy"),
    ("exchanges.create.request.data", "two-currencies"): (
        [{"transactionCcy": "USD", "targetCcy": "EUR"}, {"transactionCcy": "", "targetCcy": ""}, {"transactionCcy": "USD", "targetCcy": None}],
        [{"transactionCcy": "USD", "targetCcy": "USD"}],
        "transactionCcy"),
    ("exchanges.create.request.data", "pair-of-the-two"): (
        [
            {"ccyPair": "EURUSD", "transactionCcy": "EUR", "targetCcy": "USD"},
            {"ccyPair": "", "transactionCcy": "EUR", "targetCcy": "USD"},
            {"ccyPair": "EURUSD", "transactionCcy": "EUR", "targetCcy": None},
            {"ccyPair": "EURUSD", "transactionCcy": "", "targetCcy": "EURUSD"},
        ],
        [
            {"ccyPair": pair, "transactionCcy": "EUR", "targetCcy": "USD"}
            for pair in ("USDEUR", "EURGBP", "eurusd", "EURUSDX")
        ],
        "ccyPair"),
    ("Rate", "pair-of-the-two"): (
        [{"ccyPair": "EURUSD", "transactionCurrency": "EUR", "targetCurrency": "USD"}],
        [{"ccyPair": "USDEUR", "transactionCurrency": "EUR", "targetCurrency": "USD"}],
        "ccyPair"),
    ("orders.checkout.request.data", "method-needs-country"): (
        [{"paymentDetail": {"paymentMethodType": "CARD"}, "country": "SG"}, {"paymentDetail": {}}, {"paymentDetail": None}],
        [{"paymentDetail": {"paymentMethodType": "CARD"}}, {"paymentDetail": {"paymentMethodType": "CARD"}, "country": None}],
        "country"),
    ("orders.drop_in.request.data", "os-of-wap-and-app"): (
        [{"terminalType": "WAP", "osType": "ANDROID"}, {"terminalType": "APP"}, {"terminalType": "APP", "osType": None}, {"terminalType": "WEB", "osType": ""}],
        [{"terminalType": "WAP", "osType": "LINUX"}, {"terminalType": "APP", "osType": "ios"}, {"terminalType": "WAP", "osType": ""}],
        "osType"),
    ("refunds.create.request.data", "which-order"): (
        [{"outTradeNo": "O1"}, {"tradeToken": "T1"}, {"outTradeNo": "O1", "tradeToken": "T1"}, {"outTradeNo": "", "tradeToken": "T1"}],
        [{}, {"outTradeNo": ""}, {"outTradeNo": None, "tradeToken": ""}],
        "outTradeNo"),
    ("refunds.query.request.data", "which-refund"): (
        [{"outRefundNo": "R1"}, {"refundTradeNo": "T1"}],
        [{}, {"outRefundNo": "", "refundTradeNo": None}],
        "outRefundNo"),
    ("HostedOrderCreated", "cashier-page"): (
        [{"redirectUrl": "https://cashier.example/pay/1"}],
        [{}, {"redirectUrl": None}, {"redirectUrl": ""}],
        "redirectUrl"),
    ("orders.query.response", "absent-without-data"): (
        [{"code": "ORDER_NOT_EXIST"}, {"code": "ORDER_NOT_EXIST", "data": None}, {"code": "SYSTEM_ERROR", "data": {}}],
        [{"code": "ORDER_NOT_EXIST", "data": {}}, {"code": "ORDER_NOT_EXIST", "data": {"outTradeNo": "O1", "status": "SUCCESS"}}],
        "data"),
    **{
        (f"{operation}.response", "success-has-data"): (
            [{"code": "APPLY_SUCCESS", "data": {}}, {"code": "SYSTEM_ERROR"}, {"code": "SYSTEM_ERROR", "data": None}],
            [{"code": "APPLY_SUCCESS"}, {"code": "APPLY_SUCCESS", "data": None}],
            "data",
        )
        for operation in ENVELOPES
    },
}  # fmt: skip


def _structs() -> dict[str, Struct]:
    return {struct.name: struct for struct in contract().all_structs()}


def _found(struct: str, body: Json) -> set[tuple[str, str]]:
    report = Report()
    paywright.contract.CONTRACT.validator(struct)(body, "", report)
    return {(pointer, code) for pointer, code, _ in report.found}


def _smallest(struct: Struct, change: Json) -> Json:
    body = {field.wire: smallest(contract(), field) for field in struct.fields if field.required}
    for rule in struct.rules:  # what rules ask for is said by the table alone
        for path in (path for demand in rule.demands for path in getattr(demand, "paths", ())):
            field = struct.field(path[0])
            if field is not None and not field.required:
                body.pop(path[0], None)
    return {**body, **change}


RULES = [(struct.name, rule.id) for struct in contract().all_structs() for rule in struct.rules if rule.checked]


def _values(struct: Struct, rule: Rule, path: Path) -> list[object]:
    """Values of one member: those that the rule names, some that it does not, nothing, and more than any limit allows."""
    named = [
        value
        for part in (*rule.when, *rule.demands)
        for choice in (part.choices if isinstance(part, AnyIs) else (part,))
        if isinstance(choice, (OneOf, Restrict)) and choice.path == path
        for value in choice.values
    ]
    field = field_at(contract(), struct, path)[1]
    assert isinstance(field, Field)
    if field.type.array or field.type.kind in ("struct", "object", "number", "boolean"):
        return [None, smallest(contract(), field), *([[]] if field.type.array else [])]
    lengths = ["x" * 200] if any(isinstance(part, Restrict) and part.path == path for part in rule.demands) else []
    return [None, "", *named[:6], "EUR", "USD", "EURUSD", *lengths]


@pytest.mark.parametrize(("name", "rule_id"), RULES)
def test_every_rule_is_read_alike_over_documents_made_from_the_contract(name: str, rule_id: str) -> None:
    struct = _structs()[name]
    rule = next(one for one in struct.rules if one.id == rule_id)
    paths = list(dict.fromkeys(rule.paths))
    least = _smallest(struct, {})
    verdicts = set()
    for values in product(*(_values(struct, rule, path) for path in paths)):
        body = least
        for path, value in zip(paths, values, strict=True):
            body = take(body, path) if value is None else put(contract(), struct, body, path, value)
        expected = rule_id in {one.id for one, _ in broken(struct, body)}
        assert (rule_id in {code for _, code in _found(name, body)}) == expected, body
        verdicts.add(expected)
    assert verdicts == {True, False}, "one that is taken and one that is refused"


def test_every_line_has_a_rule() -> None:
    assert set(RULES) >= EXAMPLES.keys()


def test_every_example_has_both_sides() -> None:
    for key, (taken, refused, _) in EXAMPLES.items():
        assert taken, key
        assert refused, key


@pytest.mark.parametrize(("struct", "rule"), EXAMPLES)
def test_a_rule_takes_what_it_should_and_refuses_what_it_should(struct: str, rule: str) -> None:
    taken, refused, where = EXAMPLES[struct, rule]
    model = _structs()[struct]
    for change in taken:
        body = _smallest(model, change)
        assert rule not in {code for _, code in _found(struct, body)}, f"refused: {change}"
        assert rule not in {one.id for one, _ in broken(model, body)}
    for change in refused:
        body = _smallest(model, change)
        assert (f"/{where}", rule) in _found(struct, body), f"taken: {change}"
        assert rule in {one.id for one, _ in broken(model, body)}


def test_a_rule_that_no_field_tells_is_documented_and_never_checked() -> None:
    unchecked = {
        (struct.name, rule.id) for struct in contract().all_structs() for rule in struct.rules if not rule.checked
    }
    assert unchecked
    for struct, rule in unchecked:
        told = paywright.contract.CONTRACT.struct(struct).rule(rule)
        assert told is not None
        assert told.checked is False
        source = cast(object, paywright.contract.CONTRACT.validator(struct)).__code__.co_consts  # type: ignore[attr-defined]  # a function
        assert rule not in source
