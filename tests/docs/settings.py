"""The settings of a program that takes its client from the environment, in a test's own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright import FixedClock
from paywright_runtime.clock import SystemClock
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, key
from tests.runtime.helpers.canned_gateway import Gateway


def set_up(monkeypatch: pytest.MonkeyPatch, folder: Path, gateway: Gateway, clock: FixedClock) -> None:
    """Have clients of the environment call `gateway`, with keys in `folder`, and go by `clock`."""
    (folder / "gateway.pub").write_text(gateway.keys.public_pem)
    (folder / "merchant.key").write_text(KeyPair(key(1)).private_pem)
    for name, value in {
        "BASE_URL": gateway.base_url,
        "APP_ID": APP,
        "PRIVATE_KEY_FILE": str(folder / "merchant.key"),
        "GATEWAY_KEY_FILES": str(folder / "gateway.pub"),
    }.items():
        monkeypatch.setenv(f"PAYWRIGHT_{name}", value)
    for name in ("now", "monotonic"):
        monkeypatch.setattr(SystemClock, name, lambda self, name=name: getattr(clock, name)())
