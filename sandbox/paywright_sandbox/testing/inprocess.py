"""The sandbox in the same process: the same engine, no socket, no thread, no files but its keys and settings.

with in_process_sandbox() as sandbox, sandbox.client() as client:
    client.orders.checkout(...)
    sandbox.pay("ORD_1")
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from paywright_runtime.clock import Clock
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.transport.api import AsyncTransport, Phase, RawAnswer, SignedRequest, Transport, TransportFailure
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.gateway import make_engine, open_store
from paywright_sandbox.testing.handle import SandboxHandle, sandbox_folder

_ADDRESS: Final = "http://127.0.0.1:8787"


class InProcessTransport:
    """A transport for `Client(transport=...)` that calls the engine with the bytes and headers of HTTP.

    Faults of the connection become the failures of HTTP immediately: nothing waits. Threads may share it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._host = urlsplit(engine.address).netloc
        self._closed = False

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Make one exchange; see `paywright_runtime.transport.api.Transport`."""
        if self._closed:
            raise ConfigurationError("Nothing was sent: this transport is closed. Make a new one.")
        if time.monotonic() >= deadline:
            raise TransportFailure(Phase.CONNECTING, "timeout")
        headers = [("host", self._host), ("accept-encoding", "identity")]
        headers += [(name.lower(), value) for name, value in request.headers]
        headers.append(("content-length", str(len(request.body))))
        return self._answer(self._engine.handle("POST", request.path, headers, request.body), deadline)

    def _answer(self, reply: HttpReply, deadline: float) -> RawAnswer:
        kind = reply.fault.kind if reply.fault is not None else ""
        if kind == "reset":
            raise TransportFailure(Phase.WAITING, "connection_lost")
        if reply.fault is not None and kind in ("hang", "drip"):
            late = time.monotonic() + reply.fault.seconds > deadline
            if kind == "hang":
                raise TransportFailure(Phase.WAITING, "timeout" if late else "connection_lost")
            if late:
                raise TransportFailure(Phase.READING, "timeout", status=reply.status)
        if kind == "cut":
            raise TransportFailure(Phase.READING, "connection_lost", status=reply.status)
        headers = [("date", self._engine.date()), ("content-length", str(len(reply.body))), *reply.headers]
        return RawAnswer(reply.status, headers, reply.body)

    def close(self) -> None:
        """Refuse to send from now on."""
        self._closed = True

    def __repr__(self) -> str:
        return f"<InProcessTransport to {self._engine.address}>"


class AsyncInProcessTransport:
    """The same for a client that is awaited. The event loop does nothing else meanwhile."""

    def __init__(self, engine: Engine) -> None:
        self._blocking = InProcessTransport(engine)

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Make one exchange; see `paywright_runtime.transport.api.AsyncTransport`."""
        return self._blocking.send(request, deadline)

    async def aclose(self) -> None:
        """Refuse to send from now on."""
        self._blocking.close()

    def __repr__(self) -> str:
        return repr(self._blocking).replace("<", "<Async", 1)


class InProcessSandbox(SandboxHandle):
    """A sandbox without a server. Its clients use its wall clock, by which it judges requestTime."""

    def _transport(self) -> Transport:
        return InProcessTransport(self.engine)

    def _async_transport(self) -> AsyncTransport:
        return AsyncInProcessTransport(self.engine)

    def __repr__(self) -> str:
        return f"<InProcessSandbox at {self.engine.clock.now().isoformat()}>"


@contextmanager
def in_process_sandbox(
    directory: Path | None = None,
    *,
    policies: Mapping[str, object] | None = None,
    clock: Clock | None = None,
    wall: Clock | None = None,
    seed: str | None = None,
) -> Iterator[InProcessSandbox]:
    """Make a sandbox with its state in memory, while the block runs.

    `directory` holds its keys and settings, which are made if they do not exist; None makes a temporary one, with new
    keys. `policies` and `seed` replace those of sandbox.toml. `clock` is business time, `wall` the time of requestTime
    (default: `clock`). The same keys, seed, clock and calls give the same bytes.
    """
    with sandbox_folder(directory, policies, seed) as (folder, settings):
        store = open_store()
        try:
            engine = make_engine(settings, store, address=_ADDRESS, clock=clock, wall=wall or clock)
            yield InProcessSandbox(engine, folder)
        finally:
            store.close()
