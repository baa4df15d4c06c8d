"""`paywright call` ends with the exit code of its outcome, whatever happens to its output and whoever interrupts it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from threading import Event, Thread
from time import sleep

import pytest

from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
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
FULL = Path("/dev/full")
needs_full_disk = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")


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


def environment(sandbox: RunningSandbox, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
    return {**kept, "PYTHONPATH": PACKAGES, "PYTHONUTF8": "1", **sandbox.env, **more}


def shell(
    sandbox: RunningSandbox, operation: str, given: object, rest: str, **env: str
) -> subprocess.CompletedProcess[str]:
    """`paywright call OPERATION` with `rest` behind it, as a shell runs it."""
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m paywright_cli call {operation} {rest}'], input=json.dumps(given),
        capture_output=True, text=True, env=environment(sandbox, env), timeout=600,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    return done


def another_key(tmp_path: Path) -> str:
    """The file of a public key that is not the gateway's."""
    folder = str(tmp_path)
    subprocess.run(
        [sys.executable, "-m", "paywright_cli", "keys", "generate", "--dir", folder],
        check=True, capture_output=True, env={**os.environ, "PYTHONPATH": PACKAGES},
    )  # fmt: skip
    return str(tmp_path / "merchant.pub")


GONE = "a pipe without a reader"
ENDS = ["2>&-", "1>&- 2>&-", GONE, *(["2>/dev/full", "1>/dev/full 2>/dev/full"] if FULL.exists() else [])]


@pytest.mark.parametrize("rest", ENDS)
def test_an_unknown_write_exits_with_5_where_nothing_can_be_said(
    sandbox: RunningSandbox, tmp_path: Path, rest: str
) -> None:
    env = {"PAYWRIGHT_GATEWAY_KEY_FILES": another_key(tmp_path)}
    done = ended_with(sandbox, "orders.checkout", {**ORDER, "outTradeNo": f"END_{ENDS.index(rest)}"}, rest, env)
    assert done == 5


@pytest.mark.parametrize("rest", ENDS)
def test_a_refusal_exits_with_6_where_nothing_can_be_said(sandbox: RunningSandbox, rest: str) -> None:
    assert ended_with(sandbox, "orders.query", {"outTradeNo": "NEVER_PLACED"}, rest, {}) == 6


def ended_with(sandbox: RunningSandbox, operation: str, given: object, rest: str, env: Mapping[str, str]) -> int:
    """The exit code with the outputs that `rest` names, as a shell redirects them."""
    if rest != GONE:
        return shell(sandbox, operation, given, rest, **env).returncode
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "paywright_cli", "call", operation], input=json.dumps(given).encode(),
            stdout=writing, stderr=writing, env=environment(sandbox, env), timeout=600,
        ).returncode  # fmt: skip
    finally:
        os.close(writing)


@pytest.mark.slow
@pytest.mark.parametrize("raw", ["", "--raw"])
@pytest.mark.parametrize("rest", ["1>&-", pytest.param("1>/dev/full", marks=needs_full_disk)])
def test_a_yes_whose_output_is_lost_exits_with_8_and_names_the_key(
    sandbox: RunningSandbox, rest: str, raw: str
) -> None:
    key = f"LOST_{len(rest)}{len(raw)}"
    done = shell(sandbox, "orders.checkout", {**ORDER, "outTradeNo": key}, f"{raw} {rest}")
    assert done.returncode == 8
    for said in ("The gateway accepted", "Money may have moved", key, "orders.query"):
        assert said in done.stderr, done.stderr
    assert shell(sandbox, "orders.query", {"outTradeNo": key}, "").returncode == 0, "it stands at the gateway"


def test_a_yes_without_a_query_whose_output_is_lost_names_none(sandbox: RunningSandbox) -> None:
    done = shell(sandbox, "subscriptions.create", SUBSCRIPTION, "1>&-")
    assert done.returncode == 8, done.stderr
    assert "SUB_END_1" in done.stderr
    assert "no query" in done.stderr


@pytest.mark.parametrize("rest", ["1>&- 2>&-", pytest.param("1>/dev/full 2>/dev/full", marks=needs_full_disk)])
def test_a_yes_of_which_nothing_can_be_said_still_exits_with_8(sandbox: RunningSandbox, rest: str) -> None:
    key = f"MUTE_{len(rest)}"
    assert shell(sandbox, "orders.checkout", {**ORDER, "outTradeNo": key}, rest).returncode == 8


def test_a_reader_that_has_left_loses_the_output_too(sandbox: RunningSandbox) -> None:
    assert ended_with(sandbox, "orders.checkout", {**ORDER, "outTradeNo": "GONE_1"}, GONE, {}) == 8


def test_a_read_whose_output_is_lost_may_be_repeated(sandbox: RunningSandbox) -> None:
    assert shell(sandbox, "orders.checkout", {**ORDER, "outTradeNo": "READ_LOST"}, "").returncode == 0
    done = shell(sandbox, "orders.query", {"outTradeNo": "READ_LOST"}, "1>&-")
    assert done.returncode == 8
    assert "no money has moved. Repeat it" in done.stderr


def test_with_standard_input_closed_nothing_is_sent(sandbox: RunningSandbox) -> None:
    done = shell(sandbox, "orders.checkout", {}, "0<&-")
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr


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


def test_help_tells_what_is_tried_again(sandbox: RunningSandbox) -> None:
    done = shell(sandbox, "--help", {}, "")
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert "A write is tried again only while no byte of its body has left" in said
    assert "PAYWRIGHT_RETRIES" in said
