"""Processes of `paywright call`, and what they are given."""

from __future__ import annotations

import os
from collections.abc import Mapping

from paywright_sandbox.testing.served import RunningSandbox
from tests.support.packages import PACKAGES

ORDER = {
    "outTradeNo": "END_1",
    "subject": "Two tickets",
    "totalAmount": 10.50,
    "currency": "USD",
    "userId": "user_7001",
    "frontCallbackUrl": "https://shop.example/back",
}
SUBSCRIPTION = {
    "subscriptionRequestId": "SUB_END_1",
    "userId": "user_7001",
    "callbackUrl": "https://shop.example/notify",
    "subscriptionPlan": {
        "subject": "Weekly",
        "totalPeriods": 12,
        "firstPeriodStartDate": "2030-02-26T12:00:00+08:00",
        "periodRule": {"periodUnit": "W", "periodCount": 1},
        "periodAmount": {"amount": 5.25, "currency": "USD"},
        "prices": [],
    },
}


def environment(sandbox: RunningSandbox, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
    return {**kept, "PYTHONPATH": PACKAGES, "PYTHONUTF8": "1", **sandbox.env, **more}
