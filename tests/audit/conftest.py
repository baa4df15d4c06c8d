"""What the tests of the audit share: a folder of keys, and the log of a session that a sandbox wrote itself."""

import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import GatewayError
from paywright_cli.main import main
from paywright_runtime.clock import FixedClock
from paywright_runtime.signing.keys import load_public_key
from paywright_sandbox.init import make_folder
from paywright_sandbox.testing.inprocess import in_process_sandbox
from tests.audit.helpers.planted_capture import make_stranger
from tests.audit.helpers.records import Scribe
from tests.sandbox.helpers.place import place

Told = list[tuple[str, str]]


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


@pytest.fixture
def scribe(keys: Path) -> Scribe:
    return Scribe(keys)


@pytest.fixture
def lines(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, Any]]]:
    """The audit's lines about what the scribe wrote: all that happened, unless `complete` says otherwise."""
    return lambda *options, **more: scribe.audit(tmp_path, capsys, *options, **more)


@pytest.fixture
def codes(lines: Any) -> Callable[..., Told]:
    """Findings and notes by place and code; of a capture of which nobody says that it is complete."""

    def told(*options: str, complete: bool = False, kinds: tuple[str, ...] = ("finding", "note")) -> Told:
        found = lines(*options, complete=complete)
        return [(line["place"], line["code"]) for line in found if line["type"] in kinds]

    return told


@pytest.fixture
def found(codes: Any) -> Callable[..., Told]:
    """Findings by place and code, of a complete capture."""
    return lambda *options: codes(*options, complete=True, kinds=("finding",))


@pytest.fixture
def notes(codes: Any) -> Callable[..., Told]:
    return lambda *options: codes(*options, complete=True, kinds=("note",))


@pytest.fixture
def run(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Audits what the scribe wrote, or other bytes, with both keys unless `keys` says otherwise: the exit code, and what is printed."""

    def audit(*options: str, raw: bytes | None = None, keys: list[str] | None = None) -> tuple[int, str, str]:
        file = tmp_path / "log.jsonl"
        file.write_bytes(scribe.bytes() if raw is None else raw)
        code = main(["audit", str(file), *(scribe.options() if keys is None else keys), *options])
        return code, *capsys.readouterr()

    return audit
