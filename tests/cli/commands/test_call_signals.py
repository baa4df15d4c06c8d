"""`paywright call` ends with the exit code of its outcome, whoever interrupts it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from threading import Event, Thread
from time import sleep

import pytest

from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.cli.helpers.calls import ORDER, SUBSCRIPTION, environment


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("shop")) as running:
        yield running


class SilentGateway:
    """Reads one request whole and answers nothing."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(600)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.got_it = Event()
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        peer, _ = self._listener.accept()
        with peer:
            data = b""
            while b"\r\n\r\n" not in data or not data.endswith(b"}"):
                data += peer.recv(65536)
            self.got_it.set()
            while peer.recv(65536):
                pass

    def close(self) -> None:
        self._thread.join(600)
        self._listener.close()


@pytest.fixture
def silent() -> Iterator[SilentGateway]:
    gateway = SilentGateway()
    yield gateway
    gateway.close()


def heeding() -> None:
    """Let a process heed signals that a shell has its background jobs ignore, and the suite may be one."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def start(
    sandbox: RunningSandbox, operation: str, given: object, url: str, *, heeds: bool = True, **env: str
) -> subprocess.Popen[bytes]:
    settings = {"PAYWRIGHT_BASE_URL": url, "PAYWRIGHT_TIMEOUT": "50", **env}
    process = subprocess.Popen(
        [sys.executable, "-m", "paywright_cli", "call", operation],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(sandbox, settings),
        preexec_fn=heeding if heeds else None,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(given).encode())
    process.stdin.close()
    process.stdin = None
    return process


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("operation", "given", "key", "query"),
    [
        ("orders.checkout", {**ORDER, "outTradeNo": "CTRL_C"}, "CTRL_C", "orders.query"),
        ("subscriptions.create", SUBSCRIPTION, "SUB_END_1", "no query"),
    ],
)
def test_a_signal_while_a_write_is_on_its_way_says_that_its_outcome_is_unknown(
    sandbox: RunningSandbox, silent: SilentGateway, operation: str, given: object, key: str, query: str, number: int
) -> None:
    process = start(sandbox, operation, given, silent.url)
    assert silent.got_it.wait(600)
    process.send_signal(number)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 5
    assert out == b""
    said = err.decode()
    for words in ("OUTCOME UNKNOWN", signal.Signals(number).name, "Money may have moved", key, query):
        assert words in said, said
    assert "Traceback" not in said


MORE = ([signal.SIGINT], [signal.SIGTERM, signal.SIGHUP], SIGNALS)


def pestered(process: subprocess.Popen[bytes], more: list[int]) -> int:
    """Send signals until the process is gone; return its exit code."""
    for one in cycle(more):
        if process.poll() is not None:
            break
        process.send_signal(one)
        sleep(0.002)  # else it does nothing but handle them
    process.communicate(timeout=600)
    return process.returncode


@pytest.mark.parametrize("more", MORE)
def test_no_further_signal_changes_the_exit_code_of_a_write_that_was_sent(
    sandbox: RunningSandbox, silent: SilentGateway, more: list[int]
) -> None:
    """Two Ctrl-Cs, systemd's SIGHUP after its SIGTERM, `timeout --preserve-status`: until the process is gone."""
    process = start(sandbox, "orders.checkout", ORDER, silent.url)
    assert silent.got_it.wait(600)
    assert pestered(process, more) == 5


@pytest.mark.parametrize("more", MORE)
def test_no_signal_changes_the_exit_code_of_a_write_whose_data_was_printed(
    sandbox: RunningSandbox, more: list[int]
) -> None:
    number = f"MORE_{len(more)}"
    process = start(sandbox, "orders.checkout", {**ORDER, "outTradeNo": number}, sandbox.base_url)
    assert process.stdout is not None
    while (line := process.stdout.readline()) != b"}\n":
        assert line
    # What comes while the last byte is written may leave in doubt whether it was.
    assert pestered(process, more) in (0, 8)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_a_read_is_on_its_way_ends_it_as_usual(
    sandbox: RunningSandbox, silent: SilentGateway, number: int
) -> None:
    process = start(sandbox, "orders.query", {"outTradeNo": "CTRL_C"}, silent.url)
    assert silent.got_it.wait(600)
    process.send_signal(number)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 128 + number
    assert b"no money" in err
    assert b"Traceback" not in err


def test_a_signal_that_is_ignored_by_the_caller_stays_ignored(sandbox: RunningSandbox, silent: SilentGateway) -> None:
    """As under `nohup`: the call goes on until its time is over."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = start(sandbox, "orders.checkout", ORDER, silent.url, heeds=False, PAYWRIGHT_TIMEOUT="2")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert silent.got_it.wait(600)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 5
    assert b"SIGHUP" not in err


def test_a_signal_between_attempts_of_which_nothing_left_has_moved_no_money(sandbox: RunningSandbox) -> None:
    """Nobody listens there; the write is tried again, and interrupted while it waits to be."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        env = {
            "PAYWRIGHT_BASE_URL": f"http://127.0.0.1:{nobody.getsockname()[1]}",
            "PAYWRIGHT_RETRIES": "10",
            "PAYWRIGHT_TIMEOUT": "50",
        }
        process = subprocess.Popen(
            [sys.executable, "-c", _LOUD, "call", "orders.checkout"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(sandbox, env),
            preexec_fn=heeding,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(ORDER).encode())
        process.stdin.close()
        process.stdin = None
        while b"not_sent" not in (line := process.stdout.readline()):
            assert line
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 143
    assert b"Nothing was sent" in err
    assert b"no money" in err


# The command with its own log on standard output, so that a test knows when the first attempt is over.
_LOUD = """
import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG)
from paywright_cli.main import main
sys.exit(main())
"""
