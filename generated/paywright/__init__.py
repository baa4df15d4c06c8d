"""A typed SDK for the payment gateway: every limit checked before a byte leaves, every answer verified."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily
from paywright_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from paywright import contract
    from paywright.client import Client
    from paywright.contract._names import MessageName, MessageRole, OperationName
    from paywright.merchant import Merchant
    from paywright.models.accounts import AuthorizedAccount, AuthorizedAccountList, ProductType
    from paywright.models.cases import BizCase, Case, CaseResult, CaseStatus
    from paywright.models.exchanges import Exchange, ExchangeCreated, ExchangeStatus
    from paywright.models.merchant import BillPaymentAnswer, BillPaymentDecision, BillPaymentValidation, Confirmation
    from paywright.models.notifications import (
        Acknowledgement,
        LastPayment,
        LastPaymentStatus,
        Payee,
        Payer,
        PeriodAcknowledgement,
        PeriodCardInfo,
        PeriodNotification,
        PeriodPayment,
        PeriodPaymentStatus,
        PeriodResult,
        PlanNumber,
        Settlement,
        Transfer,
        TransferDetail,
        TransferNotification,
        TransferStatus,
    )
    from paywright.models.order_details import (
        BillingInfo,
        BuyerInfo,
        DropInPaymentDetail,
        DropInPlan,
        EnvInfo,
        HostedPaymentDetail,
        HostedPlan,
        HostedTrialPeriods,
        OrderGoods,
        PayAccount,
        ShippingInfo,
        SubMerchant,
    )
    from paywright.models.orders import (
        AdditionalIdentifier,
        DropInOrderCreated,
        HostedOrderCreated,
        Order,
        OrderCreationStatus,
        OrderStatus,
        SideAmount,
    )
    from paywright.models.payment_links import (
        LinkGoods,
        LinkPayment,
        LinkStatus,
        LinkTransaction,
        LinkTransactionStatus,
        LinkUser,
        PayByLink,
    )
    from paywright.models.payment_tokens import (
        BizPaymentToken,
        BizPaymentTokenList,
        CvvEntry,
        PaymentToken,
        PaymentTokenList,
        PaymentTokenStatus,
    )
    from paywright.models.rates import CurrencyList, Rate, RatePair
    from paywright.models.refunds import Refund, RefundCreated, RefundCreationStatus, RefundStatus
    from paywright.models.shared import (
        CardInfo,
        CardNumberKind,
        CardSource,
        Money,
        MoneyPart,
        OrderPlan,
        OrderTrialDays,
        OrderTrialPeriods,
        PeriodRuleText,
        PeriodUnit,
        TradeAmount,
    )
    from paywright.models.snap import (
        SnapAmount,
        SnapCancelInfo,
        SnapCancelStatus,
        SnapCancelled,
        SnapRefund,
        SnapRefundStatus,
        SnapStatus,
        SnapTransactionStatus,
        SnapVersion,
    )
    from paywright.models.subscriptions import (
        NewPlan,
        PeriodRule,
        PeriodRuleShown,
        Price,
        PriceShown,
        SubscriptionCreated,
        SubscriptionPlan,
        SubscriptionStatus,
        TrialDays,
        TrialPeriodsPart,
        TrialPeriodsShown,
    )
    from paywright.models.withdrawals import WithdrawFee, WithdrawOrder, WithdrawStatus
    from paywright.receiver import BillPaymentValidationQuestion, Receiver
    from paywright.signatures import SnapAsymmetric, SnapSymmetric
    from paywright_receiver.items.ledger import Conflict, Entry, Transaction
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.event import Event
    from paywright_receiver.webhooks.item_result import ItemResult
    from paywright_receiver.webhooks.reply import DeliveryEvent, Reply
    from paywright_runtime.answer import Answer, Violation
    from paywright_runtime.attempts import Attempt, UnverifiedHint
    from paywright_runtime.client.attempt_events import AttemptEvent
    from paywright_runtime.client.operation_refs import Follow
    from paywright_runtime.client.resolver import Resolver
    from paywright_runtime.clock import Clock, FixedClock, SystemClock
    from paywright_runtime.errors import (
        AlreadyPlaced,
        ClaimLost,
        ConfigurationError,
        ContractViolation,
        GatewayError,
        InvalidArgument,
        KeyProblem,
        LedgerProblem,
        MissingSetting,
        NoAnswer,
        NotSent,
        OutcomeUnknown,
        PaywrightError,
        TooEarly,
        TransactionEnded,
        UnreadableAnswer,
        UnreadableNotification,
        UnreadableWrite,
    )
    from paywright_runtime.settling.permission import Permission
    from paywright_runtime.settling.resolution import Step
    from paywright_runtime.signing.bank_signatures import CallSignature
    from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier, Signer, VerifiedBytes, Verifier
    from paywright_runtime.transport.api import RawAnswer, SignedRequest, Transport, TransportFailure
    from paywright_runtime.transport.blocking import HttpTransport

__version__ = VERSION

# Each module with the names that are taken from it at their first use.
_HOMES = {
    "paywright.contract": "contract",
    "paywright.client": "Client",
    "paywright.contract._names": "MessageName MessageRole OperationName",
    "paywright.merchant": "Merchant",
    "paywright.models.accounts": "AuthorizedAccount AuthorizedAccountList ProductType",
    "paywright.models.cases": "BizCase Case CaseResult CaseStatus",
    "paywright.models.exchanges": "Exchange ExchangeCreated ExchangeStatus",
    "paywright.models.merchant": "BillPaymentAnswer BillPaymentDecision BillPaymentValidation Confirmation",
    "paywright.models.notifications": (
        "Acknowledgement LastPayment LastPaymentStatus Payee Payer PeriodAcknowledgement PeriodCardInfo "
        "PeriodNotification PeriodPayment PeriodPaymentStatus PeriodResult PlanNumber Settlement Transfer "
        "TransferDetail TransferNotification TransferStatus"
    ),
    "paywright.models.order_details": (
        "BillingInfo BuyerInfo DropInPaymentDetail DropInPlan EnvInfo HostedPaymentDetail HostedPlan "
        "HostedTrialPeriods OrderGoods PayAccount ShippingInfo SubMerchant"
    ),
    "paywright.models.orders": "AdditionalIdentifier DropInOrderCreated HostedOrderCreated Order OrderCreationStatus OrderStatus SideAmount",
    "paywright.models.payment_links": "LinkGoods LinkPayment LinkStatus LinkTransaction LinkTransactionStatus LinkUser PayByLink",
    "paywright.models.payment_tokens": "BizPaymentToken BizPaymentTokenList CvvEntry PaymentToken PaymentTokenList PaymentTokenStatus",
    "paywright.models.rates": "CurrencyList Rate RatePair",
    "paywright.models.refunds": "Refund RefundCreated RefundCreationStatus RefundStatus",
    "paywright.models.shared": (
        "CardInfo CardNumberKind CardSource Money MoneyPart OrderPlan OrderTrialDays OrderTrialPeriods PeriodRuleText "
        "PeriodUnit TradeAmount"
    ),
    "paywright.models.snap": (
        "SnapAmount SnapCancelInfo SnapCancelStatus SnapCancelled SnapRefund SnapRefundStatus SnapStatus "
        "SnapTransactionStatus SnapVersion"
    ),
    "paywright.models.subscriptions": (
        "NewPlan PeriodRule PeriodRuleShown Price PriceShown SubscriptionCreated SubscriptionPlan SubscriptionStatus "
        "TrialDays TrialPeriodsPart TrialPeriodsShown"
    ),
    "paywright.models.withdrawals": "WithdrawFee WithdrawOrder WithdrawStatus",
    "paywright.receiver": "BillPaymentValidationQuestion Receiver",
    "paywright.signatures": "SnapAsymmetric SnapSymmetric",
    "paywright_receiver.items.ledger": "Conflict Entry Transaction",
    "paywright_receiver.ledgers.sql.sql_ledger": "Ledger",
    "paywright_receiver.webhooks.event": "Event",
    "paywright_receiver.webhooks.item_result": "ItemResult",
    "paywright_receiver.webhooks.reply": "DeliveryEvent Reply",
    "paywright_runtime.answer": "Answer Violation",
    "paywright_runtime.attempts": "Attempt UnverifiedHint",
    "paywright_runtime.client.attempt_events": "AttemptEvent",
    "paywright_runtime.client.operation_refs": "Follow",
    "paywright_runtime.client.resolver": "Resolver",
    "paywright_runtime.clock": "Clock FixedClock SystemClock",
    "paywright_runtime.errors": (
        "AlreadyPlaced ClaimLost ConfigurationError ContractViolation GatewayError InvalidArgument KeyProblem "
        "LedgerProblem MissingSetting NoAnswer NotSent OutcomeUnknown PaywrightError TooEarly TransactionEnded "
        "UnreadableAnswer UnreadableNotification UnreadableWrite"
    ),
    "paywright_runtime.settling.permission": "Permission",
    "paywright_runtime.settling.resolution": "Step",
    "paywright_runtime.signing.bank_signatures": "CallSignature",
    "paywright_runtime.signing.rsa": "RsaSigner RsaVerifier Signer VerifiedBytes Verifier",
    "paywright_runtime.transport.api": "RawAnswer SignedRequest Transport TransportFailure",
    "paywright_runtime.transport.blocking": "HttpTransport",
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
    "UnreadableWrite",
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


if not TYPE_CHECKING:  # type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES)


def validate(
    operation: OperationName,
    message: MessageRole,
    body: object,
    *,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
    now: datetime | None = None,
) -> list[Violation]:
    """Judge a wire message of any program against the contract.

    Args:
        operation: its name, such as `accounts.list_authorized`. For a name known only at run time, use
            `paywright_runtime.contract.validation.judge`.
        message: `request` or `response`; `notification` or `answer` for notifications.
        body: `bytes` are JSON text; anything else is a parsed value, in which int, finite float and Decimal are numbers,
            bool is not, and str is a JSON string.
        headers: judged too if given, as a mapping or as pairs; a header's pointer is `@header/NAME`.
        now: judge the request time against it (within 120 seconds [8]); not judged if left out.

    Returns:
        All violations, each with `.pointer`, `.code` and `.message`; an empty list if there are none. Text that is not
        strict JSON is one violation, `json`, at the pointer `""`.

    Raises:
        InvalidArgument: the contract has no such operation or message.
    """
    from paywright.contract import CONTRACT
    from paywright_runtime.contract.validation import judge

    return judge(CONTRACT, operation, message, body, headers, now)
