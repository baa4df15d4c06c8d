"""The transports under test behind one face: the one that blocks, and the awaited one under asyncio and under trio."""

from __future__ import annotations

import ssl
import time
from pathlib import Path
from typing import Literal, Protocol, Self

import anyio
import pytest

from paywright_runtime.transport.aio import AsyncHttpTransport
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from paywright_runtime.transport.blocking import HttpTransport

Kind = Literal["blocking", "asyncio", "trio"]
KINDS: tuple[Kind, ...] = ("blocking", "asyncio", "trio")
ALL_PHASES = [Phase.CONNECTING, Phase.SENDING, Phase.WAITING, Phase.READING]

# For tests of what only one kind has. The others run once for each kind, by the fixture `kind`.
only_blocking = pytest.mark.parametrize("kind", ["blocking"], indirect=True)

_chosen: list[Kind] = ["blocking"]


class Carrier(Protocol):
    """What the tests use of a transport of any kind."""

    _openings: dict[str, bytes]

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer: ...

    def close(self) -> None: ...

    def _head(self, request: SignedRequest) -> bytes: ...

    def _tls_context(self) -> ssl.SSLContext: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...


class Awaited:
    """An awaited transport that can be called: each exchange and each closing runs in an event loop of its own.

    It checks besides what only the awaited one promises: which phases it tells of, and that they agree with its failures.
    """

    def __init__(self, backend: Kind, transport: AsyncHttpTransport) -> None:
        self._backend = backend
        self._transport = transport
        self._openings = transport._openings
        self._head = transport._head
        self._tls_context = transport._tls_context

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        reached: list[Phase] = []

        def reach(phase: Phase) -> None:
            if phase not in reached[-1:]:  # a call that waited for its turn was connecting before
                reached.append(phase)
            request.reach(phase)

        async def send() -> RawAnswer:
            return await self._transport.send(request._replace(reach=reach), deadline)

        last = Phase.READING
        try:
            return anyio.run(send, backend=self._backend)
        except TransportFailure as failure:
            last = failure.phase
            raise
        except BaseException:
            last = reached[-1] if reached else last
            raise
        finally:
            assert reached in ([], ALL_PHASES[: ALL_PHASES.index(last) + 1])

    def close(self) -> None:
        anyio.run(self._transport.aclose, backend=self._backend)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._transport)


def until_stale(transport: Carrier, within: float = 600.0) -> None:
    """Waits until what the peer did to the idle connections has come: that it hung up, or that it sent more."""
    kept = transport._transport if isinstance(transport, Awaited) else transport
    assert isinstance(kept, (HttpTransport, AsyncHttpTransport))
    until = time.monotonic() + within
    while not all(connection.is_stale() for connection in (*kept._idle, *kept._reserved.values())):
        assert time.monotonic() < until
        time.sleep(0.005)


def choose(kind: Kind) -> None:
    """Which kind `open_transport` makes from now on."""
    _chosen[0] = kind


def open_transport(
    base_url: str,
    *,
    proxy: str | None = None,
    ca_file: Path | str | None = None,
    max_answer_bytes: int = 2 * 1024 * 1024,
    pool_size: int = 10,
    idle_seconds: float = 3600.0,
) -> Carrier:
    """A transport of the kind under test."""
    transport = (HttpTransport if _chosen[0] == "blocking" else AsyncHttpTransport)(
        base_url, proxy=proxy, ca_file=ca_file, max_answer_bytes=max_answer_bytes, pool_size=pool_size,
        idle_seconds=idle_seconds,
    )  # fmt: skip
    return Awaited(_chosen[0], transport) if isinstance(transport, AsyncHttpTransport) else transport
