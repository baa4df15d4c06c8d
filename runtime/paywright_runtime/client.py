"""The client's engine: settings, the transport, and the loop of one call. Generated `Client` classes stand on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar, cast

from paywright_runtime.attempts import Attempt
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import InvalidArgument, NotSent, PaywrightError
from paywright_runtime.exchange import Transport, TransportFailure, Unusable
from paywright_runtime.facts import OperationRef
from paywright_runtime.settings import (
    ClientSettings,
    Merchant,
    SnapAnswers,
    Validation,
    client_settings_from,
    merchant_from,
)
from paywright_runtime.transport import HttpTransport

if TYPE_CHECKING:
    from paywright_runtime.answer import Result
    from paywright_runtime.core import Core, Prepared
    from paywright_runtime.facts import Contract

__all__ = ["BaseClient"]

R = TypeVar("R")


class BaseClient:
    """A client of the gateway. Threads may share it; after a fork the child opens connections of its own.

    Args:
        base_url: the gateway's address, `https://...`; `http://` to this machine alone.
        merchant: who calls, and with which keys.
        timeout: seconds for a whole call, from connecting to the last byte of the answer (name resolution excepted).
        paths: addresses by operation, where the specification does not show them or yours differ:
            `{"cases.inquire": "/..."}`.
        proxy: address of an HTTP proxy, `http://[user:password@]host:port`.
        ca_file: certificates to trust in place of the system's, as PEM.
        validation: what a request that breaks the contract meets: `refuse` (default, all violations at once, nothing is
            sent), `report` (sent; the violations are in `result.answer.warnings`), or `off`.
        strict_answers: refuse to read answers that break the contract in any way, instead of listing where.
        max_order_key: longest `out_trade_no` that is sent. Orders may have 64 characters but their query takes 63 [4.3].
        snap_answers: `unsigned` accepts bank-style answers without a `sign` header; whether they have one is not shown.
        clock: where the time comes from; the system's by default.
        transport: what carries requests; urllib3 by default.

    Raises:
        ConfigurationError: a setting cannot be used; nothing was sent.
    """

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
        clock: Clock | None = None,
        transport: Transport | None = None,
    ) -> None:
        settings = ClientSettings(
            timeout=timeout,
            paths=paths,
            proxy=proxy,
            ca_file=ca_file,
            validation=validation,
            strict_answers=strict_answers,
            max_order_key=max_order_key,
            snap_answers=snap_answers,
        )
        for operation in settings.paths:
            self._contract().operation(operation)
        self._merchant = merchant
        self._settings = settings
        self._base_url = base_url
        self._clock: Clock = SystemClock() if clock is None else clock
        self._transport: Transport = (
            HttpTransport(base_url, proxy=proxy, ca_file=ca_file) if transport is None else transport
        )

    @cached_property
    def _core(self) -> Core:
        # What builds and reads messages is imported at the first call, so that a program starts without it.
        from paywright_runtime.core import Core

        return Core(self._contract(), self._merchant, self._settings)

    @classmethod
    def _contract(cls) -> Contract:
        raise NotImplementedError  # generated clients say which contract is theirs

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Self:
        """A client from `PAYWRIGHT_*` names of the environment (or of `env`), the same as the arguments in capitals.

        Raises `MissingSetting` with all that is missing at once, `KeyProblem` or `ConfigurationError`.
        """
        merchant, base_url = merchant_from(env)
        settings = client_settings_from(env)
        return cls(
            base_url=base_url, merchant=merchant, **{name: getattr(settings, name) for name in settings.__slots__}
        )

    def call(self, operation: str, values: Mapping[str, object], extra: Mapping[str, object] | None = None) -> Result:
        """Call an operation by its id: what the methods of the resources do, for programs that choose one at run time.

        `values` are the arguments by wire name, each in the type that the method takes; the result and the errors are the
        method's. Raises `InvalidArgument` for an id that the contract does not have, or that the gateway calls.
        """
        if self._contract().operation(operation).inbound:
            raise InvalidArgument(f"{operation} is a call that the gateway makes, not one of the client's.")
        ref: OperationRef[Result] = OperationRef(operation)
        return self._call(ref, values, extra)

    def _call(self, ref: OperationRef[R], values: Mapping[str, object], extra: Mapping[str, object] | None) -> R:
        operation = self._core.contract.operation(ref.name)
        started_at, started = self._clock.now(), monotonic()
        prepared = self._core.build(operation, values, extra, started_at)

        def attempt(reason: str, phase: str = "done", status: int | None = None) -> tuple[Attempt]:
            return (
                Attempt(
                    number=1,
                    started_at=started_at,
                    phase=phase,
                    duration=monotonic() - started,
                    reason=reason,
                    status=status,
                ),
            )

        failure: PaywrightError
        try:
            raw = self._transport.send(prepared.request, started + self._settings.timeout)
        except TransportFailure as broken:
            failure = self._failed(prepared, broken, attempt(broken.reason, broken.phase, broken.status))
        else:
            try:
                verified = self._core.verify(prepared, raw)
                result = self._core.read(prepared, verified, raw, attempt("answered", status=raw.status))
            except Unusable as unusable:
                raw.drop()
                body = raw.body if unusable.reason != "redirect" else b""
                failure = self._core.no_answer(
                    prepared, unusable.reason, attempt(unusable.reason, status=raw.status), body
                )
            except PaywrightError:
                raw.keep()  # a verified answer, though not the one hoped for
                raise
            except BaseException:
                raw.drop()
                raise
            else:
                raw.keep()
                return cast(R, result)
        # Raised here, so that what is chained to it holds no body.
        del prepared, values
        raise failure

    def _failed(self, prepared: Prepared, broken: TransportFailure, attempts: tuple[Attempt, ...]) -> PaywrightError:
        if broken.body_started:
            return self._core.no_answer(prepared, broken.reason, attempts)
        return NotSent(
            operation=prepared.operation.name,
            reason=broken.reason,
            phase=broken.phase,
            key=prepared.key,
            attempts=attempts,
        )

    def close(self) -> None:
        """Close all connections. The client cannot be used afterwards."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._base_url!r}, {self._merchant!r})"
