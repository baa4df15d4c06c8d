"""Processes of `paywright call`, and what they are given."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from paywright_sandbox.testing.served import RunningSandbox
from tests.support.packages import PACKAGES

ORDER = {
    "outTradeNo": "END_1", "subject": "Two tickets", "totalAmount": 10.50, "currency": "USD", "userId": "user_7001",
    "frontCallbackUrl": "https://shop.example/back",
}  # fmt: skip
SUBSCRIPTION = {
    "subscriptionRequestId": "SUB_END_1", "userId": "user_7001", "callbackUrl": "https://shop.example/notify",
    "subscriptionPlan": {
        "subject": "Weekly", "totalPeriods": 12,
        "firstPeriodStartDate": "2030-02-26T12:00:00+08:00",
        "periodRule": {"periodUnit": "W", "periodCount": 1},
        "periodAmount": {"amount": 5.25, "currency": "USD"},
        "prices": [],
    },
}  # fmt: skip


def environment(sandbox: RunningSandbox, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
    return {**kept, "PYTHONPATH": PACKAGES, "PYTHONUTF8": "1", **sandbox.env, **more}


def another_key(tmp_path: Path) -> str:
    """The file of a public key that is not the gateway's."""
    folder = str(tmp_path)
    subprocess.run(
        [sys.executable, "-m", "paywright_cli", "keys", "generate", "--dir", folder],
        check=True, capture_output=True, env={**os.environ, "PYTHONPATH": PACKAGES},
    )  # fmt: skip
    return str(tmp_path / "merchant.pub")
