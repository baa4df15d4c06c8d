"""Make valid notifications and questions for one merchant, each with a new number."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, Literal

from paywright import contract
from paywright_runtime import strict_json
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.contract import formats
from paywright_runtime.signing.keys import generate_key_pair
from paywright_runtime.signing.rsa import RsaSigner

__all__ = ["MessageFactory", "Standing", "written"]

Standing = Literal["open", "final"]
"""A state that moves on, and one that does not."""

_STATES: Final[Mapping[str, Mapping[Standing, str]]] = {
    "RECEIVE": {"open": "TO_BE_PROVED", "final": "SETTLED"},
    "SUBSCRIPTION_PAYMENT": {"open": "PENDING", "final": "SUCCESS"},
}


def written(body: object) -> bytes:
    """Return a body as JSON bytes, as the gateway writes it."""
    return strict_json.write(body)


class MessageFactory:
    """Makes messages for one merchant. `kind` is what `event` makes: RECEIVE, or SUBSCRIPTION_PAYMENT."""

    def __init__(self, signer: RsaSigner, app_id: str, merchant_no: str | None, clock: Clock | None = None) -> None:
        self.signer = signer
        self.other = RsaSigner(generate_key_pair().private)
        self.app_id = app_id
        self.merchant_no = merchant_no
        self.kind = "RECEIVE"
        self._clock = clock or SystemClock()
        self._run = secrets.token_hex(5).upper()
        self._made = 0

    def number(self) -> str:
        """Return a number that no endpoint has seen."""
        self._made += 1
        return f"CHECK{self._run}{self._made:03}"

    def event(self, number: str, standing: Standing = "final", *, ago: timedelta = timedelta(0)) -> dict[str, object]:
        """Return a valid notification of the chosen kind about `number`."""
        status = _STATES[self.kind][standing]
        return (
            self.transfer(number, status, ago=ago) if self.kind == "RECEIVE" else self.period(number, status, ago=ago)
        )

    @property
    def final(self) -> str:
        """Return the state that `event` reports by default."""
        return _STATES[self.kind]["final"]

    def subject(self, number: str) -> str:
        """Return the number under which the effects of `event` are looked up."""
        return number if self.kind == "RECEIVE" else f"{number}/1"

    def transfer(self, number: str, status: str = "SETTLED", *, ago: timedelta = timedelta(0)) -> dict[str, object]:
        """Return a notification of a received transfer [6.1]."""
        body = _of(contract.example("notifications.receive.notification"))
        data, detail = _of(body["data"]), _of(_of(body["data"])["paymentDetail"])
        if status != "SETTLED":
            detail["settle"] = dict.fromkeys(_of(detail["settle"]), "")
        failed = status == "REJECTED"
        data |= {
            "requestNo": number,
            "channelTradeNo": f"BK{number}",
            "status": status,
            "transactionUtcTime": self.time(ago),
            "completeTime": "" if status == "TO_BE_PROVED" else self.time(ago),
            "paymentDetail": detail,
            "errorCode": "TRANSFER_REJECTED" if failed else "",
            "errorMsg": "A check of this endpoint." if failed else "",
        }
        return {**self._root(body, ago), "data": data}

    def period(
        self, plan: str, status: str = "SUCCESS", *, index: int = 1, ago: timedelta = timedelta(0)
    ) -> dict[str, object]:
        """Return a notification of the payment of a period [6.2]."""
        body = _of(contract.example("notifications.subscription_payment.notification"))
        data = _of(body["data"])
        last: dict[str, object] = {"lastPaymentStatus": status, "payTime": self.time(ago), "tradeToken": f"TT{plan}"}
        root: dict[str, object] = {}
        if status == "FAILED":
            del last["tradeToken"]
            last |= {"errorCode": "PAYMENT_FAILED", "errorMsg": "A check of this endpoint."}
            root = {"code": "PAYMENT_FAILED", "msg": "A check of this endpoint."}
        paid = {"subscriptionIndex": index, "paymentStatus": status, "lastPaymentInfo": last}
        data |= {
            "subscriptionRequestId": f"REQ{plan}",
            "subscriptionPlan": {"subscriptionNo": plan},
            "subscriptionPaymentDetail": {**_of(data["subscriptionPaymentDetail"]), **paid},
        }
        return {**self._root(body, ago), **root, "data": data}

    def unshown(self, kind: str, number: str) -> dict[str, object]:
        """Return a notification of a kind that the specification does not show [6.3], as publicly seen."""
        amount = Decimal("10.50")
        data: dict[str, object] = {
            "PAYMENT": {"outTradeNo": number, "tradeToken": f"TT{number}", "totalAmount": amount, "currency": "USD"},
            "REFUND": {"outRefundNo": number, "refundAmount": amount, "refundCurrency": "USD"},
            "WITHDRAW": {"outTradeNo": number, "targetAmount": amount, "targetCurrency": "USD"},
        }.get(kind, {"number": number})
        status = "REFUND_SUCCESS" if kind == "REFUND" else "SUCCESS"
        root = self._root({"code": "APPLY_SUCCESS", "msg": "Success.", "keyVersion": "1"}, timedelta(0))
        return {**root, "notifyType": kind, "data": {**data, "status": status}}

    def question(self, reference: str, amount: str = "10.50") -> dict[str, object]:
        """Return the question whether a bill may be paid [4.18]."""
        return {"referenceNo": reference, "amount": Decimal(amount), "currency": "PHP"}

    def time(self, ago: timedelta = timedelta(0)) -> str:
        """Return the time `ago` before now, as the gateway writes it."""
        return formats.write_request_time(self.now() - ago)

    def now(self) -> datetime:
        """Return the time of new messages."""
        return self._clock.now()

    def _root(self, body: Mapping[str, object], ago: timedelta) -> dict[str, object]:
        root = {**body, "appId": self.app_id, "notifyTime": self.time(ago)}
        if self.merchant_no is None:
            root.pop("merchantNo", None)
            return root
        return {**root, "merchantNo": self.merchant_no}


def _of(value: object) -> dict[str, object]:
    """Return a copy of an object of an example. Its numbers stay as written."""
    assert isinstance(value, dict)  # the contract's examples are
    return {name: Decimal(str(part)) if isinstance(part, float) else part for name, part in _deep(value).items()}


def _deep(value: Mapping[str, object]) -> dict[str, object]:
    return {name: _of(part) if isinstance(part, dict) else part for name, part in value.items()}
