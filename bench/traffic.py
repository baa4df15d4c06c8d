"""Capture records of a merchant and a gateway, signed by both, for the benchmarks of the audit.

Orders are placed, asked for, paid and refunded, as a client of this SDK would, so that nothing in them is to be found.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from paywright.contract import CONTRACT
from paywright_runtime.signatures import RsaSigner

__all__ = ["records"]

_START = datetime(2025, 6, 1, tzinfo=UTC)


def records(count: int, merchant: RsaSigner, gateway: RsaSigner) -> Iterator[bytes]:
    """So many lines."""
    made = 0
    number = 0
    while made < count:
        number += 1
        for line in _order(number, merchant, gateway):
            made += 1
            yield line
            if made == count:
                return


def _order(number: int, merchant: RsaSigner, gateway: RsaSigner) -> Iterator[bytes]:
    key, token, refund = f"ORD_{number:08d}", f"TT{number:016d}", f"REF_{number:08d}"
    amount = {"amount": "10.50", "currency": "USD"}

    def call(step: int, operation: str, data: Mapping[str, object], told: Mapping[str, object]) -> bytes:
        at = _START + timedelta(seconds=number * 60 + step * 5)
        return _record(operation, at, data, told, merchant, gateway)

    asked = {"outTradeNo": key, "totalAmount": 10.5, "currency": "USD", "userId": f"user_{number % 997}"}
    yield call(0, "orders.checkout", asked, {"outTradeNo": key, "tradeToken": token})
    for step, status in ((1, "PENDING"), (2, "SUCCESS"), (3, "SUCCESS")):
        told = {"outTradeNo": key, "status": status, "trade": amount, "source": amount, "destination": amount}
        yield call(step, "orders.query", {"outTradeNo": key}, told)
    if number % 3 == 0:
        asked = {"outRefundNo": refund, "refundAmount": 4.25, "refundCurrency": "USD", "outTradeNo": key}
        told = {
            "outRefundNo": refund,
            "tradeOrderNo": token,
            "refundTradeNo": f"RF{number}",
            "status": "REFUND_PENDING",
        }
        yield call(4, "refunds.create", asked, told)
        told = {"outRefundNo": refund, "outTradeNo": key, "status": "REFUND_SUCCESS", "resultMsg": ""}
        yield call(5, "refunds.query", {"outRefundNo": refund}, told)


def _record(
    operation: str,
    at: datetime,
    data: Mapping[str, object],
    told: Mapping[str, object],
    merchant: RsaSigner,
    gateway: RsaSigner,
) -> bytes:
    request, answer = CONTRACT.example(f"{operation}.request"), CONTRACT.example(f"{operation}.response")
    time = at.isoformat(timespec="milliseconds")
    request |= {"requestTime": time, "data": _over(request["data"], data)}
    answer["data"] = _over(answer["data"], told)
    asked, answered = _bytes(request), _bytes(answer)
    sent = [
        ["Host", "gw.example"],
        ["Accept-Encoding", "identity"],
        ["Content-Length", str(len(asked))],
        ["User-Agent", "merchant/1.0"],
        ["Content-Type", "application/json"],
        ["sign", merchant.sign(asked)],
    ]
    back = [
        ["date", "Sun, 01 Jun 2025 12:00:00 GMT"],
        ["content-type", "application/json"],
        ["content-length", str(len(answered))],
        ["sign", gateway.sign(answered)],
    ]
    record = {
        "v": 1,
        "at": time,
        "kind": "call",
        "url": f"https://gw.example{CONTRACT.operation(operation).path}",
        "request": {"headers": sent, "body": {"base64": b64encode(asked).decode()}},
        "response": {"status": 200, "headers": back, "body": {"base64": b64encode(answered).decode()}},
        "source": "bench",
    }
    return _bytes(record) + b"\n"


def _over(base: object, data: Mapping[str, object]) -> dict[str, object]:
    assert isinstance(base, dict)
    return {name: value for name, value in {**base, **data}.items() if value is not None}


def _bytes(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
