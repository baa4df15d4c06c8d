"""The client of the control API: what the sandbox refuses is said in its words, and nothing else passes for an answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.control.client import ControlClient, RemoteRefused
from paywright_sandbox.init import read_env
from paywright_sandbox.testing.served import running_sandbox


@pytest.fixture
def remote(folder: Path) -> Iterator[ControlClient]:
    with running_sandbox(folder) as sandbox:
        yield ControlClient(folder, sandbox.base_url)


def test_a_snapshot_is_fetched_whole_and_put_back(remote: ControlClient) -> None:
    raw = remote.fetch("snapshot")
    assert len(raw) > 1000
    assert remote.put("snapshot", raw)


def test_what_is_not_there_cannot_be_fetched(remote: ControlClient) -> None:
    with pytest.raises(RemoteRefused, match="answers with HTTP status 404"):
        remote.fetch("nothing")


def test_a_refusal_is_said_in_the_sandboxs_words(remote: ControlClient) -> None:
    with pytest.raises(RemoteRefused, match="There is no order"):
        remote.call("POST", "orders/ORD_1/pay")
    with pytest.raises(RemoteRefused):
        remote.put("snapshot", b"no snapshot")


def test_the_address_is_that_of_the_folder_unless_another_is_given(folder: Path, tmp_path: Path) -> None:
    assert ControlClient(folder).base_url == read_env(folder)["PAYWRIGHT_BASE_URL"]
    assert ControlClient(folder, "http://127.0.0.1:1").base_url == "http://127.0.0.1:1"
    (tmp_path / ".env").write_text("PAYWRIGHT_APP_ID=app_1\n")
    with pytest.raises(ConfigurationError, match=r"\.env has no PAYWRIGHT_BASE_URL"):
        ControlClient(tmp_path)
    with pytest.raises(ConfigurationError, match=r"\.env does not exist"):
        ControlClient(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="The address of a sandbox looks like"):
        ControlClient(folder, "127.0.0.1:1")
    with pytest.raises(ConfigurationError, match=r"No sandbox answers at http://127\.0\.0\.1:1"):
        ControlClient(folder, "http://127.0.0.1:1").call("GET", "clock")
