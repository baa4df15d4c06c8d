"""`paywright call` ends with the exit code of its outcome, whoever interrupts it.

Once a write has left, no ending may look like "no write was sent".
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from threading import Event
from time import sleep
from typing import NamedTuple

import pytest

from paywright_cli.commands.single_call import Interrupts
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.cli.helpers.calls import ORDER, SUBSCRIPTION, another_key, environment
from tests.runtime.helpers.transport_servers import Server, http, until_closed

INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
SIGNALS = [
    *(INT, TERM, HUP, signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2),
    *(signal.SIGXCPU, signal.SIGVTALRM, signal.SIGPROF, signal.SIGABRT),
]


class Stuck(NamedTuple):
    """A gateway that does nothing more once it `got_it`."""

    url: str
    got_it: Event


@contextmanager
def stuck(until: Callable[[bytes], bool], says: bytes = b"", scheme: str = "http") -> Iterator[Stuck]:
    """One that reads `until` something came, and answers with `says`."""
    got_it = Event()

    def script(peer: socket.socket) -> None:
        data = b""
        while not until(data):
            if not (received := peer.recv(1024)):
                return
            data += received
        peer.sendall(says)
        got_it.set()
        until_closed(peer)

    with Server(script) as server:
        yield Stuck(server.url.replace("http", scheme), got_it)


def whole(data: bytes) -> bool:
    return b"\r\n\r\n" in data and data.endswith(b"}")


@pytest.fixture
def silent() -> Iterator[Stuck]:
    with stuck(whole) as gateway:
        yield gateway


def heeding() -> None:
    """Let a process heed signals that a shell has its background jobs ignore, and the suite may be one."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def start(
    sandbox: RunningSandbox,
    operation: str,
    given: object,
    url: str,
    *options: str,
    heeds: bool = True,
    program: Sequence[str] = ("-m", "paywright_cli"),
    **env: str,
) -> subprocess.Popen[bytes]:
    settings = {"PAYWRIGHT_BASE_URL": url, "PAYWRIGHT_TIMEOUT": "50", **env}
    process = subprocess.Popen(
        [sys.executable, *program, "call", operation, *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(sandbox, settings),
        preexec_fn=heeding if heeds else None,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(given).encode())
    process.stdin.close()
    process.stdin = None
    return process


def test_what_ends_a_program_is_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    handled: set[int] = set()
    monkeypatch.setattr(signal, "signal", lambda number, handler: handled.add(number))
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_DFL)
    Interrupts()
    cannot = {"SIGKILL", "SIGSTOP"}
    end_nothing = {"SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGINFO"}
    faults_of_the_program = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGSYS", "SIGTRAP"}
    ignored_by_python = {"SIGPIPE"}
    names = cannot | end_nothing | faults_of_the_program | ignored_by_python
    left_out = {getattr(signal, name) for name in names if hasattr(signal, name)}
    assert handled == signal.valid_signals() - left_out


def pestered(process: subprocess.Popen[bytes], more: Sequence[int]) -> tuple[int, str]:
    """Send signals until the process is gone; return its exit code and what it said."""
    for one in cycle(more):
        if process.poll() is not None:
            break
        process.send_signal(one)
        sleep(0.002)  # else it does nothing but handle them
    out, err = process.communicate(timeout=600)
    assert out in (None, b"")
    assert b"Traceback" not in (err or b"")
    return process.returncode, (err or b"").decode()


FURTHER = ([INT, INT], [TERM, HUP], [TERM, TERM, signal.SIGCONT], SIGNALS)
EACH = [INT, TERM, *(pytest.param(one, marks=pytest.mark.slow) for one in SIGNALS[2:])]
"""All of them have one handler: test_what_ends_a_program_is_handled."""


@pytest.mark.parametrize("numbers", FURTHER, ids=str)
def test_a_signal_within_a_write_is_unknown(sandbox: RunningSandbox, silent: Stuck, numbers: list[int]) -> None:
    """Two Ctrl-Cs, systemd's SIGHUP after its SIGTERM, `timeout --preserve-status`: until the process is gone."""
    process = start(sandbox, "orders.checkout", {**ORDER, "outTradeNo": "CTRL_C"}, silent.url)
    assert_unknown(process, silent, numbers, "CTRL_C", "orders.query")


def test_a_write_without_a_query_says_so(sandbox: RunningSandbox, silent: Stuck) -> None:
    process = start(sandbox, "subscriptions.create", SUBSCRIPTION, silent.url)
    assert_unknown(process, silent, [TERM], "SUB_END_1", "no query")


