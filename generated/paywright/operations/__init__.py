"""The operations that a client calls, typed by their results, for `client.call` and `client.resolve`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.operation_refs import OperationRef, WriteRef

if TYPE_CHECKING:
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

ACCOUNTS_LIST_AUTHORIZED: OperationRef[AuthorizedAccountList] = OperationRef("accounts.list_authorized")
CASES_SEARCH: OperationRef[Case] = OperationRef("cases.search")
CASES_INQUIRE: OperationRef[BizCase] = OperationRef("cases.inquire")
EXCHANGES_CREATE: WriteRef[ExchangeCreated, Exchange] = WriteRef("exchanges.create")
EXCHANGES_QUERY: OperationRef[Exchange] = OperationRef("exchanges.query")
ORDERS_CHECKOUT: WriteRef[HostedOrderCreated, Order] = WriteRef("orders.checkout")
ORDERS_DROP_IN: WriteRef[DropInOrderCreated, Order] = WriteRef("orders.drop_in")
ORDERS_QUERY: OperationRef[Order] = OperationRef("orders.query")
PAYMENT_LINKS_QUERY: OperationRef[PayByLink] = OperationRef("payment_links.query")
PAYMENT_TOKENS_LIST: OperationRef[PaymentTokenList] = OperationRef("payment_tokens.list")
PAYMENT_TOKENS_INQUIRE: OperationRef[BizPaymentTokenList] = OperationRef("payment_tokens.inquire")
RATES_QUERY: OperationRef[CurrencyList] = OperationRef("rates.query")
REFUNDS_CREATE: WriteRef[RefundCreated, Refund] = WriteRef("refunds.create")
REFUNDS_QUERY: OperationRef[Refund] = OperationRef("refunds.query")
SNAP_STATUS: OperationRef[SnapStatus] = OperationRef("snap.status")
SNAP_CANCEL: WriteRef[SnapCancelled, SnapStatus] = WriteRef("snap.cancel")
SUBSCRIPTIONS_CREATE: WriteRef[SubscriptionCreated, None] = WriteRef("subscriptions.create")
WITHDRAWALS_QUERY: OperationRef[WithdrawOrder] = OperationRef("withdrawals.query")
