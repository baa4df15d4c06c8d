"""The driver of an awaited call: `calling` decides, this sends, sleeps and answers for cancellation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar, cast

from anyio import CapacityLimiter, sleep, to_thread
from anyio.lowlevel import RunVar

from paywright_runtime.aio.transport import AsyncHttpTransport
from paywright_runtime.client import ClientBase
from paywright_runtime.errors import PaywrightError
from paywright_runtime.exchange import AsyncTransport, Phase, SignedRequest, TransportFailure
from paywright_runtime.facts import OperationRef
from paywright_runtime.unburdened import unburdened_async

if TYPE_CHECKING:
    from paywright_runtime.aio.resolver import AsyncResolver
    from paywright_runtime.answer import Result
    from paywright_runtime.calling import Calling

__all__ = ["AsyncBaseClient"]

R = TypeVar("R")


class AsyncBaseClient(ClientBase[AsyncTransport]):
    """A client of the gateway whose calls are awaited, under asyncio or trio. Tasks of one event loop may share it.

    `ClientBase` lists its arguments. A call that is cancelled ends as cancelled, unless it is a write of which a byte may
    have left: then it raises `OutcomeUnknown` (reason `cancelled`) in place of the cancellation, because money may have moved.
    """

    _awaited = True

    def _new_transport(self) -> AsyncTransport:
        return AsyncHttpTransport(self._base_url, proxy=self._settings.proxy, ca_file=self._settings.ca_file)

    async def call(
        self, operation: str, values: Mapping[str, object], extra: Mapping[str, object] | None = None
    ) -> Result:
        """Call an operation by its id: what the methods of the resources do, for programs that choose one at run time.

        `values` are the arguments by wire name, each in the type that the method takes; the result and the errors are the
        method's. Raises `InvalidArgument` for an id that the contract does not have, or that the gateway calls, and for a
        name that the operation does not take.
        """
        return await self._call(self._outbound(operation, values), values, extra)

    @unburdened_async
    async def _call(self, ref: OperationRef[R], values: Mapping[str, object], extra: Mapping[str, object] | None) -> R:
        calling = self._calling(ref.name, values, extra)
        del values, extra  # no frame of a traceback holds them
        progress = _Progress(Phase.CONNECTING)
        unknown: PaywrightError | None = None
        try:
            while (request := await self._request(calling)) is not None:
                progress = _Progress(Phase.WAITING)
                try:
                    raw = await self._transport.send(request, calling.attempt_deadline, progress.reach)
                except TransportFailure as failure:
                    pause = calling.broke(failure)
                except PaywrightError:
                    calling.nothing_left()  # a closed transport, a header that cannot be sent
                    raise
                except Exception as failure:  # of a transport of one's own
                    pause = calling.broke(TransportFailure(Phase.WAITING, "transport_failed", type(failure).__name__))
                else:
                    pause = calling.came(raw)
                    del raw  # the frame lives as long as the error does, and a body may be large
                if pause is None:
                    break
                await sleep(pause)
                progress = _Progress(Phase.CONNECTING)
        except Exception:
            raise
        except (KeyboardInterrupt, SystemExit, GeneratorExit) as end:
            if (warning := calling.interrupted(progress.phase)) is not None:
                end.add_note(str(warning))
            raise
        except BaseException:  # cancelled
            unknown = calling.interrupted(progress.phase)
            if unknown is None:
                raise
        request = None
        if unknown is not None:
            try:
                raise unknown
            finally:
                del unknown  # else it and this frame hold each other
        return cast(R, calling.outcome())

    async def _request(self, calling: Calling) -> SignedRequest | None:
        """The next attempt's request, signed in this thread, or in another if the settings or the signer ask for it."""
        threads = self._settings.signing_threads
        if not threads and not getattr(self._merchant.signer, "awaited", False):
            return calling.request()
        return await to_thread.run_sync(calling.request, limiter=self._limiter() if threads else None)

    def _limiter(self) -> CapacityLimiter:
        """The signing threads of this client in this event loop."""
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
        operation: str,
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> AsyncResolver[Result]:
        """Settle the unknown outcome of a write by its id and key: what the methods `resolve` of the resources do [4.3].

        `asks` are further required members of the query's request, by wire name. `content` is what the write asked for, as
        far as the query shows it, by wire path (`{"totalAmount": Decimal("10.50")}`); if the query shows something else, the
        key is another call's. `after` is the error of the write, if it raised one. Nothing is sent yet. Raises
        `InvalidArgument` for an operation that is no write, content that is not shown, or the error of another call.
        """
        return self._resolve(operation, OperationRef(""), key, asks, content, after)

    def resume(self, text: str) -> AsyncResolver[Result]:
        """Go on with a resolver that `to_json` stored, in this or another process.

        Raises `InvalidArgument` for one of another merchant, address or version, and for what `to_json` did not write.
        """
        from paywright_runtime.aio.resolver import AsyncResolver

        return AsyncResolver(self, self._stored(text))

    def _resolve(
        self,
        write: str,
        query: OperationRef[R],
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> AsyncResolver[R]:
        from paywright_runtime.aio.resolver import AsyncResolver

        # `query` tells the type checker what the resolver finds; at run time the contract says what to ask.
        return AsyncResolver(self, self._resolving(write, key, asks, content, after))

    async def aclose(self) -> None:
        """Close all connections. The client cannot be used afterwards."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


class _Progress:
    """How far an attempt came: `CONNECTING` while it is signed, then `WAITING` until its transport says how far it is.

    A transport that does not say may have sent anything.
    """

    __slots__ = ("phase",)

    def __init__(self, phase: Phase) -> None:
        self.phase = phase

    def reach(self, phase: Phase) -> None:
        self.phase = phase