def assert_unknown(process: subprocess.Popen[bytes], gateway: Stuck, numbers: list[int], *words: str) -> None:
    assert gateway.got_it.wait(600)
    code, said = pestered(process, numbers)
    assert code == 5
    assert any(
        signal.Signals(one).name in said for one in numbers
    ), said  # of two at once the system gives either first
    for word in ("OUTCOME UNKNOWN", "Money may have moved", *words):
        assert word in said, said


MOMENTS = {
    "TLS is set up": (lambda data: data != b"", b"", "https"),
    "a part of it has left": (lambda data: b"\r\n\r\n" in data, b"", "http"),
    "a part of the answer is there": (whole, http(b'{"code":"APPLY')[:-1], "http"),
}


@pytest.mark.parametrize("number", [TERM, pytest.param(INT, marks=pytest.mark.slow)])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_write_that_may_have_left_is_never_unsent(sandbox: RunningSandbox, moment: str, number: int) -> None:
    more = "x" * 7_000_000 if moment == "a part of it has left" else ""
    with stuck(*MOMENTS[moment]) as gateway:
        process = start(sandbox, "orders.checkout", {**ORDER, "more": more}, gateway.url, "--extra")
        assert_unknown(process, gateway, [number])


@pytest.mark.parametrize("numbers", FURTHER, ids=str)
def test_no_signal_changes_the_code_of_a_printed_write(sandbox: RunningSandbox, numbers: list[int]) -> None:
    key = f"PRINTED_{FURTHER.index(numbers)}"
    process = start(sandbox, "orders.checkout", {**ORDER, "outTradeNo": key}, sandbox.base_url)
    assert process.stdout is not None
    while (line := process.stdout.readline()) != b"}\n":
        assert line
    assert pestered(process, numbers) == (0, "")


@pytest.mark.parametrize("number", EACH)
def test_a_signal_within_a_read_ends_it(sandbox: RunningSandbox, silent: Stuck, number: int) -> None:
    process = start(sandbox, "orders.query", {"outTradeNo": "CTRL_C"}, silent.url)
    assert silent.got_it.wait(600)
    code, said = pestered(process, [number])
    assert code == 128 + number
    assert "no money" in said


def test_a_signal_that_is_ignored_by_the_caller_stays_ignored(sandbox: RunningSandbox, silent: Stuck) -> None:
    """As under `nohup`: the call goes on until its time is over."""
    before = signal.signal(HUP, signal.SIG_IGN)
    try:
        process = start(sandbox, "orders.checkout", ORDER, silent.url, heeds=False, PAYWRIGHT_TIMEOUT="2")
    finally:
        signal.signal(HUP, before)
    assert silent.got_it.wait(600)
    process.send_signal(HUP)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 5
    assert b"SIGHUP" not in err


# The command with its own log on standard output, so that a test knows when the first attempt is over.
_LOUD = """
import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG)
from paywright_cli.main import main
sys.exit(main())
"""


def test_a_signal_between_attempts_of_which_nothing_left_has_moved_no_money(sandbox: RunningSandbox) -> None:
    """Nobody listens there; the write is tried again, and interrupted while it waits to be."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        process = start(sandbox, "orders.checkout", ORDER, url, program=("-c", _LOUD), PAYWRIGHT_RETRIES="10")
        assert process.stdout is not None
        while b"not_sent" not in (line := process.stdout.readline()):
            assert line
        process.send_signal(TERM)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 143
    assert b"Nothing was sent" in err
    assert b"no money" in err


# The command, saying "!" on a descriptor when it is about to wait for an output that is full.
_FULL = """
import os, select, sys

def waiting(*given, real=select.select, to=int(sys.argv.pop(1))):
    if len(given) == 3:
        os.write(to, b"!")
    return real(*given)

