"""The handle of a sandbox for tests and programs, served or in process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from paywright import Client, Merchant
from paywright_runtime.client.settings import Validation, client_settings_from, merchant_from
from paywright_runtime.clock import Clock
from paywright_runtime.transport.api import Transport
from paywright_sandbox.control.clock_advance import advance
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.init import read_env

__all__ = ["SandboxHandle"]


class SandboxHandle(ABC):
    """A sandbox with its keys in `directory`; `client` makes clients of its first merchant."""

    def __init__(self, engine: Engine, directory: Path) -> None:
        self.engine = engine
        self.base_url = engine.address
        self.directory = directory
        self.merchant_private_key = directory / "keys" / "merchant.key"
        self.merchant_public_key = directory / "keys" / "merchant.pub"
        self.gateway_public_key = directory / "keys" / "gateway.pub"

    @property
    def env(self) -> dict[str, str]:
        """The `PAYWRIGHT_*` variables for `Client.from_env(...)`, with the actual address."""
        return {**read_env(self.directory), "PAYWRIGHT_BASE_URL": self.base_url}

    def client(
        self,
        *,
        timeout: float = 10.0,
        validation: Validation = "refuse",
        strict_answers: bool = False,
        retries: int = 2,
        clock: Clock | None = None,
    ) -> Client:
        """Make a client for the sandbox's first merchant. Close it, or use it in a `with`."""
        merchant, base_url = merchant_from(Merchant, self.env)
        return Client(
            base_url=base_url,
            merchant=merchant,
            timeout=timeout,
            paths=client_settings_from(Merchant, self.env).paths,
            validation=validation,
            strict_answers=strict_answers,
            retries=retries,
            clock=clock or self._clock(),
            transport=self._transport(),
        )

    def _clock(self) -> Clock | None:
        """Return the default clock of clients; None for the system's."""
        return None

    def _transport(self) -> Transport | None:
        """Return the transport of a new client; None for HTTP."""
        return None

    @abstractmethod
    def control(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> tuple[int, dict[str, object]]:
        """Call the control API; `path` follows `/_sandbox/`. Return the HTTP status and the response."""

    def pay(self, out_trade_no: str, *, merchant: str | None = None) -> dict[str, object]:
        """Pay an open order as its payer would, and return it.

        `merchant` is the app id, needed if several have an order of this number. Raises `LookupError` with the sandbox's message.
        """
        body = None if merchant is None else {"merchant": merchant}
        return self.done("POST", f"orders/{quote(out_trade_no, safe='')}/pay", body)

    def fault(self, kind: str, **rule: object) -> dict[str, object]:
        """Add a fault rule, such as `fault("reset", when="before", times=1)`, and return it. Raises `LookupError`."""
        return self.done("POST", "faults", {"kind": kind, **rule})

    def advance(self, by: timedelta | float) -> dict[str, object]:
        """Move the business clock forward by a timedelta or by seconds, and return what happened on the way."""
        return advance(self.engine, by if isinstance(by, timedelta) else timedelta(seconds=by))

    def log(self) -> bytes:
        """Return the log as capture records, one a line."""
        return b"".join(self.engine.captures.lines())

    def done(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, object]:
        """Call the control API and return the response. Raises `LookupError` with the sandbox's message if it refuses."""
        status, answer = self.control(method, path, body)
        if status != 200:
            raise LookupError(str(answer.get("error")))
        return answer
