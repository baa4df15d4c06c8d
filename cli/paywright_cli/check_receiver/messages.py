"""Make valid notifications and questions for one merchant, each with a new number."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from string import ascii_uppercase
from typing import Literal

from paywright import contract
from paywright_runtime import strict_json
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.contract import formats
from paywright_runtime.contract.operation import Operation, SeenNotification
from paywright_runtime.signing.keys import generate_key_pair
from paywright_runtime.signing.rsa import RsaSigner

Standing = Literal["open", "final"]
"""A state with successors, and one without."""


def _state(kind: str, standing: Standing) -> str:
    """Return the first state of a kind with successors, or the first in which money moved."""
    what = contract.kinds()[kind]
    states = contract.set(_states_of(what))
    left = (state for state in states.values if state not in states.ends)
    return states.paid[0] if standing == "final" else next(left, states.paid[0])


def _states_of(what: Operation | SeenNotification) -> str:
    """Return the name of the list of states of a kind."""
    if isinstance(what, Operation):
        assert what.state is not None  # every kind that the contract shows tells of one
        *_, (_, field) = contract.CONTRACT.at(what.request, what.state)
        assert field is not None
        return str(field.of)
    shown = contract.CONTRACT.operation(what.about[0])
    fields = contract.struct(str(shown.result)).fields
    return next(str(field.of) for field in fields if field.kind == "set" and contract.set(str(field.of)).states)


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
        # No digits: with them some numbers look like those of cards, which are masked wherever they are shown.
        self._run = "".join(secrets.choice(ascii_uppercase) for _ in range(10))
        self._made = 0

    def number(self) -> str:
        """Return a number that no endpoint has seen."""
        self._made += 1
        return f"CHECK{self._run}{self._made:03}"

    def event(self, number: str, standing: Standing = "final", *, ago: timedelta = timedelta(0)) -> dict[str, object]:
        """Return a valid notification of the chosen kind about `number`."""
        status = _state(self.kind, standing)
        return (
            self.transfer(number, status, ago=ago) if self.kind == "RECEIVE" else self.period(number, status, ago=ago)
        )

    @property
    def final(self) -> str:
        """Return the state that `event` reports by default."""
        return _state(self.kind, "final")

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

    def shown(self, kind: str, number: str) -> dict[str, object]:
        """Return the contract's example of a notification, about `number`."""
        what = contract.kinds()[kind]
        assert isinstance(what, Operation)
        body = _of(contract.CONTRACT.example(f"{what.name}.{what.roles[0]}"))
        for pointer in what.once_per:
            *_, (_, field) = contract.CONTRACT.at(what.request, pointer)
            if field is not None and field.kind == "text":
                body = _with(body, pointer, number)
        return self._root(body, timedelta(0))

    def unshown(self, kind: str, number: str) -> dict[str, object]:
        """Return a notification of a kind that the specification does not show [6.3], as publicly seen."""
        root = self._root({"code": "APPLY_SUCCESS", "msg": "Success.", "keyVersion": "1"}, timedelta(0))
        what = contract.seen().get(kind)
        if what is None:
            return {**root, "notifyType": kind, "data": {"number": number, "status": "SUCCESS"}}
        for pointer, value in (
            *what.discriminators.items(),
            (what.about[1], number),
            (what.amount.pointer, Decimal("10.50")),
            (what.amount.currency, "USD"),
            (what.state, _state(kind, "final")),
        ):
            root = _with(root, pointer, value)
        return root

    def worth(self, body: Mapping[str, object], amount: str, *, other_type: bool = False) -> dict[str, object]:
        """Return a notification of the chosen kind with another amount, as a number or text as the contract has it.

        With `other_type` it is the other of the two.
        """
        what = contract.kinds()[self.kind]
        assert isinstance(what, Operation)
        assert what.amount is not None
        *_, (_, field) = contract.CONTRACT.at(what.request, what.amount.pointer)
        number = (field is not None and field.kind == "number") is not other_type
        return _with(body, what.amount.pointer, Decimal(amount) if number else amount)

    def question(self, reference: str, amount: str = "10.50") -> dict[str, object]:
        """Return the question whether a bill may be paid [4.18]."""
        return {
            **contract.example("merchant.validate_bill_payment.request"),
            "referenceNo": reference,
            "amount": Decimal(amount),
        }

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


def _with(body: Mapping[str, object], pointer: str, value: object) -> dict[str, object]:
    """Return a copy of an object with a value at a JSON pointer."""
    first, _, rest = pointer[1:].partition("/")
    inner = body.get(first)
    held = inner if isinstance(inner, dict) else {}
    return {**body, first: _with(held, f"/{rest}", value) if rest else value}


def _of(value: object) -> dict[str, object]:
    """Return a copy of an object of an example. Its numbers stay as written."""
    assert isinstance(value, dict)  # the contract's examples are
    return {name: Decimal(str(part)) if isinstance(part, float) else part for name, part in _deep(value).items()}


def _deep(value: Mapping[str, object]) -> dict[str, object]:
    return {name: _of(part) if isinstance(part, dict) else part for name, part in value.items()}
