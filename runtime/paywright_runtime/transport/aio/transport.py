"""The transport of awaited calls: HTTP/1.1 over sockets that anyio watches, under asyncio and trio, one pool a transport [4].

It keeps the rules of `paywright_runtime.transport.blocking`: it repeats nothing, follows nothing and decodes nothing. One deadline
holds for the whole exchange, name resolution included; a connection is used again only after its last answer was verified,
as `pool` says; a forked child starts with an empty pool.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self

from anyio import CancelScope, current_time

from paywright_runtime.transport.aio.connection import AsyncConnection
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from paywright_runtime.transport.pool import TransportBase

__all__ = ["AsyncHttpTransport"]


class AsyncHttpTransport(TransportBase[AsyncConnection]):
    """Carries signed requests to one gateway over HTTP/1.1. Tasks may share it; await `aclose`, or use `async with`.

    `base_url` is `https://host[:port][/prefix]`, or `http://` to this machine. Certificates are always verified, by the
    system's authorities or by those of `ca_file` (PEM) alone. `proxy` is `http://` or `https://[user:password@]host:port`;
    no environment variable names one. An answer's body has at most `max_answer_bytes`; at most `pool_size` connections
    stay open between calls, for at most `idle_seconds` each. Of a host with several addresses each gets an equal share of the
    time that is left. Raises ConfigurationError for settings that cannot work.

    Its idle connections belong to no event loop: a program that starts one loop after the other goes on using them.
    """

    async def send(self, request: SignedRequest, deadline: float, reach: Callable[[Phase], None]) -> RawAnswer:
        """One exchange, whose answer, of any status, has come whole by `deadline` on `time.monotonic()`.

        `reach` hears of each phase before it is tried. Raises TransportFailure when no whole answer came, and
        ConfigurationError for a closed transport or a header that cannot be sent; then nothing was sent. When it is
        cancelled it closes the connection at once and lets the cancellation pass.
        """
        # A view: whatever prints the locals of a frame prints no bytes of it.
        message = memoryview(self._head(request) + request.body)
        connection = self._connection_for(request)
        answer: RawAnswer | None = None
        try:
            with CancelScope(deadline=current_time() + (deadline - monotonic())):
                answer = await connection.exchange(message, deadline, self._max_answer_bytes, reach)
        except Exception as error:  # whatever it is, the phase says what it means
            failure = connection.failure(error, deadline)
        except BaseException:
            connection.close()
            raise
        else:
            if answer is not None:
                return answer
            failure = connection.failure(TimeoutError(), deadline)
        # Raised out here, so that the failure drags no exception along whose frames hold what came.
        connection.close()
        try:
            raise self._with_peer(failure)
        finally:
            del failure  # else it and this frame, which knows the message, hold each other

    async def aclose(self) -> None:
        """Close the idle connections; one that is in use closes when its answer is released or discarded."""
        self._closed = True
        self._close_idle()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def _new_connection(self) -> AsyncConnection:
        first = self._base if self._proxy is None else self._proxy.endpoint
        context = self._tls_context() if "https" in (self._base.scheme, first.scheme) else None
        connection = AsyncConnection(self._base, self._proxy, context)
        connection.belong_to(self)
        return connection
