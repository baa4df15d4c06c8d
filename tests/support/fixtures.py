"""Fixtures of the whole suite: keys made once a session, a merchant that has everything, a canned gateway, a browser."""

from __future__ import annotations

import logging
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paywright import Merchant
from paywright_runtime.signing.keys import KeyPair
from tests.support.keys import key_pair

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.runtime.helpers.canned_gateway import Gateway

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def signals_given_back() -> Iterator[None]:
    """Gives back the handlers of all signals: `paywright call` ignores every one at its end, also the alarm of a child that waits."""
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) != handler:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """Gives back the handlers of signals: what a test ignores would be ignored by all processes that later tests start."""
    with signals_given_back():
        yield


@pytest.fixture
def unlogged() -> Iterator[None]:
    """Has nothing logged while the test runs: the product warns of what is done to it."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(before)


@pytest.fixture(scope="session")
def gateway_keys() -> KeyPair:
    return key_pair(0)


@pytest.fixture(scope="session")
def merchant_keys() -> KeyPair:
    return key_pair(1)


@pytest.fixture
def merchant(gateway_keys: KeyPair, merchant_keys: KeyPair) -> Merchant:
    return Merchant(
        app_id="app_1", private_key=merchant_keys.private_pem,
        gateway_keys=[gateway_keys.public_pem],
        merchant_no="M100", member_id="MB1", sp_merchant_no="SP1", merchant_id="MID1", snap_partner_id="P1",
        snap_channel_id="C1",
    )  # fmt: skip


@pytest.fixture
def gateway(gateway_keys: KeyPair) -> Iterator[Gateway]:
    from tests.runtime.helpers.canned_gateway import Gateway

    gateway = Gateway(gateway_keys)
    yield gateway
    gateway.close()


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `paywright sandbox init` leaves it. Not to be changed: copy it."""
    from paywright_sandbox.init import make_folder

    folder = tmp_path_factory.mktemp("sandbox")
    make_folder(folder)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a screen, a program of the system: `apt-get install chromium`, or name one in TEST_CHROMIUM."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    program = os.environ.get("TEST_CHROMIUM") or next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if program is None:
        pytest.skip("no Chromium on this machine: install one, or name it in TEST_CHROMIUM")
    with api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
        yield launched
        launched.close()