select.select = waiting
from paywright_cli.main import main
sys.exit(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("operation", "full", "code", "unbuffered"),
    [
        ("orders.checkout", "stdout", 8, "1"), ("orders.checkout", "stdout, stderr", 8, ""),
        ("orders.query", "stdout, stderr", 6, ""), ("subscriptions.create", "stderr", 5, "1"),
    ],
)  # fmt: skip
def test_a_signal_ends_the_waiting_for_an_output_that_nobody_reads(
    sandbox: RunningSandbox, silent: Stuck, operation: str, full: str, code: int, unbuffered: str
) -> None:
    """Whoever stops a stuck command need not kill it, and its exit code stays."""
    key = f"FULL_{len(full)}{unbuffered}"
    given = SUBSCRIPTION if code == 5 else {"outTradeNo": "NEVER"} if code == 6 else {**ORDER, "outTradeNo": key}
    url = silent.url if code == 5 else sandbox.base_url
    waits, waiting = os.pipe()
    unread, nowhere = os.pipe()
    os.set_blocking(nowhere, False)
    with suppress(BlockingIOError):
        while os.write(nowhere, b"x"):
            pass
    os.set_blocking(nowhere, True)

    process = subprocess.Popen(
        [sys.executable, "-c", _FULL, str(waiting), "call", operation],
        stdin=subprocess.PIPE,
        stdout=nowhere if "stdout" in full else subprocess.DEVNULL,
        stderr=nowhere if "stderr" in full else subprocess.DEVNULL,
        env=environment(sandbox, {"PAYWRIGHT_BASE_URL": url, "PYTHONUNBUFFERED": unbuffered}),
        preexec_fn=heeding,
        pass_fds=(waiting,),
    )
    try:
        os.close(waiting)
        assert process.stdin is not None
        process.stdin.write(json.dumps(given).encode())
        process.stdin.close()
        process.stdin = None
        if code == 5:
            assert silent.got_it.wait(600)
            process.send_signal(TERM)
        assert os.read(waits, 1) == b"!"
        assert pestered(process, [TERM])[0] == code
    finally:
        process.kill()
        process.wait()
        for descriptor in (waits, unread, nowhere):
            os.close(descriptor)


# Calls of orders.checkout, each in a process of its own that signals itself at one line of the command or of the client, and again
# while Python ends. Printed: the line's number, and the exit code.
_AT_EACH_LINE = """
import atexit, json, os, signal, sys
from paywright_cli.commands import call, single_call
from paywright_cli.main import main
from paywright_runtime.client import answer_reader, request_plan

step, order, first, *late = int(sys.argv[1]), json.loads(sys.argv[2]), *map(int, sys.argv[3:])
TRACED = ("call.py", "single_call.py", "terminal.py", "main.py", "client.py", "call_flow.py", "blocking.py", "connection.py", "pool.py")
begun = False

class Late:
    def __init__(self):
        self.kill, self.pid = os.kill, os.getpid()
        atexit.register(self.__del__)

    def __del__(self):
        for each in late:
            self.kill(self.pid, each)

def trace(frame, event, _):
    global left, begun
    begun = begun or frame.f_code.co_name == "make_call"
    if event == "line" and begun:
        left -= 1
        if left == 0:
            sys.settrace(None)
            os.kill(os.getpid(), first)
    return trace if os.path.basename(frame.f_code.co_filename) in TRACED else None

def child():
    global left, until_the_end
    for each in (first, *late):
        signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)
    until_the_end, left = Late(), number
    sys.settrace(trace)
    code = main(["call", "orders.checkout", "order.json"])
    sys.settrace(None)
    if left > 0:
        open("past the last line", "w").close()
    return code

number = 0
while not os.path.exists("past the last line"):
    number += step
    with open("order.json", "w") as file:
        json.dump({**order, "outTradeNo": f"LINE_{number}"}, file)
    if (pid := os.fork()) == 0:
        sys.exit(child())
    print(number, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@pytest.mark.parametrize("step", [pytest.param(97, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("numbers", "verified"), [((INT, INT, HUP), True), ((TERM, HUP, INT), False)], ids=["verified", "unverified"]
)
def test_no_signal_hides_a_placed_order(tmp_path: Path, numbers: Sequence[int], step: int, verified: bool) -> None:
    with running_sandbox(tmp_path / "shop") as sandbox:
        env = environment(sandbox, {} if verified else {"PAYWRIGHT_GATEWAY_KEY_FILES": another_key(tmp_path)})
        command = [sys.executable, "-c", _AT_EACH_LINE, str(step), json.dumps(ORDER), *map(str, map(int, numbers))]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=3000)
        codes = [tuple(map(int, line.split())) for line in done.stdout.splitlines() if line[:1].isdigit()]
        placed = [(n, code) for n, code in codes if sandbox.control("GET", f"orders/LINE_{n}")[0] == 200]
    assert placed[-1] == codes[-1] == (codes[-1][0], 0 if verified else 5), done.stderr
    assert {code for _, code in placed} <= ({0, 5, 8} if verified else {5}), placed
    assert len(placed) < len(codes)
