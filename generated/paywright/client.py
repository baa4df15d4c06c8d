"""The client of the gateway."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, overload

from paywright.contract import CONTRACT
from paywright.merchant import Merchant
from paywright_runtime.client.client import SyncClient
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from paywright.models.accounts import AuthorizedAccountList
    from paywright.models.cases import BizCase, Case
    from paywright.models.exchanges import Exchange, ExchangeCreated
    from paywright.models.orders import DropInOrderCreated, HostedOrderCreated, Order
    from paywright.models.payment_links import PayByLink
    from paywright.models.payment_tokens import BizPaymentTokenList, PaymentTokenList
    from paywright.models.rates import CurrencyList
    from paywright.models.refunds import Refund, RefundCreated
    from paywright.models.snap import SnapCancelled, SnapStatus
    from paywright.models.subscriptions import SubscriptionCreated
    from paywright.models.withdrawals import WithdrawOrder
    from paywright.resources.accounts import Accounts
    from paywright.resources.cases import Cases
    from paywright.resources.exchanges import Exchanges
    from paywright.resources.orders import Orders
    from paywright.resources.payment_links import PaymentLinks
    from paywright.resources.payment_tokens import PaymentTokens
    from paywright.resources.rates import Rates
    from paywright.resources.refunds import Refunds
    from paywright.resources.snap import Snap
    from paywright.resources.subscriptions import Subscriptions
    from paywright.resources.withdrawals import Withdrawals
    from paywright_runtime.client.resolver import Resolver
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.errors import OutcomeUnknown


class Client(SyncClient):
    """A client of the payment gateway; each resource is an attribute.

    Threads may share it. Use it as a context manager, or `close()` it.

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
            of its body was sent. Each retry takes 1 of a budget of 20, and each answered call returns 0.1, so that a
            client in trouble stops retrying.
        signing_threads: number of threads in which an awaited client signs, so that the event loop continues meanwhile;
            0 signs in the event loop. A blocking client signs in the thread that calls it. Before cryptography 47 all threads
            wait while one signs.
        on_attempt: called after every attempt with an `AttemptEvent`, for metrics and traces. The event contains no
            body and no secret. If it raises, the type of the error is logged and the call continues.
        observer: an object that follows each call to its end, such as `paywright_receiver.otel.Telemetry()`. A follower with
            this client takes it over. If it raises, the type of the error is logged and the call continues.
        clock: the source of the time; the system's clock by default.
        transport: the object that sends requests; the library's own by default.

    Raises:
        ConfigurationError: a setting cannot be used; nothing was sent.
    """

    @classmethod
    def _contract(cls) -> Contract:
        return CONTRACT

    @classmethod
    def _merchant_class(cls) -> type[Merchant]:
        return Merchant

    @overload
    def call(
        self,
        operation: Literal["accounts.list_authorized"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> AuthorizedAccountList: ...

    @overload
    def call(
        self,
        operation: Literal["cases.search"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> Case: ...

    @overload
    def call(
        self,
        operation: Literal["cases.inquire"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> BizCase: ...

    @overload
    def call(
        self,
        operation: Literal["exchanges.create"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> ExchangeCreated: ...

    @overload
    def call(
        self,
        operation: Literal["exchanges.query"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> Exchange: ...

    @overload
    def call(
        self,
        operation: Literal["orders.checkout"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> HostedOrderCreated: ...

    @overload
    def call(
        self,
        operation: Literal["orders.drop_in"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> DropInOrderCreated: ...

    @overload
    def call(
        self,
        operation: Literal["orders.query"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> Order: ...

    @overload
    def call(
        self,
        operation: Literal["payment_links.query"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> PayByLink: ...

    @overload
    def call(
        self,
        operation: Literal["payment_tokens.list"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> PaymentTokenList: ...

    @overload
    def call(
        self,
        operation: Literal["payment_tokens.inquire"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> BizPaymentTokenList: ...

    @overload
    def call(
        self, operation: Literal["rates.query"], values: Mapping[str, object], extra: Mapping[str, object] | None = None
    ) -> CurrencyList: ...

    @overload
    def call(
        self,
        operation: Literal["refunds.create"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> RefundCreated: ...

    @overload
    def call(
        self,
        operation: Literal["refunds.query"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> Refund: ...

    @overload
    def call(
        self, operation: Literal["snap.status"], values: Mapping[str, object], extra: Mapping[str, object] | None = None
    ) -> SnapStatus: ...

    @overload
    def call(
        self, operation: Literal["snap.cancel"], values: Mapping[str, object], extra: Mapping[str, object] | None = None
    ) -> SnapCancelled: ...

    @overload
    def call(
        self,
        operation: Literal["subscriptions.create"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> SubscriptionCreated: ...

    @overload
    def call(
        self,
        operation: Literal["withdrawals.query"],
        values: Mapping[str, object],
        extra: Mapping[str, object] | None = None,
    ) -> WithdrawOrder: ...

    @strip_frames
    def call(self, operation: str, values: Mapping[str, object], extra: Mapping[str, object] | None = None) -> Any:
        """Call an operation by its name, as the method of its resource does.

        `values` are the arguments by wire name, each in the type that the method takes; the result and the errors are
        the method's. Raises `InvalidArgument` for a name that the contract does not have, or that the gateway calls,
        and for an argument that the operation does not take. For a name known only at run time, use `call_by_name`.
        """
        return self.call_by_name(operation, values, extra)

    @overload
    def resolve(
        self,
        operation: Literal["exchanges.create"],
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[Exchange]: ...

    @overload
    def resolve(
        self,
        operation: Literal["orders.checkout", "orders.drop_in"],
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[Order]: ...

    @overload
    def resolve(
        self,
        operation: Literal["refunds.create"],
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[Refund]: ...

    @overload
    def resolve(
        self,
        operation: Literal["snap.cancel"],
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[SnapStatus]: ...

    @overload
    def resolve(
        self,
        operation: Literal["subscriptions.create"],
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[None]: ...

    def resolve(
        self,
        operation: str,
        error: OutcomeUnknown | None = None,
        *,
        key: str | None = None,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Resolver[Any]:
        """Settle the unknown outcome of a write by its name, as `resolve` of its resource does [4.3]. Nothing is sent
        yet.

        `error` is the error of the write; it has its key and content. Without one, `key` is the key, and `content`
        the members of the write that the query shows, by wire path (`{"totalAmount": Decimal("10.50")}`); if the
        query shows another value, the key belongs to another call. `asks` are further required members of the query's
        request, by wire name. Raises `InvalidArgument` for an operation that is not a write, content that is not
        shown, or the error of another call. For a name known only at run time, use `resolve_by_name`.
        """
        return self.resolve_by_name(operation, error, key=key, asks=asks, content=content)

    @cached_property
    def accounts(self) -> Accounts:
        """Accounts: list_authorized [4.16]."""
        from paywright.resources.accounts import Accounts

        return Accounts(self._call)

    @cached_property
    def cases(self) -> Cases:
        """Cases: search, inquire [4.9, 4.10]."""
        from paywright.resources.cases import Cases

        return Cases(self._call)

    @cached_property
    def exchanges(self) -> Exchanges:
        """Exchanges: create, query [4.11, 4.12]."""
        from paywright.resources.exchanges import Exchanges

        return Exchanges(self._call, self._resolve)

    @cached_property
    def orders(self) -> Orders:
        """Orders: checkout, drop_in, query [4.1, 4.2, 4.3]."""
        from paywright.resources.orders import Orders

        return Orders(self._call, self._resolve)

    @cached_property
    def payment_links(self) -> PaymentLinks:
        """PaymentLinks: query [4.4]."""
        from paywright.resources.payment_links import PaymentLinks

        return PaymentLinks(self._call)

    @cached_property
    def payment_tokens(self) -> PaymentTokens:
        """PaymentTokens: list, inquire [4.6, 4.7]."""
        from paywright.resources.payment_tokens import PaymentTokens

        return PaymentTokens(self._call)

    @cached_property
    def rates(self) -> Rates:
        """Rates: query [4.8]."""
        from paywright.resources.rates import Rates

        return Rates(self._call)

    @cached_property
    def refunds(self) -> Refunds:
        """Refunds: create, query [4.13, 4.14]."""
        from paywright.resources.refunds import Refunds

        return Refunds(self._call, self._resolve)

    @cached_property
    def snap(self) -> Snap:
        """Snap: status, cancel [4.17]."""
        from paywright.resources.snap import Snap

        return Snap(self._call, self._resolve)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """Subscriptions: create [4.5]."""
        from paywright.resources.subscriptions import Subscriptions

        return Subscriptions(self._call, self._resolve)

    @cached_property
    def withdrawals(self) -> Withdrawals:
        """Withdrawals: query [4.15]."""
        from paywright.resources.withdrawals import Withdrawals

        return Withdrawals(self._call)
