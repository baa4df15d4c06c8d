"""What the tests of the audit share: a folder of keys, and the log of a session that a sandbox wrote itself."""

import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import GatewayError
from paywright_runtime.clock import FixedClock
from paywright_runtime.signing.keys import load_public_key
from paywright_sandbox.init import make_folder
from paywright_sandbox.testing.inprocess import in_process_sandbox
from tests.audit.helpers.planted_capture import make_stranger
from tests.sandbox.helpers.place import place


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audited")
    make_folder(folder)
    return folder


@pytest.fixture(scope="session")
def secrets(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys of the merchant, of the gateway, and of a stranger."""
    folder = Path(shutil.copytree(keys / "keys", tmp_path_factory.mktemp("secrets") / "keys"))
    make_stranger(folder)
    return folder


@pytest.fixture(scope="session")
def public(keys: Path) -> dict[str, Any]:
    """Both public keys, for the settings of an audit."""
    return {f"{side}_keys": [load_public_key(keys / "keys" / f"{side}.pub")] for side in ("merchant", "gateway")}


@pytest.fixture(scope="session")
def good_log(keys: Path) -> bytes:
    """Orders, a payment, a refusal, refunds: five calls of which nothing can be said."""
    from datetime import UTC, datetime

    with in_process_sandbox(keys, clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))) as sandbox:
        with sandbox.client() as client:
            place(client, "ORD_1")
            with pytest.raises(GatewayError):
                client.orders.query(out_trade_no="NONE_1")
            sandbox.pay("ORD_1")
            client.orders.query(out_trade_no="ORD_1")
            client.refunds.create(
                out_refund_no="REF_1", refund_amount=Decimal("4.25"), refund_currency="USD", out_trade_no="ORD_1"
            )
            client.refunds.query(out_refund_no="REF_1")
        return sandbox.log()


@pytest.fixture
def folder(keys: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(keys, tmp_path / "sandbox"))
