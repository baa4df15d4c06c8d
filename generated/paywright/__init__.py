"""A typed SDK for the payment gateway: every limit checked before a byte leaves, every answer verified."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from paywright_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from paywright.client import Client as Client
    from paywright.contract._names import MessageName as MessageName
    from paywright.contract._names import MessageRole as MessageRole
    from paywright.contract._names import OperationName as OperationName
    from paywright.merchant import Merchant as Merchant
    from paywright.models.accounts import AuthorizedAccount as AuthorizedAccount
    from paywright.models.accounts import AuthorizedAccountList as AuthorizedAccountList
    from paywright.models.accounts import ProductType as ProductType
    from paywright.models.cases import BizCase as BizCase
    from paywright.models.cases import Case as Case
    from paywright.models.cases import CaseResult as CaseResult
    from paywright.models.cases import CaseStatus as CaseStatus
    from paywright.models.exchanges import Exchange as Exchange
    from paywright.models.exchanges import ExchangeCreated as ExchangeCreated
    from paywright.models.exchanges import ExchangeStatus as ExchangeStatus
    from paywright.models.merchant import BillPaymentAnswer as BillPaymentAnswer
    from paywright.models.merchant import BillPaymentDecision as BillPaymentDecision
    from paywright.models.merchant import BillPaymentValidation as BillPaymentValidation
    from paywright.models.merchant import Confirmation as Confirmation
    from paywright.models.notifications import Acknowledgement as Acknowledgement
    from paywright.models.notifications import LastPayment as LastPayment
    from paywright.models.notifications import LastPaymentStatus as LastPaymentStatus
    from paywright.models.notifications import Payee as Payee
    from paywright.models.notifications import Payer as Payer
    from paywright.models.notifications import PeriodAcknowledgement as PeriodAcknowledgement
    from paywright.models.notifications import PeriodCardInfo as PeriodCardInfo
    from paywright.models.notifications import PeriodNotification as PeriodNotification
    from paywright.models.notifications import PeriodPayment as PeriodPayment
    from paywright.models.notifications import PeriodPaymentStatus as PeriodPaymentStatus
    from paywright.models.notifications import PeriodResult as PeriodResult
    from paywright.models.notifications import PlanNumber as PlanNumber
    from paywright.models.notifications import Settlement as Settlement
    from paywright.models.notifications import Transfer as Transfer
    from paywright.models.notifications import TransferDetail as TransferDetail
    from paywright.models.notifications import TransferNotification as TransferNotification
    from paywright.models.notifications import TransferStatus as TransferStatus
    from paywright.models.order_details import BillingInfo as BillingInfo
    from paywright.models.order_details import BuyerInfo as BuyerInfo
    from paywright.models.order_details import DropInPaymentDetail as DropInPaymentDetail
    from paywright.models.order_details import DropInPlan as DropInPlan
    from paywright.models.order_details import EnvInfo as EnvInfo
    from paywright.models.order_details import HostedPaymentDetail as HostedPaymentDetail
    from paywright.models.order_details import HostedPlan as HostedPlan
    from paywright.models.order_details import HostedTrialPeriods as HostedTrialPeriods
    from paywright.models.order_details import OrderGoods as OrderGoods
    from paywright.models.order_details import PayAccount as PayAccount
    from paywright.models.order_details import ShippingInfo as ShippingInfo
    from paywright.models.order_details import SubMerchant as SubMerchant
    from paywright.models.orders import AdditionalIdentifier as AdditionalIdentifier
    from paywright.models.orders import DropInOrderCreated as DropInOrderCreated
    from paywright.models.orders import HostedOrderCreated as HostedOrderCreated
    from paywright.models.orders import Order as Order
    from paywright.models.orders import OrderCreationStatus as OrderCreationStatus
    from paywright.models.orders import OrderStatus as OrderStatus
    from paywright.models.orders import SideAmount as SideAmount
    from paywright.models.payment_links import LinkGoods as LinkGoods
    from paywright.models.payment_links import LinkPayment as LinkPayment
    from paywright.models.payment_links import LinkStatus as LinkStatus
    from paywright.models.payment_links import LinkTransaction as LinkTransaction
    from paywright.models.payment_links import LinkTransactionStatus as LinkTransactionStatus
    from paywright.models.payment_links import LinkUser as LinkUser
    from paywright.models.payment_links import PayByLink as PayByLink
    from paywright.models.payment_tokens import BizPaymentToken as BizPaymentToken
    from paywright.models.payment_tokens import BizPaymentTokenList as BizPaymentTokenList
    from paywright.models.payment_tokens import CvvEntry as CvvEntry
    from paywright.models.payment_tokens import PaymentToken as PaymentToken
    from paywright.models.payment_tokens import PaymentTokenList as PaymentTokenList
    from paywright.models.payment_tokens import PaymentTokenStatus as PaymentTokenStatus
    from paywright.models.rates import CurrencyList as CurrencyList
    from paywright.models.rates import Rate as Rate
    from paywright.models.rates import RatePair as RatePair
    from paywright.models.refunds import Refund as Refund
    from paywright.models.refunds import RefundCreated as RefundCreated
    from paywright.models.refunds import RefundCreationStatus as RefundCreationStatus
    from paywright.models.refunds import RefundStatus as RefundStatus
    from paywright.models.shared import CardInfo as CardInfo
    from paywright.models.shared import CardNumberKind as CardNumberKind
    from paywright.models.shared import CardSource as CardSource
    from paywright.models.shared import Money as Money
    from paywright.models.shared import MoneyPart as MoneyPart
    from paywright.models.shared import OrderPlan as OrderPlan
    from paywright.models.shared import OrderTrialDays as OrderTrialDays
    from paywright.models.shared import OrderTrialPeriods as OrderTrialPeriods
    from paywright.models.shared import PeriodRuleText as PeriodRuleText
    from paywright.models.shared import PeriodUnit as PeriodUnit
    from paywright.models.shared import TradeAmount as TradeAmount
    from paywright.models.snap import SnapAmount as SnapAmount
    from paywright.models.snap import SnapCancelInfo as SnapCancelInfo
    from paywright.models.snap import SnapCancelStatus as SnapCancelStatus
    from paywright.models.snap import SnapCancelled as SnapCancelled
    from paywright.models.snap import SnapRefund as SnapRefund
    from paywright.models.snap import SnapRefundStatus as SnapRefundStatus
    from paywright.models.snap import SnapStatus as SnapStatus
    from paywright.models.snap import SnapTransactionStatus as SnapTransactionStatus
    from paywright.models.snap import SnapVersion as SnapVersion
    from paywright.models.subscriptions import NewPlan as NewPlan
    from paywright.models.subscriptions import PeriodRule as PeriodRule
    from paywright.models.subscriptions import PeriodRuleShown as PeriodRuleShown
    from paywright.models.subscriptions import Price as Price
    from paywright.models.subscriptions import PriceShown as PriceShown
    from paywright.models.subscriptions import SubscriptionCreated as SubscriptionCreated
    from paywright.models.subscriptions import SubscriptionPlan as SubscriptionPlan
    from paywright.models.subscriptions import SubscriptionStatus as SubscriptionStatus
    from paywright.models.subscriptions import TrialDays as TrialDays
    from paywright.models.subscriptions import TrialPeriodsPart as TrialPeriodsPart
    from paywright.models.subscriptions import TrialPeriodsShown as TrialPeriodsShown
    from paywright.models.withdrawals import WithdrawFee as WithdrawFee
    from paywright.models.withdrawals import WithdrawOrder as WithdrawOrder
    from paywright.models.withdrawals import WithdrawStatus as WithdrawStatus
    from paywright.receiver import BillPaymentValidationQuestion as BillPaymentValidationQuestion
    from paywright.receiver import Receiver as Receiver
    from paywright.signatures import SnapAsymmetric as SnapAsymmetric
    from paywright.signatures import SnapSymmetric as SnapSymmetric
    from paywright_receiver.items.ledger import Conflict as Conflict
    from paywright_receiver.items.ledger import Entry as Entry
    from paywright_receiver.items.ledger import Ledger as Ledger
    from paywright_receiver.items.ledger import Transaction as Transaction
    from paywright_receiver.webhooks.event import Event as Event
    from paywright_receiver.webhooks.reply import DeliveryEvent as DeliveryEvent
    from paywright_receiver.webhooks.reply import Reply as Reply
    from paywright_receiver.webhooks.result import ItemResult as ItemResult
    from paywright_runtime.answer import Answer as Answer
    from paywright_runtime.attempts import Attempt as Attempt
    from paywright_runtime.attempts import UnverifiedHint as UnverifiedHint
    from paywright_runtime.client.attempt_event import AttemptEvent as AttemptEvent
    from paywright_runtime.client.follow import Follow as Follow
    from paywright_runtime.client.permission import Permission as Permission
    from paywright_runtime.client.resolver import Resolver as Resolver
    from paywright_runtime.clock import Clock as Clock
    from paywright_runtime.clock import FixedClock as FixedClock
    from paywright_runtime.clock import SystemClock as SystemClock
    from paywright_runtime.errors import AlreadyPlaced as AlreadyPlaced
    from paywright_runtime.errors import ClaimLost as ClaimLost
    from paywright_runtime.errors import ConfigurationError as ConfigurationError
    from paywright_runtime.errors import ContractViolation as ContractViolation
    from paywright_runtime.errors import GatewayError as GatewayError
    from paywright_runtime.errors import InvalidArgument as InvalidArgument
    from paywright_runtime.errors import KeyProblem as KeyProblem
    from paywright_runtime.errors import LedgerProblem as LedgerProblem
    from paywright_runtime.errors import MissingSetting as MissingSetting
    from paywright_runtime.errors import NoAnswer as NoAnswer
    from paywright_runtime.errors import NotSent as NotSent
    from paywright_runtime.errors import OutcomeUnknown as OutcomeUnknown
    from paywright_runtime.errors import PaywrightError as PaywrightError
    from paywright_runtime.errors import TooEarly as TooEarly
    from paywright_runtime.errors import TransactionEnded as TransactionEnded
    from paywright_runtime.errors import UnreadableAnswer as UnreadableAnswer
    from paywright_runtime.errors import UnreadableNotification as UnreadableNotification
    from paywright_runtime.settling.resolution import Step as Step
    from paywright_runtime.signing.call_signatures import CallSignature as CallSignature
    from paywright_runtime.signing.rsa import RsaSigner as RsaSigner
    from paywright_runtime.signing.rsa import RsaVerifier as RsaVerifier
    from paywright_runtime.signing.rsa import Signer as Signer
    from paywright_runtime.signing.rsa import VerifiedBytes as VerifiedBytes
    from paywright_runtime.signing.rsa import Verifier as Verifier
    from paywright_runtime.transport.api import RawAnswer as RawAnswer
    from paywright_runtime.transport.api import SignedRequest as SignedRequest
    from paywright_runtime.transport.api import Transport as Transport
    from paywright_runtime.transport.api import TransportFailure as TransportFailure
    from paywright_runtime.transport.blocking import HttpTransport as HttpTransport
    from paywright_runtime.violation import Violation as Violation
    from paywright import contract as contract

__version__ = VERSION

_HOMES = {
    "Client": "paywright.client",
    "MessageName": "paywright.contract._names",
    "MessageRole": "paywright.contract._names",
    "OperationName": "paywright.contract._names",
    "Merchant": "paywright.merchant",
    "AuthorizedAccount": "paywright.models.accounts",
    "AuthorizedAccountList": "paywright.models.accounts",
    "ProductType": "paywright.models.accounts",
    "BizCase": "paywright.models.cases",
    "Case": "paywright.models.cases",
    "CaseResult": "paywright.models.cases",
    "CaseStatus": "paywright.models.cases",
    "Exchange": "paywright.models.exchanges",
    "ExchangeCreated": "paywright.models.exchanges",
    "ExchangeStatus": "paywright.models.exchanges",
    "BillPaymentAnswer": "paywright.models.merchant",
    "BillPaymentDecision": "paywright.models.merchant",
    "BillPaymentValidation": "paywright.models.merchant",
    "Confirmation": "paywright.models.merchant",
    "Acknowledgement": "paywright.models.notifications",
    "LastPayment": "paywright.models.notifications",
    "LastPaymentStatus": "paywright.models.notifications",
    "Payee": "paywright.models.notifications",
    "Payer": "paywright.models.notifications",
    "PeriodAcknowledgement": "paywright.models.notifications",
    "PeriodCardInfo": "paywright.models.notifications",
    "PeriodNotification": "paywright.models.notifications",
    "PeriodPayment": "paywright.models.notifications",
    "PeriodPaymentStatus": "paywright.models.notifications",
    "PeriodResult": "paywright.models.notifications",
    "PlanNumber": "paywright.models.notifications",
    "Settlement": "paywright.models.notifications",
    "Transfer": "paywright.models.notifications",
    "TransferDetail": "paywright.models.notifications",
    "TransferNotification": "paywright.models.notifications",
    "TransferStatus": "paywright.models.notifications",
    "BillingInfo": "paywright.models.order_details",
    "BuyerInfo": "paywright.models.order_details",
    "DropInPaymentDetail": "paywright.models.order_details",
    "DropInPlan": "paywright.models.order_details",
    "EnvInfo": "paywright.models.order_details",
    "HostedPaymentDetail": "paywright.models.order_details",
    "HostedPlan": "paywright.models.order_details",
    "HostedTrialPeriods": "paywright.models.order_details",
    "OrderGoods": "paywright.models.order_details",
    "PayAccount": "paywright.models.order_details",
    "ShippingInfo": "paywright.models.order_details",
    "SubMerchant": "paywright.models.order_details",
    "AdditionalIdentifier": "paywright.models.orders",
    "DropInOrderCreated": "paywright.models.orders",
    "HostedOrderCreated": "paywright.models.orders",
    "Order": "paywright.models.orders",
    "OrderCreationStatus": "paywright.models.orders",
    "OrderStatus": "paywright.models.orders",
    "SideAmount": "paywright.models.orders",
    "LinkGoods": "paywright.models.payment_links",
    "LinkPayment": "paywright.models.payment_links",
    "LinkStatus": "paywright.models.payment_links",
    "LinkTransaction": "paywright.models.payment_links",
    "LinkTransactionStatus": "paywright.models.payment_links",
    "LinkUser": "paywright.models.payment_links",
    "PayByLink": "paywright.models.payment_links",
    "BizPaymentToken": "paywright.models.payment_tokens",
    "BizPaymentTokenList": "paywright.models.payment_tokens",
    "CvvEntry": "paywright.models.payment_tokens",
    "PaymentToken": "paywright.models.payment_tokens",
    "PaymentTokenList": "paywright.models.payment_tokens",
    "PaymentTokenStatus": "paywright.models.payment_tokens",
    "CurrencyList": "paywright.models.rates",
    "Rate": "paywright.models.rates",
    "RatePair": "paywright.models.rates",
    "Refund": "paywright.models.refunds",
    "RefundCreated": "paywright.models.refunds",
    "RefundCreationStatus": "paywright.models.refunds",
    "RefundStatus": "paywright.models.refunds",
    "CardInfo": "paywright.models.shared",
    "CardNumberKind": "paywright.models.shared",
    "CardSource": "paywright.models.shared",
    "Money": "paywright.models.shared",
    "MoneyPart": "paywright.models.shared",
    "OrderPlan": "paywright.models.shared",
    "OrderTrialDays": "paywright.models.shared",
    "OrderTrialPeriods": "paywright.models.shared",
    "PeriodRuleText": "paywright.models.shared",
    "PeriodUnit": "paywright.models.shared",
    "TradeAmount": "paywright.models.shared",
    "SnapAmount": "paywright.models.snap",
    "SnapCancelInfo": "paywright.models.snap",
    "SnapCancelStatus": "paywright.models.snap",
    "SnapCancelled": "paywright.models.snap",
    "SnapRefund": "paywright.models.snap",
    "SnapRefundStatus": "paywright.models.snap",
    "SnapStatus": "paywright.models.snap",
    "SnapTransactionStatus": "paywright.models.snap",
    "SnapVersion": "paywright.models.snap",
    "NewPlan": "paywright.models.subscriptions",
    "PeriodRule": "paywright.models.subscriptions",
    "PeriodRuleShown": "paywright.models.subscriptions",
    "Price": "paywright.models.subscriptions",
    "PriceShown": "paywright.models.subscriptions",
    "SubscriptionCreated": "paywright.models.subscriptions",
    "SubscriptionPlan": "paywright.models.subscriptions",
    "SubscriptionStatus": "paywright.models.subscriptions",
    "TrialDays": "paywright.models.subscriptions",
    "TrialPeriodsPart": "paywright.models.subscriptions",
    "TrialPeriodsShown": "paywright.models.subscriptions",
    "WithdrawFee": "paywright.models.withdrawals",
    "WithdrawOrder": "paywright.models.withdrawals",
    "WithdrawStatus": "paywright.models.withdrawals",
    "BillPaymentValidationQuestion": "paywright.receiver",
    "Receiver": "paywright.receiver",
    "SnapAsymmetric": "paywright.signatures",
    "SnapSymmetric": "paywright.signatures",
    "Conflict": "paywright_receiver.items.ledger",
    "Entry": "paywright_receiver.items.ledger",
    "Ledger": "paywright_receiver.items.ledger",
    "Transaction": "paywright_receiver.items.ledger",
    "Event": "paywright_receiver.webhooks.event",
    "DeliveryEvent": "paywright_receiver.webhooks.reply",
    "Reply": "paywright_receiver.webhooks.reply",
    "ItemResult": "paywright_receiver.webhooks.result",
    "Answer": "paywright_runtime.answer",
    "Attempt": "paywright_runtime.attempts",
    "UnverifiedHint": "paywright_runtime.attempts",
    "AttemptEvent": "paywright_runtime.client.attempt_event",
    "Follow": "paywright_runtime.client.follow",
    "Permission": "paywright_runtime.client.permission",
    "Resolver": "paywright_runtime.client.resolver",
    "Clock": "paywright_runtime.clock",
    "FixedClock": "paywright_runtime.clock",
    "SystemClock": "paywright_runtime.clock",
    "AlreadyPlaced": "paywright_runtime.errors",
    "ClaimLost": "paywright_runtime.errors",
    "ConfigurationError": "paywright_runtime.errors",
    "ContractViolation": "paywright_runtime.errors",
    "GatewayError": "paywright_runtime.errors",
    "InvalidArgument": "paywright_runtime.errors",
    "KeyProblem": "paywright_runtime.errors",
    "LedgerProblem": "paywright_runtime.errors",
    "MissingSetting": "paywright_runtime.errors",
    "NoAnswer": "paywright_runtime.errors",
    "NotSent": "paywright_runtime.errors",
    "OutcomeUnknown": "paywright_runtime.errors",
    "PaywrightError": "paywright_runtime.errors",
    "TooEarly": "paywright_runtime.errors",
    "TransactionEnded": "paywright_runtime.errors",
    "UnreadableAnswer": "paywright_runtime.errors",
    "UnreadableNotification": "paywright_runtime.errors",
    "Step": "paywright_runtime.settling.resolution",
    "CallSignature": "paywright_runtime.signing.call_signatures",
    "RsaSigner": "paywright_runtime.signing.rsa",
    "RsaVerifier": "paywright_runtime.signing.rsa",
    "Signer": "paywright_runtime.signing.rsa",
    "VerifiedBytes": "paywright_runtime.signing.rsa",
    "Verifier": "paywright_runtime.signing.rsa",
    "RawAnswer": "paywright_runtime.transport.api",
    "SignedRequest": "paywright_runtime.transport.api",
    "Transport": "paywright_runtime.transport.api",
    "TransportFailure": "paywright_runtime.transport.api",
    "HttpTransport": "paywright_runtime.transport.blocking",
    "Violation": "paywright_runtime.violation",
}

__all__ = [
    "Acknowledgement",
    "AdditionalIdentifier",
    "AlreadyPlaced",
    "Answer",
    "Attempt",
    "AttemptEvent",
    "AuthorizedAccount",
    "AuthorizedAccountList",
    "BillPaymentAnswer",
    "BillPaymentDecision",
    "BillPaymentValidation",
    "BillPaymentValidationQuestion",
    "BillingInfo",
    "BizCase",
    "BizPaymentToken",
    "BizPaymentTokenList",
    "BuyerInfo",
    "CallSignature",
    "CardInfo",
    "CardNumberKind",
    "CardSource",
    "Case",
    "CaseResult",
    "CaseStatus",
    "ClaimLost",
    "Client",
    "Clock",
    "ConfigurationError",
    "Confirmation",
    "Conflict",
    "ContractViolation",
    "CurrencyList",
    "CvvEntry",
    "DeliveryEvent",
    "DropInOrderCreated",
    "DropInPaymentDetail",
    "DropInPlan",
    "Entry",
    "EnvInfo",
    "Event",
    "Exchange",
    "ExchangeCreated",
    "ExchangeStatus",
    "FixedClock",
    "Follow",
    "GatewayError",
    "HostedOrderCreated",
    "HostedPaymentDetail",
    "HostedPlan",
    "HostedTrialPeriods",
    "HttpTransport",
    "InvalidArgument",
    "ItemResult",
    "KeyProblem",
    "LastPayment",
    "LastPaymentStatus",
    "Ledger",
    "LedgerProblem",
    "LinkGoods",
    "LinkPayment",
    "LinkStatus",
    "LinkTransaction",
    "LinkTransactionStatus",
    "LinkUser",
    "Merchant",
    "MessageName",
    "MessageRole",
    "MissingSetting",
    "Money",
    "MoneyPart",
    "NewPlan",
    "NoAnswer",
    "NotSent",
    "OperationName",
    "Order",
    "OrderCreationStatus",
    "OrderGoods",
    "OrderPlan",
    "OrderStatus",
    "OrderTrialDays",
    "OrderTrialPeriods",
    "OutcomeUnknown",
    "PayAccount",
    "PayByLink",
    "Payee",
    "Payer",
    "PaymentToken",
    "PaymentTokenList",
    "PaymentTokenStatus",
    "PaywrightError",
    "PeriodAcknowledgement",
    "PeriodCardInfo",
    "PeriodNotification",
    "PeriodPayment",
    "PeriodPaymentStatus",
    "PeriodResult",
    "PeriodRule",
    "PeriodRuleShown",
    "PeriodRuleText",
    "PeriodUnit",
    "Permission",
    "PlanNumber",
    "Price",
    "PriceShown",
    "ProductType",
    "Rate",
    "RatePair",
    "RawAnswer",
    "Receiver",
    "Refund",
    "RefundCreated",
    "RefundCreationStatus",
    "RefundStatus",
    "Reply",
    "Resolver",
    "RsaSigner",
    "RsaVerifier",
    "Settlement",
    "ShippingInfo",
    "SideAmount",
    "SignedRequest",
    "Signer",
    "SnapAmount",
    "SnapAsymmetric",
    "SnapCancelInfo",
    "SnapCancelStatus",
    "SnapCancelled",
    "SnapRefund",
    "SnapRefundStatus",
    "SnapStatus",
    "SnapSymmetric",
    "SnapTransactionStatus",
    "SnapVersion",
    "Step",
    "SubMerchant",
    "SubscriptionCreated",
    "SubscriptionPlan",
    "SubscriptionStatus",
    "SystemClock",
    "TooEarly",
    "TradeAmount",
    "Transaction",
    "TransactionEnded",
    "Transfer",
    "TransferDetail",
    "TransferNotification",
    "TransferStatus",
    "Transport",
    "TransportFailure",
    "TrialDays",
    "TrialPeriodsPart",
    "TrialPeriodsShown",
    "UnreadableAnswer",
    "UnreadableNotification",
    "UnverifiedHint",
    "VerifiedBytes",
    "Verifier",
    "Violation",
    "WithdrawFee",
    "WithdrawOrder",
    "WithdrawStatus",
    "__version__",
    "contract",
    "validate",
]


def __getattr__(name: str) -> object:
    if name == "contract":
        return import_module("paywright.contract")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def validate(
    operation: OperationName,
    message: MessageRole,
    body: object,
    *,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
    now: datetime | None = None,
) -> list[Violation]:
    """Judge any wire message against the contract, whoever wrote it.

    Args:
        operation: its name, such as `accounts.list_authorized`. For a name that only the running program knows there is
            `paywright_runtime.contract.validation.judge`.
        message: `request` or `response`; `notification` or `answer` for notifications.
        body: `bytes` are JSON text; anything else is a parsed value, in which int, finite float and Decimal are numbers,
            bool is not, and str is a JSON string.
        headers: judged too where given, as a mapping or as pairs; a header's pointer is `@header/NAME`.
        now: judge the request time against it (within 120 seconds [8]); not judged where left out.

    Returns:
        All violations, each with `.pointer`, `.code` and `.message`; an empty list if there are none. Text that is not
        strict JSON is one violation, `json`, at the pointer `""`.

    Raises:
        InvalidArgument: the contract has no such operation or message.
    """
    from paywright_runtime.contract.validation import judge

    return judge(import_module("paywright.contract").CONTRACT, operation, message, body, headers, now)
