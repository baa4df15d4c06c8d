"""Client of the control API: talk to a running sandbox from another process of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from paywright_runtime import strict_json
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.delivery.http_client import Answered, Unanswered, request
from paywright_sandbox.engine.routes import PREFIX
from paywright_sandbox.engine.url_policy import Destination, NotAllowed, read_destination
from paywright_sandbox.init import ENV_FILE, read_env

_SECONDS: Final = 130.0  # a move of the clock may take two minutes
_LONG: Final = 86400.0  # a snapshot may be large, and so may the log
_LIMIT: Final = 2**40
_HEADERS: Final = (("X-Sandbox", "1"), ("Content-Type", "application/json"))


def _destination(netloc: str, path: str) -> Destination:
    return read_destination(f"http://{netloc}{PREFIX}{path}", (netloc,))


class RemoteRefused(Exception):
    """The sandbox refused the request; the message is its own."""


class ControlClient:
    """The sandbox at `base_url`, or at the address that the `.env` of a folder names. Raises `ConfigurationError`."""

    def __init__(self, folder: Path, base_url: str | None = None) -> None:
        if base_url is None:
            with suppress(OSError, ValueError, ConfigurationError):
                base_url = read_env(folder).get("PAYWRIGHT_BASE_URL")
            if not base_url:
                there = "has no PAYWRIGHT_BASE_URL" if (folder / ENV_FILE).exists() else "does not exist"
                raise ConfigurationError(
                    f"{folder / ENV_FILE} {there}. Give the sandbox's folder with --dir, or its address with --url."
                )
        try:
            scheme, self._netloc, *_ = urlsplit(base_url)
        except ValueError:
            scheme = self._netloc = ""
        if scheme != "http" or not self._netloc:
            raise ConfigurationError("The address of a sandbox looks like http://127.0.0.1:8787.")
        self.base_url = base_url

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, object]:
        """Call the control API; `path` follows `/_sandbox/`. Raises `RemoteRefused` or `ConfigurationError`."""
        return self._parsed(self._send(method, path, None if body is None else strict_json.write(dict(body))))

    def put(self, path: str, raw: bytes) -> dict[str, object]:
        """Put bytes at a path and return the response. Raises `RemoteRefused` or `ConfigurationError`."""
        return self._parsed(self._send("PUT", path, raw, seconds=_LONG))

    def fetch(self, path: str) -> bytes:
        """Return the bytes at a path. Raises `RemoteRefused` or `ConfigurationError`."""
        answer = self._send("GET", path, None, seconds=_LONG)
        if answer.status != 200:
            raise RemoteRefused(f"{self.base_url} answers with HTTP status {answer.status}.")
        return answer.body

    def _send(self, method: str, path: str, raw: bytes | None, *, seconds: float = _SECONDS) -> Answered:
        try:
            to = _destination(self._netloc, path)
        except NotAllowed as refused:
            raise self._absent(str(refused)) from None
        answer = request(to, method, _HEADERS, raw or b"", seconds=seconds, limit=_LIMIT)
        if isinstance(answer, Unanswered):
            raise self._absent(answer.why)
        return answer

    def _parsed(self, answer: Answered) -> dict[str, object]:
        try:
            value = strict_json.parse(answer.body)
        except strict_json.JsonProblem:
            raise ConfigurationError(f"{self.base_url} did not answer like a sandbox. Check the address.") from None
        members: dict[str, object] = dict(value) if isinstance(value, dict) else {}
        if answer.status != 200:
            raise RemoteRefused(str(members.get("error") or members.get("msg") or f"HTTP status {answer.status}"))
        return members

    def _absent(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            f"No sandbox answers at {self.base_url}: {why}. Serve it first (paywright sandbox --dir ...), or give --url."
        )
