"""A server that nobody told otherwise is reached on the address of this machine alone."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from paywright_cli.main import main
from tests.cli.helpers.listening_process import program

ELSEWHERE = "127.0.0.2"
"""Another address of the same interface: a server of all addresses answers there, one of 127.0.0.1 does not."""


def is_reached(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=60):
            return True
    except ConnectionRefusedError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
@pytest.mark.parametrize("command", ["sandbox", "listen"])
def test_a_server_binds_the_loopback_address_unless_it_is_told_otherwise(command: str, tmp_path: Path) -> None:
    assert main(["sandbox", "init", str(tmp_path / "shop")]) == 0
    given = {"sandbox": ["--dir", "shop"], "listen": ["--env", "shop/.env"]}[command]
    with program("-m", "paywright_cli", command, *given, "--port", "0", cwd=tmp_path) as served:
        port = urlsplit(served.url).port
        assert port is not None
        assert is_reached("127.0.0.1", port)
        assert not is_reached(ELSEWHERE, port)
        served.stop()
    with socket.create_server(("", 0)) as everywhere:  # so it would be seen
        assert is_reached(ELSEWHERE, everywhere.getsockname()[1])
