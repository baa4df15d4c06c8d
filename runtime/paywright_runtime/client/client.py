"""The client's engine: settings, the transport, and the driver of a call. Generated `Client` classes stand on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self, TypeVar, cast

from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import InvalidArgument, PaywrightError
from paywright_runtime.exchange import Phase, Transport, TransportFailure
from paywright_runtime.facts import OperationRef
from paywright_runtime.settings import (
    IDENTITY,
    ClientSettings,
    Merchant,
    SnapAnswers,
    Validation,
    client_settings_from,
    merchant_from,
)
from paywright_runtime.transport import HttpTransport
from paywright_runtime.unburdened import unburdened

if TYPE_CHECKING:
    from paywright_runtime.answer import Result
    from paywright_runtime.calling import Calling, Hook, RetryBudget
    from paywright_runtime.core import Core
    from paywright_runtime.facts import Contract
    from paywright_runtime.placing import Placements
    from paywright_runtime.resolver import Resolver
    from paywright_runtime.resolving import Resolving
    from paywright_runtime.resolving_json import Owner

__all__ = ["BaseClient", "ClientBase"]

R = TypeVar("R")
T = TypeVar("T")


class ClientBase(Generic[T]):
    """What the two kinds of client share: settings, keys and rules. `T` is the kind of transport.

    Args:
        base_url: the gateway's address, `https://...`; `http://` to this machine alone.
        merchant: who calls, and with which keys.
        timeout: seconds for a whole call, all attempts and pauses included, from connecting to the last byte of the answer
            (name resolution excepted). While a read may be tried again, one attempt gets an equal share of what is left, but
            at least 5 seconds.
        paths: addresses by operation, where the specification does not show them or yours differ:
            `{"cases.inquire": "/..."}`.
        proxy: address of an HTTP proxy, `http://[user:password@]host:port`.
        ca_file: certificates to trust in place of the system's, as PEM.
        validation: what a request that breaks the contract meets: `refuse` (default, all violations at once, nothing is
            sent), `report` (sent; the violations are in `result.answer.warnings`), or `off`.
        strict_answers: refuse to read answers that break the contract in any way, instead of listing where.
        max_order_key: longest `out_trade_no` that is sent. Orders may have 64 characters but their query takes 63 [4.3].
        snap_answers: `unsigned` accepts bank-style answers without a `sign` header; whether they have one is not shown.
        retries: how often at most a call is tried again: a read without a verified answer, a write of whose body not one byte
            left. A client in trouble runs out of retries: each costs one of a budget of 20, an answered call gives back 0.1.
        signing_threads: how many signatures of an awaited client are made at once in threads of their own, so that the event loop
            goes on meanwhile; 0 signs in the event loop. A client that blocks signs in the thread that calls it.
        on_attempt: called after every attempt with an `AttemptEvent`: for metrics and traces. It sees no body and no secret;
            what it raises is logged, by type, and changes nothing.
        clock: where the time comes from; the system's by default.
        transport: what carries requests; the library's own by default.

    Raises:
        ConfigurationError: a setting cannot be used; nothing was sent.
    """

    _awaited = False

    @unburdened
    def __init__(
        self,
        *,
        base_url: str,
        merchant: Merchant,
        timeout: float = 30.0,
        paths: Mapping[str, str] | None = None,
        proxy: str | None = None,
        ca_file: Path | str | None = None,
        validation: Validation = "refuse",
        strict_answers: bool = False,
        max_order_key: int = 63,
        snap_answers: SnapAnswers = "signed",
        retries: int = 2,
        signing_threads: int = 0,
        on_attempt: Hook | None = None,
        clock: Clock | None = None,
        transport: T | None = None,
    ) -> None:
        if not isinstance(merchant, Merchant):
            raise InvalidArgument(
                "Nothing was sent: merchant is a Merchant(...), which holds the numbers and the keys."
            )
        if on_attempt is not None and not callable(on_attempt):
            raise InvalidArgument("Nothing was sent: on_attempt is a function that takes an AttemptEvent.")
        settings = ClientSettings(
            timeout=timeout,
            paths=paths,
            proxy=proxy,
            ca_file=ca_file,
            validation=validation,
            strict_answers=strict_answers,
            max_order_key=max_order_key,
            snap_answers=snap_answers,
            retries=retries,
            signing_threads=signing_threads,
        )
        if getattr(merchant.signer, "awaited", False) and not self._awaited:
            raise InvalidArgument("Nothing was sent: this merchant's signer is awaited. Use paywright.aio.Client.")
        for operation in settings.paths:
            self._contract().operation(operation)
        self._merchant = merchant
        self._settings = settings
        self._base_url = base_url
        self._on_attempt = on_attempt
        self._clock: Clock = SystemClock() if clock is None else clock
        self._transport: T = self._new_transport() if transport is None else transport

    def _new_transport(self) -> T:
        raise NotImplementedError

    @classmethod
    def _contract(cls) -> Contract:
        raise NotImplementedError  # generated clients say which contract is theirs

    @cached_property
    def _core(self) -> Core:
        # What builds and reads messages is imported at the first call, so that a program starts without it.
        from paywright_runtime.core import Core

        return Core(self._contract(), self._merchant, self._settings)

    @cached_property
    def _budget(self) -> RetryBudget:
        from paywright_runtime.calling import RetryBudget

        return RetryBudget()

    @cached_property
    def _placements(self) -> Placements:
        from paywright_runtime.placing import Placements

        return Placements(lambda: self._owner)

    @cached_property
    def _owner(self) -> Owner:
        from paywright_runtime.resolving_json import Owner, address_of

        numbers = {name: getattr(self._merchant, name) for name in IDENTITY}
        return Owner(
            {name: str(value) for name, value in numbers.items() if value is not None}, address_of(self._base_url)
        )

    def _calling(self, operation: str, values: Mapping[str, object], extra: Mapping[str, object] | None) -> Calling:
        from paywright_runtime.calling import Calling

        return Calling(
            self._core, self._clock, self._budget, self._on_attempt, operation, values, extra, self._placements
        )

    @classmethod
    @unburdened
    def from_env(cls, env: Mapping[str, str] | None = None) -> Self:
        """A client from `PAYWRIGHT_*` names of the environment (or of `env`), the same as the arguments in capitals.

        Raises `MissingSetting` with all that is missing at once, `KeyProblem` or `ConfigurationError`.
        """
        merchant, base_url = merchant_from(env)
        settings = client_settings_from(env)
        return cls(
            base_url=base_url, merchant=merchant, **{name: getattr(settings, name) for name in settings.__slots__}
        )

    def _outbound(self, operation: str, values: Mapping[str, object]) -> OperationRef[Result]:
        """The operation of that id, for arguments that it takes. Raises `InvalidArgument`."""
        named = self._contract().operation(operation)
        if named.inbound:
            raise InvalidArgument(f"{operation} is a call that the gateway makes, not one of the client's.")
        self._core.check_names(named, values)
        return OperationRef(operation)

    def _resolving(
        self,
        write: str,
        key: str,
        asks: Mapping[str, str] | None,
        content: Mapping[str, object] | None,
        after: PaywrightError | None,
    ) -> Resolving:
        from paywright_runtime.resolving import Resolving

        resolving = Resolving(self._contract(), write, key, asks or {}, self._clock.now(), content)
        if after is not None:
            resolving.ended_with(after)
        return resolving

    def _stored(self, text: str) -> Resolving:
        from paywright_runtime.resolving_json import taken_up

        return taken_up(self._contract(), text, self._owner)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._base_url!r}, {self._merchant!r})"


class BaseClient(ClientBase[Transport]):
    """A client of the gateway. Threads may share it; after a fork the child opens connections of its own.

    `ClientBase` lists its arguments.
    """

    def _new_transport(self) -> Transport:
        return HttpTransport(self._base_url, proxy=self._settings.proxy, ca_file=self._settings.ca_file)

    def call(self, operation: str, values: Mapping[str, object], extra: Mapping[str, object] | None = None) -> Result:
        """Call an operation by its id: what the methods of the resources do, for programs that choose one at run time.

        `values` are the arguments by wire name, each in the type that the method takes; the result and the errors are the
        method's. Raises `InvalidArgument` for an id that the contract does not have, or that the gateway calls, and for a
        name that the operation does not take.
        """
        return self._call(self._outbound(operation, values), values, extra)

    @unburdened
    def _call(self, ref: OperationRef[R], values: Mapping[str, object], extra: Mapping[str, object] | None) -> R:
        calling = self._calling(ref.name, values, extra)
        del values, extra  # no frame of a traceback holds them
        try:
            while (request := calling.request()) is not None:
                try:
                    raw = self._transport.send(request, calling.attempt_deadline)
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
                sleep(pause)
        except BaseException as interruption:
            if not isinstance(interruption, Exception) and (unknown := calling.interrupted()) is not None:
                interruption.add_note(str(unknown))
            raise
        del request
        return cast(R, calling.outcome())

    def resolve(
        self,
        operation: str,
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> Resolver[Result]:
        """Settle the unknown outcome of a write by its id and key: what the methods `resolve` of the resources do [4.3].

        `asks` are further required members of the query's request, by wire name. `content` is what the write asked for, as
        far as the query shows it, by wire path (`{"totalAmount": Decimal("10.50")}`); if the query shows something else, the
        key is another call's. `after` is the error of the write, if it raised one. Nothing is sent yet. Raises
        `InvalidArgument` for an operation that is no write, content that is not shown, or the error of another call.
        """
        return self._resolve(operation, OperationRef(""), key, asks, content, after)

    def resume(self, text: str) -> Resolver[Result]:
        """Go on with a resolver that `Resolver.to_json` stored, in this or another process.

        Raises `InvalidArgument` for one of another merchant, address or version, and for what `to_json` did not write.
        """
        from paywright_runtime.resolver import Resolver

        return Resolver(self, self._stored(text))

    def _resolve(
        self,
        write: str,
        query: OperationRef[R],
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> Resolver[R]:
        from paywright_runtime.resolver import Resolver

        # `query` tells the type checker what the resolver finds; at run time the contract says what to ask.
        return Resolver(self, self._resolving(write, key, asks, content, after))

    def close(self) -> None:
        """Close all connections. The client cannot be used afterwards."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
