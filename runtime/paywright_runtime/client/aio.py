"""Awaited calls: send, sleep and handle cancellation as `client.call_flow.CallFlow` decides. Awaited resolvers, signers and resources.

Under asyncio or trio. Needs the extra `async`.
"""

from __future__ import annotations

# First: it raises an error that names the missing extra.
from paywright_runtime.transport.aio import AsyncHttpTransport

# isort: split
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Protocol, Self, TypeAlias, TypeVar, cast

from anyio import CapacityLimiter, from_thread, sleep, to_thread
from anyio.lowlevel import RunVar

from paywright_runtime.client.client import ClientCore, SyncClient
from paywright_runtime.client.operation_refs import OperationRef
from paywright_runtime.client.resolver import Resolver, ResolverBase, ResolverContext
from paywright_runtime.settling.resolution import ResolutionState, Step
from paywright_runtime.tracebacks import strip_frames_async
from paywright_runtime.transport.api import AsyncTransport, SignedRequest

if TYPE_CHECKING:
    from paywright_runtime.client.call_flow import CallFlow
    from paywright_runtime.settling.permission import Permission


class AsyncSigner(Protocol):
    """A `Signer` whose `sign` is awaited."""

    async def sign(self, body: bytes, /) -> str:
        """Return the signature of a body, as canonical padded Base64."""
        ...


class AwaitedSigner:
    """The `Signer` to give to a `Merchant` whose signatures are awaited [5].

        merchant = Merchant(app_id="app_1", private_key=AwaitedSigner(vault), gateway_keys=[...])

    `signer.sign` runs in the event loop of the call, is cancelled with it, and returns canonical padded Base64. An error that it
    raises ends the call as `NotSent`. For `paywright.aio.Client` alone.
    """

    __slots__ = ("_signer",)

    awaited = True
    """Mark for the client: call `sign` in a worker thread, where it waits for the event loop."""

    def __init__(self, signer: AsyncSigner) -> None:
        self._signer = signer

    def sign(self, body: bytes, /) -> str:
        """Return the signature; called in a worker thread of the event loop."""
        return from_thread.run(self._signer.sign, body)

    def __repr__(self) -> str:
        return f"AwaitedSigner({type(self._signer).__name__})"


R = TypeVar("R")
AsyncCall: TypeAlias = Callable[..., Coroutine[Any, Any, Any]]
"""The awaited form of `client.operation_refs.Call`."""


class AsyncResolver(ResolverBase[R, ResolutionState]):
    """Awaited form of `paywright_runtime.client.resolver.Resolver`: settles a write whose outcome is unknown [4.3]."""

    def __init__(self, context: ResolverContext, call: AsyncCall, state: ResolutionState) -> None:
        super().__init__(context, state)
        self._call = strip_frames_async(call)

    async def step(self) -> Step:
        """Query the gateway if it is time; return what to do and when to call again. As `Resolver.step`."""
        query = self._due()
        if query is not None:
            with self._asking():
                self._took(await self._call(query, self._state.question, None))
        return self.look()

    async def settle(self, *, within: float) -> Step:
        """Step until it is settled, may be placed again, or a person decides. As `Resolver.settle`."""
        until = self._until(within)
        while True:
            step = await self.step()
            pause = self._pause(step, until)
            if pause is None:
                return step
            await sleep(pause)

    async def permission(self, *, store: Callable[[str], Awaitable[object]]) -> Permission:
        """Give the permission to place the order again, if the rule allows it now. As `Resolver.permission`."""
        with self._giving() as permission:
            await store(self.to_json())
        return permission


P = ParamSpec("P")


class AsyncResource:
    """A resource of an awaited client: its methods call `call` and `resolve` of that client."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: AsyncCall, resolve: Callable[..., object] | None = None) -> None:
        self._call = call
        self._resolve = resolve


def awaited(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Return the awaited form of a method that calls an operation."""
    # Without the guard of the blocking form, whose frames end before the call has begun.
    return strip_frames_async(cast("Callable[..., Coroutine[Any, Any, R]]", getattr(method, "__wrapped__", method)))


def awaited_resolver(
    method: Callable[Concatenate[Any, P], Resolver[R]],
) -> Callable[Concatenate[Any, P], AsyncResolver[R]]:
    """Return the awaited form of a method that resolves: it returns the resolver that its client makes."""
    return cast("Callable[Concatenate[Any, P], AsyncResolver[R]]", method)


def shared(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a method that is the same in both clients."""
    return method


class AsyncClient(ClientCore[AsyncTransport]):
    """A client of the gateway whose calls are awaited, under asyncio or trio. Tasks of one event loop may share it.

    `ClientCore` lists its arguments. A cancelled call ends as cancelled. A cancelled write of which a byte may have
    left raises `OutcomeUnknown` (reason `cancelled`) instead, because money may have moved.
    """

    _awaited = True
    _transport_kind = AsyncHttpTransport

    call: Final = awaited(SyncClient.call)
    """Call an operation, as the method of its resource does."""
    call_by_name: Final = awaited(SyncClient.call_by_name)
    """Call an operation whose name is known only at run time."""
    resolve: Final = awaited_resolver(SyncClient.resolve)
    """Settle the unknown outcome of a write [4.3]. Nothing is sent yet."""
    resolve_by_name: Final = awaited_resolver(SyncClient.resolve_by_name)
    """Settle the unknown outcome of a write whose name is known only at run time."""
    resume: Final = awaited_resolver(SyncClient.resume)
    """Continue with a resolver that `to_json` stored, in this or another process."""

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
        limiter = self._limiters.get(None)
        if threads and limiter is None:
            limiter = CapacityLimiter(threads)
            self._limiters.set(limiter)
        return await to_thread.run_sync(call.next_request, limiter=limiter)

    @cached_property
    def _limiters(self) -> RunVar[CapacityLimiter | None]:
        """The signing threads by event loop, of which one may be of another kind than the last."""
        return RunVar("paywright_signing")

    def _resolver(self, state: ResolutionState) -> AsyncResolver[Any]:
        return AsyncResolver(self.context, self._call, state)

    async def aclose(self) -> None:
        """Close all connections. The client cannot be used afterwards."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()
