"""Talking to a sandbox that is being served, from another process of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from paywright_runtime import strict_json
from paywright_runtime.errors import ConfigurationError
from paywright_tools.sandbox.folder import ENV_FILE, read_env
from paywright_tools.sandbox.routes import PREFIX

__all__ = ["SECONDS", "Remote", "RemoteRefused"]

SECONDS: Final = 130.0  # a move of the clock may take two minutes


class RemoteRefused(Exception):
    """The sandbox understood and refused; the message is its own."""


class Remote:
    """The sandbox at `base_url`, or at the address that the `.env` of a folder names. Raises `ConfigurationError`."""

    def __init__(self, folder: Path, base_url: str | None = None) -> None:
        if base_url is None:
            try:
                base_url = read_env(folder).get("PAYWRIGHT_BASE_URL")
            except (OSError, ValueError):
                base_url = None
            if not base_url:
                there = "names no sandbox" if (folder / ENV_FILE).exists() else "does not exist"
                raise ConfigurationError(
                    f"{folder / ENV_FILE} {there}. Give the sandbox's folder with --dir, or its address with --url."
                )
        parts = urlsplit(base_url)
        if parts.scheme != "http" or not parts.netloc:
            raise ConfigurationError("A sandbox has an address such as http://127.0.0.1:8787.")
        self.base_url = base_url
        self._netloc = parts.netloc

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, object]:
        """One call of the control API, `path` behind `/_sandbox/`. Raises `RemoteRefused` or `ConfigurationError`."""
        return self._answer(*self._ask(method, path, None if body is None else strict_json.write(dict(body))))

    def _answer(self, connection: HTTPConnection, response: HTTPResponse) -> dict[str, object]:
        try:
            value = strict_json.parse(response.read())
        except (OSError, HTTPException, strict_json.JsonProblem):
            raise ConfigurationError(f"{self.base_url} gave no answer that a sandbox gives.") from None
        finally:
            connection.close()
        answer: dict[str, object] = dict(value) if isinstance(value, dict) else {}
        if response.status != 200:
            raise RemoteRefused(str(answer.get("error") or answer.get("msg") or f"HTTP status {response.status}"))
        return answer

    def fetch(self, path: str) -> bytes:
        """The bytes that a path answers with. Raises `RemoteRefused` or `ConfigurationError`."""
        connection, response = self._ask("GET", path, None)
        try:
            raw = response.read()
        except (OSError, HTTPException):
            raise ConfigurationError(f"{self.base_url} ended in the middle of its answer.") from None
        finally:
            connection.close()
        if response.status != 200:
            raise RemoteRefused(f"{self.base_url} answers with HTTP status {response.status}.")
        return raw

    def put(self, path: str, raw: bytes) -> dict[str, object]:
        """Puts bytes there, and returns the answer. Raises `RemoteRefused` or `ConfigurationError`."""
        return self._answer(*self._ask("PUT", path, raw))

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a streamed answer. Raises `RemoteRefused` or `ConfigurationError`."""
        connection, response = self._ask("GET", path, None)
        try:
            if response.status != 200:
                raise RemoteRefused(f"{self.base_url} answers with HTTP status {response.status}.")
            yield from response
        except (OSError, HTTPException):
            raise ConfigurationError(f"{self.base_url} ended in the middle of its answer.") from None
        finally:
            connection.close()

    def _ask(self, method: str, path: str, raw: bytes | None) -> tuple[HTTPConnection, HTTPResponse]:
        connection = HTTPConnection(self._netloc, timeout=SECONDS)
        try:
            connection.request(method, PREFIX + path, raw, {"X-Sandbox": "1", "Content-Type": "application/json"})
            return connection, connection.getresponse()
        except (OSError, HTTPException):
            connection.close()
            raise ConfigurationError(
                f"No sandbox answers at {self.base_url}. Serve it first (paywright sandbox --dir ...), or give --url."
            ) from None
