"""The client of the gateway."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.merchant import Merchant
from paywright_runtime.client.client import SyncClient

if TYPE_CHECKING:
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
    from paywright_runtime.contract.index import Contract


class Client(SyncClient):
    """A client of the payment gateway; each resource is an attribute.

    Threads may share it. Use it as a context manager, or `close()` it.
    """

    @classmethod
    def _contract(cls) -> Contract:
        return CONTRACT

    @classmethod
    def _merchant_class(cls) -> type[Merchant]:
        return Merchant

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

        return Exchanges(self._call, self.resolve)

    @cached_property
    def orders(self) -> Orders:
        """Orders: checkout, drop_in, query [4.1, 4.2, 4.3]."""
        from paywright.resources.orders import Orders

        return Orders(self._call, self.resolve)

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

        return Refunds(self._call, self.resolve)

    @cached_property
    def snap(self) -> Snap:
        """Snap: status, cancel [4.17]."""
        from paywright.resources.snap import Snap

        return Snap(self._call, self.resolve)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """Subscriptions: create [4.5]."""
        from paywright.resources.subscriptions import Subscriptions

        return Subscriptions(self._call, self.resolve)

    @cached_property
    def withdrawals(self) -> Withdrawals:
        """Withdrawals: query [4.15]."""
        from paywright.resources.withdrawals import Withdrawals

        return Withdrawals(self._call)
