"""The base of generated `Client` classes: settings, transport, and the loop of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast

from paywright_runtime.client.operation_refs import OperationRef, WriteRef
from paywright_runtime.client.retrying import RetryBudget
from paywright_runtime.client.settings import (
    BaseMerchant,
    ClientSettings,
    Validation,
    client_settings_from,
    merchant_from,
)
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import InvalidArgument, OutcomeUnknown
from paywright_runtime.tracebacks import strip_frames
from paywright_runtime.transport.api import Transport
from paywright_runtime.transport.blocking import HttpTransport
from paywright_runtime.transport.pool import POOL_SIZE

if TYPE_CHECKING:
    from paywright_runtime.answer import Result
    from paywright_runtime.client.attempt_events import CallObserver, Hook
    from paywright_runtime.client.call_flow import CallFlow
    from paywright_runtime.client.request_plan import RequestBuilder
    from paywright_runtime.client.resolver import Resolver, ResolverContext
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.settling.permission import Permission
    from paywright_runtime.settling.resolution import ResolutionState
    from paywright_runtime.settling.stored_document import Owner
    from paywright_runtime.signing.rsa import Signer

R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")


class ClientCore(Generic[T]):
    """Settings, keys and rules that both kinds of client share. `T` is the kind of transport."""

    _awaited = False
    _transport_kind: ClassVar[Callable[..., Any]]

    @strip_frames
    def __init__(
        self,
        *,
        base_url: str,
        merchant: BaseMerchant,
        timeout: float = 30.0,
        paths: Mapping[str, str] | None = None,
        proxy: str | None = None,
        ca_file: Path | str | None = None,
        validation: Validation = "refuse",
        strict_answers: bool = False,
        unsigned_answers: bool = False,
        retries: int = 2,
        pool_size: int = POOL_SIZE,
        signing_threads: int = 0,
        on_attempt: Hook | None = None,
        observer: CallObserver | None = None,
        clock: Clock | None = None,
        transport: T | None = None,
    ) -> None:
        """Make a client. Nothing is sent yet.

        Args:
            base_url: the gateway's address, `https://...`; `http://` to this machine only.
            merchant: the merchant that calls, with its numbers and keys.
            timeout: seconds for a whole call with all attempts and pauses, from connecting to the last byte of the answer
                (name resolution excepted). While a read may be retried, one attempt gets an equal share of the remaining
                time, but at least 5 seconds.
            paths: paths by operation, if the specification shows none or yours differ: `{"cases.inquire": "/..."}`.
            proxy: address of an HTTP proxy, `http://[user:password@]host:port`.
            ca_file: certificates to trust instead of the system's, as PEM.
            validation: how a request that breaks the contract is treated: `refuse` (default: all violations are reported at
                once, nothing is sent), `report` (sent; the violations are in `result.answer.warnings`), or `off`.
            strict_answers: refuse an answer that breaks the contract in any way, instead of listing its violations.
            unsigned_answers: accept answers without a signature where the contract allows that; a signature that is there is
                verified all the same.
            retries: maximum number of retries of a call. A read is retried without a verified answer, a write only if no byte
                of its body was sent. Each retry takes 1 of a budget of 20, to which each answered call returns 0.1.
            pool_size: number of connections in use at once; further calls wait in turn, within their timeout.
            signing_threads: number of threads in which an awaited client signs; 0 signs in the event loop, which waits
                meanwhile. A blocking client signs in the calling thread. Before cryptography 47 all threads wait while one signs.
            on_attempt: called after every attempt with an `AttemptEvent`, for metrics and traces. The event contains no
                body and no secret. If it raises, the type of the error is logged and the call continues.
            observer: an object that follows each call to its end, such as `paywright_receiver.otel.Telemetry()`. A follower with
                this client takes it over. If it raises, the type of the error is logged and the call continues.
            clock: the source of the time; the system's clock by default.
            transport: the object that sends requests; the library's own by default.

        Raises:
            ConfigurationError: a setting cannot be used; nothing was sent.
        """
        kind = self._merchant_class()
        if not isinstance(merchant, kind):
            raise InvalidArgument(
                f"Nothing was sent: merchant is a {kind.PACKAGE}.Merchant(...), which holds the numbers and the keys."
            )
        if on_attempt is not None and not callable(on_attempt):
            raise InvalidArgument("Nothing was sent: on_attempt is a function that takes an AttemptEvent.")
        if observer is not None and (isinstance(observer, type) or not callable(getattr(observer, "call", None))):
            raise InvalidArgument(
                "Nothing was sent: observer is an object that follows calls, such as paywright_receiver.otel.Telemetry()."
            )
        settings = ClientSettings(
            timeout=timeout,
            paths={} if paths is None else paths,
            proxy=proxy,
            ca_file=ca_file,
            validation=validation,
            strict_answers=strict_answers,
            unsigned_answers=unsigned_answers,
            retries=retries,
            pool_size=pool_size,
            signing_threads=signing_threads,
        )
        if getattr(merchant.signer, "awaited", False) and not self._awaited:
            raise InvalidArgument(f"Nothing was sent: the signer is awaited. Use {kind.PACKAGE}.aio.Client.")
        for operation in settings.paths:
            self._contract().operation(operation)
        self._merchant = merchant
        self._settings = settings
        self._base_url = base_url
        self._on_attempt = on_attempt
        self._observer = observer
        self._budget = RetryBudget()
        self._clock: Clock = SystemClock() if clock is None else clock
        self._transport: T = self._new_transport() if transport is None else transport

    def _new_transport(self) -> T:
        own = self._settings
        made: T = self._transport_kind(self._base_url, proxy=own.proxy, ca_file=own.ca_file, pool_size=own.pool_size)
        return made

    @classmethod
    def _contract(cls) -> Contract:
        raise NotImplementedError  # defined by generated clients

    @classmethod
    def _merchant_class(cls) -> type[BaseMerchant]:
        raise NotImplementedError  # as above

    @cached_property
    def _requests(self) -> RequestBuilder:
        # Imported at the first call, so that programs start faster.
        from paywright_runtime.client.request_plan import RequestBuilder

        return RequestBuilder(self._contract(), self._merchant, self._settings)

    @cached_property
    def _owner(self) -> Owner:
        from paywright_runtime.settling.stored_document import Owner, address_of

        return Owner(self._merchant.numbers(), address_of(self._base_url))

    @cached_property
    def context(self) -> ResolverContext:
        """Return the contract, the clock and the owner of this client's calls, which a `Follower` takes over."""
        from paywright_runtime.client.resolver import ResolverContext

        return ResolverContext(self._contract(), self._clock, self._owner, self.timeout, self._observer)

    @cached_property
    def _flow(self) -> Callable[..., CallFlow]:
        from paywright_runtime.client.answer_reader import AnswerReader
        from paywright_runtime.client.call_flow import CallFlow

        answers = AnswerReader(self._contract(), self._merchant, self._settings)
        return partial(CallFlow, self._requests, answers, self._clock, self._budget, self._on_attempt)

    def _begin(
        self,
        ref: OperationRef[R],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None,
        again: Permission | None,
    ) -> CallFlow:
        """Begin a call: `extra` are members newer than the contract, `again` is a permission to place an order again."""
        if again is not None:
            from paywright_runtime.settling.permission import Permission

            if not isinstance(again, Permission):
                raise InvalidArgument(
                    "Nothing was sent: again is what permission(...) of a resolver or a follower gives."
                )
            again.check(self._contract().operation(ref.name), values, self._owner)
        flow = self._flow(ref.name, values, extra, again, ref.fresh)
        if self._observer is not None:
            flow.observe(self._observer, self._base_url.rstrip("/"))
        return flow

    @property
    def timeout(self) -> float:
        """Return the seconds that a call takes at most."""
        return self._settings.timeout

    @classmethod
    @strip_frames
    def from_env(
        cls,
        env: Mapping[str, str] | None = None,
        *,
        signer: Signer | None = None,
        on_attempt: Hook | None = None,
        observer: CallObserver | None = None,
        clock: Clock | None = None,
        transport: T | None = None,
    ) -> Self:
        """Make a client from environment variables, or from `env`: `PAYWRIGHT_BASE_URL` is the argument `base_url`.

        The arguments are what no variable can hold: those of `Client`, and a `signer` in place of the private key.
        Raises `MissingSetting` with all missing settings at once, `KeyProblem` or `ConfigurationError`.
        """
        kind = cls._merchant_class()
        merchant, base_url = merchant_from(kind, env, signer)
        return cls(
            base_url=base_url,
            merchant=merchant,
            on_attempt=on_attempt,
            observer=observer,
            clock=clock,
            transport=transport,
            **client_settings_from(kind, env),
        )

    def _outbound(self, ref: OperationRef[R], values: Mapping[str, object]) -> OperationRef[R]:
        """Return the reference to an operation. Raises `InvalidArgument` for arguments that the operation does not take."""
        if not isinstance(ref, OperationRef):
            package = self._merchant_class().PACKAGE
            raise InvalidArgument(
                f"Nothing was sent: give a constant of {package}.operations; a name goes to call_by_name."
            )
        named = self._contract().operation(ref.name)
        if named.inbound:
            raise InvalidArgument(f"{ref.name} is a call that the gateway makes, not one of the client's.")
        self._requests.check_names(named, values)
        return ref

    def _resolution(
        self,
        write: OperationRef[object],
        error: OutcomeUnknown | None,
        key: str | None,
        asks: Mapping[str, str] | None,
        content: Mapping[str, object] | None,
    ) -> ResolutionState:
        from paywright_runtime.json_value import plain_text
        from paywright_runtime.settling.resolution import ResolutionState

        name, key = self._outbound(write, {}).name, plain_text(key)
        given = [key, *(content or {}).values()]
        if error is not None and (not isinstance(error, OutcomeUnknown) or any(each is not None for each in given)):
            raise InvalidArgument(
                "Nothing was sent: a resolver takes the OutcomeUnknown that the call raised and nothing that it knows itself, or, "
                "without an error, the key by its name, as in client.orders.resolve(out_trade_no=...)."
            )
        now = self._clock.now()
        if error is None:
            return ResolutionState(self._contract(), name, key or "", asks or {}, now, content)
        resolving = ResolutionState(self._contract(), name, error.key, asks or {}, now)
        resolving.ended_with(error)
        resolving.content.update(error.content)
        return resolving

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._base_url!r}, {self._merchant!r})"


