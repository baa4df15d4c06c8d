"""Capture records of a merchant and a gateway, signed by both, for the benchmarks of the audit.

Orders are placed, asked for, paid and refunded, as a client of this SDK would, so that nothing in them is to be found.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from paywright.contract import CONTRACT
from paywright_runtime.signing.rsa import RsaSigner

__all__ = ["records"]

_START = datetime(2025, 6, 1, tzinfo=UTC)


def records(count: int, merchant: RsaSigner, gateway: RsaSigner, *, polls: int = 1) -> Iterator[bytes]:
    """So many lines. The first inquiry of each order is sent `polls` times (at most 20), byte for byte, and answered so."""
    made = 0
    number = 0
    while made < count:
        number += 1
        for step, line in enumerate(_order(number, merchant, gateway)):
            for again in range(polls if step == 1 else 1):
                made += 1
                yield line if not again else _later(line, number, again)
                if made == count:
                    return


def _later(line: bytes, number: int, again: int) -> bytes:
    """Return the same messages, recorded some milliseconds later each time."""
    first, later = (_time(number, 5 + milliseconds / 1000).encode() for milliseconds in (0, 100 * again))
    return line.replace(b'"at":"%s"' % first, b'"at":"%s"' % later, 1)


def _time(number: int, seconds: float) -> str:
    return (_START + timedelta(seconds=number * 60 + seconds)).isoformat(timespec="milliseconds")


def _order(number: int, merchant: RsaSigner, gateway: RsaSigner) -> Iterator[bytes]:
    key, token, refund = f"ORD_{number:08d}", f"TT{number:016d}", f"REF_{number:08d}"
    amount = {"amount": "10.50", "currency": "USD"}

    def call(step: int, operation: str, data: Mapping[str, object], told: Mapping[str, object]) -> bytes:
        return _record(operation, _time(number, step * 5), data, told, merchant, gateway)

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
    time: str,
    data: Mapping[str, object],
    told: Mapping[str, object],
    merchant: RsaSigner,
    gateway: RsaSigner,
) -> bytes:
    request, answer = CONTRACT.example(f"{operation}.request"), CONTRACT.example(f"{operation}.response")
    request |= {"requestTime": time, "data": _over(request["data"], data)}
    answer["data"] = _over(answer["data"], told)
    asked, answered = _bytes(request), _bytes(answer)
    sent = {
        "Host": "gw.example",
        "Accept-Encoding": "identity",
        "Content-Length": str(len(asked)),
        "User-Agent": "merchant/1.0",
    }
    sent |= {"Content-Type": "application/json", "sign": merchant.sign(asked)}
    back = {
        "date": "Sun, 01 Jun 2025 12:00:00 GMT",
        "content-type": "application/json",
        "content-length": str(len(answered)),
    }
    back["sign"] = gateway.sign(answered)
    record = {
        "v": 1,
        "at": time,
        "kind": "call",
        "url": f"https://gw.example{CONTRACT.operation(operation).path}",
        "request": {"headers": [*sent.items()], "body": {"base64": b64encode(asked).decode()}},
        "response": {"status": 200, "headers": [*back.items()], "body": {"base64": b64encode(answered).decode()}},
        "source": "bench",
    }
    return _bytes(record) + b"\n"


def _over(base: object, data: Mapping[str, object]) -> dict[str, object]:
    assert isinstance(base, dict)
    return {name: value for name, value in {**base, **data}.items() if value is not None}


def _bytes(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
