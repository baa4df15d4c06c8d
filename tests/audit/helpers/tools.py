"""Programs of others that record traffic: mitmproxy in an environment of its own, Chromium, and what they talk to."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from paywright_audit.result.partial_result import PartialResult
from paywright_audit.running import jobs
from paywright_audit.running.tasks import Task
from tests.support.ports import lasting_port

__all__ = ["MARKER", "chromium", "die", "die_once", "fails", "forwarding", "mitmdump", "no_room", "recording"]

MARKER = "TEST_AUDIT_DIED"
"""The variable with the file that says that a process has died once."""

_ENVIRONMENT = Path(__file__).parents[3] / ".cache" / "mitmproxy"
_SECONDS = 240
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium() -> str:
    """The program; skips where there is none."""
    named = os.environ.get("TEST_CHROMIUM")
    program = named or next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if program is None:
        pytest.skip("no Chromium on this machine: install one, or name it in TEST_CHROMIUM")
    return program


def mitmdump() -> str:
    """The program, of an environment that is made for it once: its dependencies are not to meet ours. Skips where it
    cannot be had."""
    named = os.environ.get("TEST_MITMDUMP") or shutil.which("mitmdump")
    if named is not None:
        return named
    program = _ENVIRONMENT / "bin" / "mitmdump"
    if not program.exists():
        steps = ([sys.executable, "-m", "venv", "--clear", str(_ENVIRONMENT)],
                 [str(_ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--quiet", "mitmproxy>=10"])  # fmt: skip
        for step in steps:
            try:
                subprocess.run(step, check=True, capture_output=True, timeout=_SECONDS)
            except (OSError, subprocess.SubprocessError):
                pytest.skip("mitmproxy cannot be installed here; name its mitmdump in TEST_MITMDUMP")
    return str(program)


@contextmanager
def recording(program: str, upstream: str, script: Path, records: Path) -> Iterator[str]:
    """mitmdump before `upstream`, writing records by a script, while the block runs: its address."""
    port = lasting_port()
    home = records.parent / "mitmproxy"
    command = [program, "--mode", f"reverse:{upstream}", "--listen-host", "127.0.0.1", "--listen-port", str(port)]
    command += [
        "-q",
        "-s",
        str(script),
        "--set",
        f"records={records}",
        "--set",
        f"confdir={home}",
        "--set",
        "keep_host_header=true",
    ]
    # Which paths of ours are importable is none of its business.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 600
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("mitmdump did not begin to listen")


class _Forward(BaseHTTPRequestHandler):
    """A page of one origin with what it calls: GET answers an empty page, POST goes on as it is, and its answer back."""

    upstream: ClassVar[str] = ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        page = b"<!doctype html><title>shop</title>" if self.path == "/" else b""
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        connection = HTTPConnection(self.upstream, timeout=600)
        try:
            connection.putrequest("POST", self.path, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() in ("content-type", "content-length", "sign"):
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            back = answer.read()
        finally:
            connection.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() in ("content-type", "content-length", "sign"):
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(back)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def forwarding(upstream: str) -> Iterator[str]:
    """A server with a page, that hands whatever the page posts to `upstream`, while the block runs: its address."""
    handler = type("Forward", (_Forward,), {"upstream": upstream.removeprefix("http://")})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


_work = jobs._work  # tests put another in its place


def die(_: object) -> None:
    """What a process does that is killed."""
    os._exit(9)


def die_once(task: Task | jobs.Share) -> PartialResult:
    """What a process does that is killed at the fourth part, and in each round at the third, the first time."""
    marker = Path(os.environ[MARKER])
    if isinstance(task, jobs.Share):
        marker = marker.with_name(f"{marker.name}-{task.round.name}")
    place = task.number - task.parts if isinstance(task, jobs.Share) else task.number - 1
    if place == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return _work(task)


def fails(code: int) -> None:
    raise OSError(code, os.strerror(code))


def no_room(_: object) -> None:
    """What a process meets whose disk is full."""
    fails(errno.ENOSPC)