class SyncClient(ClientCore[Transport]):
    """A client of the gateway, with the arguments of `ClientCore`. Threads may share it; a forked child opens its own connections."""

    _transport_kind = HttpTransport

    @strip_frames
    def call(
        self, operation: OperationRef[R], values: Mapping[str, object], extra: Mapping[str, object] | None = None
    ) -> R:
        """Call an operation, as the method of its resource does: `client.call(operations.REFUNDS_CREATE, {...})`.

        `values` are the arguments by wire name, each in the type that the method takes, `extra` members newer than the contract.
        Result and errors are the method's. Raises `InvalidArgument` for an argument that the operation does not take.
        """
        return self._call(self._outbound(operation, values), values, extra)

    @strip_frames
    def call_by_name(
        self,
        operation: str,
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
        *,
        fresh: bool = False,
    ) -> Result:
        """Call an operation whose name is known only at run time. Raises `InvalidArgument` for one that a client does not call.

        `fresh` uses a connection that has carried no other request, so that no late answer can be taken for its own.
        """
        ref: OperationRef[Result] = OperationRef(operation, fresh=fresh)
        return self._call(self._outbound(ref, values), values, extra)

    def _call(
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
            while (request := call.next_request()) is not None:
                call.sending()
                try:
                    raw = self._transport.send(request, call.attempt_deadline)
                except Exception as failure:
                    pause = call.on_failure(failure)
                else:
                    pause = call.on_response(raw)
                    del raw  # the frame lives as long as the error does, and a body may be large
                if pause is None:
                    break
                self._clock.sleep(pause)
            return cast(R, call.result())
        except BaseException as raised:
            call.on_interruption(raised)
            raise

    def resolve(
        self,
        write: WriteRef[object, S],
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[S]:
        """Settle the unknown outcome of a write, as `resolve` of its resource does [4.3]. Nothing is sent yet.

        `error` is that of the write, with key and content. Without one, `key` is the key, and `content` the members of the write that
        the query shows, by wire path (`{"totalAmount": Decimal("10.50")}`): with another value, the key belongs to another call.
        `asks` are further required members of the query's request, by wire name. Raises `InvalidArgument`.
        """
        return self._resolver(self._resolution(write, error, key, asks, content))

    def resolve_by_name(
        self,
        operation: str,
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[Result]:
        """Settle the unknown outcome of a write whose name is known only at run time. As `resolve`."""
        write: WriteRef[object, Result] = WriteRef(operation)
        return self.resolve(write, error, key=key, asks=asks, content=content)

    def resume(self, text: str) -> Resolver[Result]:
        """Continue with a resolver that `to_json` stored, in this or another process.

        Raises `InvalidArgument` if it belongs to another merchant, address or version, or if `to_json` did not write it.
        """
        from paywright_runtime.settling.stored_document import taken_up

        return self._resolver(taken_up(self._contract(), text, self._owner))

    def _resolver(self, state: ResolutionState) -> Resolver[Any]:
        from paywright_runtime.client.resolver import Resolver

        return Resolver(self.context, self._call, state)

    def close(self) -> None:
        """Close all connections. The client cannot be used afterwards."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
