"""Awaited calls: send, sleep and handle cancellation as `client.call.CallFlow` decides."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar, cast

from anyio import CapacityLimiter, sleep, to_thread
from anyio.lowlevel import RunVar

from paywright_runtime.client.calls import OperationRef, WriteRef
from paywright_runtime.client.client import ClientCore
from paywright_runtime.errors import OutcomeUnknown
from paywright_runtime.tracebacks import strip_frames_async
from paywright_runtime.transport.aio.transport import AsyncHttpTransport
from paywright_runtime.transport.api import AsyncTransport, SignedRequest

if TYPE_CHECKING:
    from paywright_runtime.answer import Result
    from paywright_runtime.client.aio.resolver import AsyncResolver
    from paywright_runtime.client.call import CallFlow
    from paywright_runtime.client.permission import Permission

__all__ = ["AsyncClient"]

R = TypeVar("R")
S = TypeVar("S")


class AsyncClient(ClientCore[AsyncTransport]):
    """A client of the gateway whose calls are awaited, under asyncio or trio. Tasks of one event loop may share it.

    `ClientCore` lists its arguments. A cancelled call ends as cancelled. A cancelled write of which a byte may have
    left raises `OutcomeUnknown` (reason `cancelled`) instead, because money may have moved.
    """

    _awaited = True

    def _new_transport(self) -> AsyncTransport:
        return AsyncHttpTransport(self._base_url, **self._settings.transport())

    @strip_frames_async
    async def call(
        self, operation: OperationRef[R], values: Mapping[str, object], extra: Mapping[str, object] | None = None
    ) -> R:
        """Call an operation, as the method of its resource does and as `paywright.Client.call`."""
        return await self._call(self._outbound(operation, values), values, extra)

    @strip_frames_async
    async def call_by_name(
        self,
        operation: str,
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
        *,
        fresh: bool = False,
    ) -> Result:
        """Call an operation whose name is known only at run time, as `paywright.Client.call_by_name` does."""
        ref: OperationRef[Result] = OperationRef(operation, fresh=fresh)
        return await self._call(self._outbound(ref, values), values, extra)

    async def _call(
        self,
        ref: OperationRef[R],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None,
        again: Permission | None = None,
    ) -> R:
        # Its callers strip these frames from tracebacks.
        call = self._begin(ref, values, extra, again)
        del values, extra  # no frame of a traceback holds them
        try:
            while (request := await self._request(call)) is not None:
                call.sending()
                try:
                    raw = await self._transport.send(request, call.attempt_deadline)
                except Exception as failure:
                    pause = call.on_failure(failure)
                else:
                    pause = call.on_response(raw)
                    del raw  # the frame lives as long as the error does, and a body may be large
                if pause is None:
                    break
                await sleep(pause)
            request = None
            return cast(R, call.result())
        except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit) as raised:
            call.on_interruption(raised)
            raise
        except BaseException as cancelled:
            unknown = call.on_interruption(cancelled)
            if unknown is None:
                raise
        try:
            raise unknown
        finally:
            del unknown  # else the error and this frame refer to each other

    async def _request(self, call: CallFlow) -> SignedRequest | None:
        """Return the next request of the call, made in another thread if the settings or the signer ask for that, or if it blocks."""
        threads = self._settings.signing_threads
        if not threads and not call.blocks and not getattr(self._merchant.signer, "awaited", False):
            return call.next_request()
        return await to_thread.run_sync(call.next_request, limiter=self._limiter() if threads else None)

    def _limiter(self) -> CapacityLimiter:
        """Return the signing threads of this client in this event loop."""
        try:
            return self._limiters.get()
        except LookupError:
            limiter = CapacityLimiter(self._settings.signing_threads)
            self._limiters.set(limiter)
            return limiter

    @cached_property
    def _limiters(self) -> RunVar[CapacityLimiter]:
        return RunVar("paywright_signing")

    def resolve(
        self,
        write: WriteRef[object, S],
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> AsyncResolver[S]:
        """Settle the unknown outcome of a write, as `paywright.Client.resolve` does [4.3]. Nothing is sent yet."""
        from paywright_runtime.client.aio.resolver import AsyncResolver

        return AsyncResolver(self._resolver_context, self._call, self._resolution(write, error, key, asks, content))

    def resolve_by_name(
        self,
        operation: str,
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> AsyncResolver[Result]:
        """Settle the unknown outcome of a write whose name is known only at run time. As `resolve`."""
        write: WriteRef[object, Result] = WriteRef(operation)
        return self.resolve(write, error, key=key, asks=asks, content=content)

    def resume(self, text: str) -> AsyncResolver[Result]:
        """Continue with a resolver that `to_json` stored, as `paywright.Client.resume` does."""
        from paywright_runtime.client.aio.resolver import AsyncResolver

        return AsyncResolver(self._resolver_context, self._call, self._taken_up(text))

    async def aclose(self) -> None:
        """Close all connections. The client cannot be used afterwards."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()
