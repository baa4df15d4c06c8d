"""The sandbox as a process of its own, by the commands that the README shows, and its control API."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from demo_parts.words import expect, fail

__all__ = ["DAY", "Gateway", "run", "served"]

DAY = 86400
_PATIENCE = 30.0


class Gateway:
    """What a person does to the sandbox at `address`: its control API, which no gateway has."""

    def __init__(self, address: str) -> None:
        self.address = address

    def get(self, path: str) -> dict[str, Any]:
        """Read from the control API."""
        return self._control("GET", path)

    def post(self, path: str, **body: object) -> dict[str, Any]:
        """Change something through the control API."""
        return self._control("POST", path, body)

    def advance(self, seconds: int) -> list[dict[str, Any]]:
        """Move the clock, and return what happened on the way, deliveries included."""
        moved = self.post("clock/advance", seconds=seconds)
        expect(moved["complete"] is True, "the clock came to where it was to go")
        happened: list[dict[str, Any]] = moved["happened"]
        return happened

    def is_healthy(self) -> bool:
        """Return whether the sandbox answers."""
        try:
            return self._request("GET", "health", None)[0] == 200
        except OSError:
            return False

    def _control(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, Any]:
        status, answer = self._request(method, path, json.dumps(body).encode() if body else None)
        expect(status == 200, f"the sandbox does {method} {path}; it answered {status}: {answer.get('error')}")
        return answer

    def _request(self, method: str, path: str, body: bytes | None) -> tuple[int, dict[str, Any]]:
        connection = HTTPConnection(urlsplit(self.address).netloc, timeout=_PATIENCE)
        try:
            connection.request(method, f"/_sandbox/{path}", body, {"X-Sandbox": "1"})
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        return response.status, answer if isinstance(answer, dict) else {}


def run(*arguments: str, ends: int = 0) -> str:
    """Run a command and return what it prints; expect the exit code `ends`."""
    done = subprocess.run([sys.executable, "-m", "paywright_cli", *arguments], capture_output=True, text=True)
    said = (done.stderr or done.stdout).strip()
    expect(
        done.returncode == ends, f"`paywright {' '.join(arguments)}` ends with {ends}, not {done.returncode}: {said}"
    )
    return done.stdout


@contextmanager
def served(folder: Path) -> Iterator[Gateway]:
    """Serve the folder on a free port; expect a clean end."""
    command = [sys.executable, "-m", "paywright_cli", "sandbox", "--dir", str(folder), "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None  # it was asked for
    try:
        found = re.search(r"http://127\.0\.0\.1:[0-9]+", process.stdout.readline())
        if found is None:
            fail("the sandbox did not say where it listens")
        gateway = Gateway(found[0])
        until = time.monotonic() + _PATIENCE
        while not gateway.is_healthy():
            expect(time.monotonic() < until, "the sandbox answers in time")
            time.sleep(0.05)
        yield gateway
        process.send_signal(signal.SIGINT)
        expect(process.wait(10) == 0, "the sandbox ends with exit code 0")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(10)
        process.stdout.close()
