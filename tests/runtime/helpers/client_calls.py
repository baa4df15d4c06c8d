"""Arguments and answers that the client's tests share."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

from paywright import BuyerInfo, Client, DropInPaymentDetail, contract
from paywright.contract import CONTRACT
from paywright_cli.commands.call import arguments_of_example
from tests.runtime.helpers.canned_gateway import Reply, Seen

OUTBOUND = [name for name in contract.operations() if not contract.operation(name).inbound]

ORDER: dict[str, Any] = {
    "out_trade_no": "ORD_1",
    "subject": "Two tickets",
    "total_amount": Decimal("10.50"),
    "currency": "USD",
    "user_id": "u1",
    "front_callback_url": "https://shop.example/back",
}

DROP_IN: dict[str, Any] = {
    **ORDER, "country": "SG", "terminal_type": "WEB",
    "payment_detail": DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA")),
}  # fmt: skip

REFUND: dict[str, Any] = {
    "out_refund_no": "REF_1",
    "refund_amount": Decimal("4.25"),
    "refund_currency": "USD",
    "out_trade_no": "ORD_1",
}

EXCHANGE: dict[str, Any] = {
    "ccy_pair": "EURUSD", "out_trade_no": "EXC_0001", "side": "BUY",
    "transaction_amount": Decimal("100.00"),
    "transaction_ccy": "EUR", "target_ccy": "USD",
}  # fmt: skip

ORDER_CREATED: dict[str, object] = {
    "code": "APPLY_SUCCESS", "msg": "Success.",
    "data": {"outTradeNo": "ORD_1", "tradeToken": "TT1", "status": "PENDING", "redirectUrl": "https://cashier.example/TT1"},
}  # fmt: skip

ORDER_FOUND: dict[str, object] = {
    "code": "APPLY_SUCCESS", "msg": "Success.",
    "data": {
        "outTradeNo": "ORD_1", "status": "SUCCESS", "transactionUtcTime": "2025-06-01T12:00:00.000+08:00",
        "payFinishTime": "2025-06-01T12:00:07 +0800", "trade": {"amount": "10.50", "currency": "USD"},
        "source": {"amount": "10.50", "currency": "USD", "fee": "0.10", "feeCurrency": "USD"},
        "destination": {"amount": "10.50", "currency": "USD"},
    },
}  # fmt: skip


def call_everything(client: Client) -> dict[str, object]:
    """Call each operation of the contract once, as a method; the result or the error, by operation."""
    results: dict[str, object] = {}
    for name in OUTBOUND:
        (resource, _, method), operation = name.partition("."), CONTRACT.operation(name)
        by_wire = CONTRACT.struct(operation.data or operation.request).by_wire
        values = {by_wire[wire].python: value for wire, value in arguments_of_example(CONTRACT, operation).items()}
        try:
            results[name] = getattr(getattr(client, resource), method)(**values)
        except Exception as error:  # each is looked at by the test
            results[name] = error
    return results


def call_example(client: Client, name: str) -> object:
    """Call an operation with the arguments of its example message."""
    return client.call_by_name(name, arguments_of_example(CONTRACT, CONTRACT.operation(name)))


def operation_of(seen: Seen) -> str:
    """Which operation a request is, by its address and what the contract says tells requests apart."""
    for name in OUTBOUND:
        operation = contract.operation(name)
        if (operation.path or "/biz") != seen.path:
            continue
        data = seen.json.get("data")
        members = {f"/{key}": value for key, value in seen.json.items()}
        if isinstance(data, dict):
            members |= {f"/data/{key}": value for key, value in data.items()}
        if all(members.get(pointer) == value for pointer, value in operation.discriminators.items()):
            return name
    raise AssertionError(seen.path)


def example_of(seen: Seen) -> Reply:
    """The generated example answer, with the request's own ids in it."""
    name = operation_of(seen)
    body = contract.example(f"{name}.response")
    asked, answered = seen.json.get("data", seen.json), body.get("data", body)
    assert isinstance(asked, dict)
    for echo in contract.operation(name).echoes:
        if echo in asked:
            answered[echo] = asked[echo]
    for elements, member, among in contract.operation(name).each_echoes:
        first = next(iter(cast("list[object]", asked.get(among) or [])), asked)
        for each in answered[elements]:
            each[member] = first.get(member, seen.json.get(member)) if isinstance(first, dict) else first
    return Reply(body)
