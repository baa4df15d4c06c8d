"""A gateway; and for the commands that take deliveries a folder of a shop, the service, and a receiver of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paywright import RsaSigner
from paywright_cli.check_receiver.messages import MessageFactory
from paywright_runtime.clock import SystemClock
from paywright_runtime.signing.keys import load_private_key
from paywright_sandbox.init import make_folder, read_env
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox

_APP = """
from pathlib import Path

from paywright import Receiver
from paywright_receiver import SqliteLedger

receiver = Receiver.from_env(SqliteLedger("app.db"))


@receiver.on_receive
def transfer(event):
    if not Path("stock").exists():
        raise LookupError("SECRET_WORDS")


class NotOne:
    pass
"""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("listen") / "shop"
    make_folder(folder)
    return folder


@pytest.fixture(scope="module")
def messages(shop: Path) -> MessageFactory:
    """The service: its key, and messages of it."""
    signer = RsaSigner(load_private_key(shop / "keys" / "gateway.key"))
    return MessageFactory(signer, "app_sandbox_1", "MN0000000000001", SystemClock())


@pytest.fixture
def app(tmp_path: Path, shop: Path) -> dict[str, Any]:
    (tmp_path / "my_shop.py").write_text(_APP)
    return {"env": read_env(shop), "cwd": tmp_path}
