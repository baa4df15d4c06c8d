"""Validators of spec/notifications.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, MOMENT, PERIOD_TIME, TIME
from paywright.validators.shared import money_part, trade_amount
from paywright_runtime.contract.value_checks import EMPTY, is_number, within

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def transfer_notification(body: dict[str, object], at: str, report: Report) -> None:
    """TransferNotification [6.1, 2.14]"""
    get = body.get
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "TransferNotification", at, "code", x)
    x = get("msg")
    if type(x) is not str:
        report.failed(CONTRACT, "TransferNotification", at, "msg", x)
    x = get("version")
    if type(x) is not str:
        report.failed(CONTRACT, "TransferNotification", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str or len(x) > 8:
        report.failed(CONTRACT, "TransferNotification", at, "keyVersion", x)
    x = get("appId")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "TransferNotification", at, "appId", x)
    x = get("merchantNo")
    if type(x) is not str or len(x) > 15:
        report.failed(CONTRACT, "TransferNotification", at, "merchantNo", x)
    x = get("notifyTime")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.failed(CONTRACT, "TransferNotification", at, "notifyTime", x, TIME)
    x = get("notifyType")
    if type(x) is not str or x not in {"RECEIVE"}:
        report.failed(CONTRACT, "TransferNotification", at, "notifyType", x)
    x = get("data")
    if type(x) is dict:
        transfer(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "TransferNotification", at, "data", x)


def transfer(body: dict[str, object], at: str, report: Report) -> None:
    """Transfer [6.1, 2.14]"""
    get = body.get
    x = get("requestNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Transfer", at, "requestNo", x)
    x = get("channelTradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Transfer", at, "channelTradeNo", x)
    x = get("status")
    if type(x) is not str or x not in {"TO_BE_PROVED", "SETTLED", "REJECTED"}:
        report.failed(CONTRACT, "Transfer", at, "status", x)
    x = get("transactionUtcTime")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.failed(CONTRACT, "Transfer", at, "transactionUtcTime", x, MOMENT)
    x = get("completeTime")
    if type(x) is not str or len(x) > 32 or (x != "" and (not MOMENT(x))):
        report.failed(CONTRACT, "Transfer", at, "completeTime", x, MOMENT)
    x = get("paymentDetail")
    if type(x) is dict:
        transfer_detail(x, at + "/paymentDetail", report)
    else:
        report.failed(CONTRACT, "Transfer", at, "paymentDetail", x)
    x = get("errorCode")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "Transfer", at, "errorCode", x)
    x = get("errorMsg")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "Transfer", at, "errorMsg", x)


def transfer_detail(body: dict[str, object], at: str, report: Report) -> None:
    """TransferDetail [6.1]"""
    get = body.get
    x = get("payeeInfo")
    if type(x) is dict:
        payee(x, at + "/payeeInfo", report)
    else:
        report.failed(CONTRACT, "TransferDetail", at, "payeeInfo", x)
    x = get("payerInfo")
    if type(x) is dict:
        payer(x, at + "/payerInfo", report)
    else:
        report.failed(CONTRACT, "TransferDetail", at, "payerInfo", x)
    x = get("settle")
    if type(x) is dict:
        settlement(x, at + "/settle", report)
    else:
        report.failed(CONTRACT, "TransferDetail", at, "settle", x)
    x = get("trade")
    if type(x) is dict:
        trade_amount(x, at + "/trade", report)
    else:
        report.failed(CONTRACT, "TransferDetail", at, "trade", x)
    x = get("remark")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "TransferDetail", at, "remark", x)


def payee(body: dict[str, object], at: str, report: Report) -> None:
    """Payee [6.1]"""
    get = body.get
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.failed(CONTRACT, "Payee", at, "country", x, COUNTRY)
    x = get("accountNo")
    if type(x) is not str or len(x) > 128:
        report.failed(CONTRACT, "Payee", at, "accountNo", x)
    x = get("accountNickName")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "Payee", at, "accountNickName", x)
    x = get("bankCode")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Payee", at, "bankCode", x)


def payer(body: dict[str, object], at: str, report: Report) -> None:
    """Payer [6.1]"""
    get = body.get
    x = get("accountNo")
    if type(x) is not str or len(x) > 128:
        report.failed(CONTRACT, "Payer", at, "accountNo", x)
    x = get("accountName")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "Payer", at, "accountName", x)
    x = get("bankCode")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Payer", at, "bankCode", x)
    x = get("bankName")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "Payer", at, "bankName", x)
    x = get("bankBranch")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Payer", at, "bankBranch", x)


def settlement(body: dict[str, object], at: str, report: Report) -> None:
    """Settlement [6.1]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "Settlement", at, "amount", x, AMOUNT)
    x = get("currency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.failed(CONTRACT, "Settlement", at, "currency", x, CURRENCY)
    x = get("fee")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "Settlement", at, "fee", x, AMOUNT)
    x = get("feeCurrency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.failed(CONTRACT, "Settlement", at, "feeCurrency", x, CURRENCY)
    x = get("tax")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "Settlement", at, "tax", x, AMOUNT)
    x = get("taxCurrency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.failed(CONTRACT, "Settlement", at, "taxCurrency", x, CURRENCY)


def acknowledgement(body: dict[str, object], at: str, report: Report) -> None:
    """Acknowledgement [4.19]"""
    get = body.get
    x = get("msg")
    if type(x) is not str:
        report.failed(CONTRACT, "Acknowledgement", at, "msg", x)
    x = get("code")
    if type(x) is not str:
        report.failed(CONTRACT, "Acknowledgement", at, "code", x)


def period_notification(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodNotification [6.2]"""
    get = body.get
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "PeriodNotification", at, "code", x)
    x = get("keyVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "PeriodNotification", at, "keyVersion", x)
    x = get("appId")
    if type(x) is not str:
        report.failed(CONTRACT, "PeriodNotification", at, "appId", x)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PeriodNotification", at, "merchantNo", x)
    x = get("msg")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "PeriodNotification", at, "msg", x)
    x = get("notifyTime")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.failed(CONTRACT, "PeriodNotification", at, "notifyTime", x, MOMENT)
    x = get("notifyType")
    if type(x) is not str or x not in {"SUBSCRIPTION_PAYMENT"}:
        report.failed(CONTRACT, "PeriodNotification", at, "notifyType", x)
    x = get("data")
    if type(x) is dict:
        period_result(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "PeriodNotification", at, "data", x)


def period_result(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodResult [6.2, 2.5]"""
    get = body.get
    x = get("subscriptionRequestId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PeriodResult", at, "subscriptionRequestId", x)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PeriodResult", at, "userId", x)
    x = get("subscriptionPlan")
    if type(x) is dict:
        plan_number(x, at + "/subscriptionPlan", report)
    else:
        report.failed(CONTRACT, "PeriodResult", at, "subscriptionPlan", x)
    x = get("subscriptionPaymentDetail")
    if type(x) is dict:
        period_payment(x, at + "/subscriptionPaymentDetail", report)
    else:
        report.failed(CONTRACT, "PeriodResult", at, "subscriptionPaymentDetail", x)


def plan_number(body: dict[str, object], at: str, report: Report) -> None:
    """PlanNumber [6.2]"""
    get = body.get
    x = get("subscriptionNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PlanNumber", at, "subscriptionNo", x)


def period_payment(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodPayment [6.2]"""
    get = body.get
    x = get("subscriptionIndex")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "PeriodPayment", at, "subscriptionIndex", x)
    x = get("paymentStatus")
    if type(x) is not str or x not in {"PENDING", "SUCCESS", "FAILED", "CLOSED"}:
        report.failed(CONTRACT, "PeriodPayment", at, "paymentStatus", x)
    x = get("periodStartTime")
    if type(x) is not str or not PERIOD_TIME(x):
        report.failed(CONTRACT, "PeriodPayment", at, "periodStartTime", x, PERIOD_TIME)
    x = get("periodEndTime")
    if type(x) is not str or not PERIOD_TIME(x):
        report.failed(CONTRACT, "PeriodPayment", at, "periodEndTime", x, PERIOD_TIME)
    x = get("payAmount")
    if type(x) is dict:
        money_part(x, at + "/payAmount", report)
    else:
        report.failed(CONTRACT, "PeriodPayment", at, "payAmount", x)
    x = get("paymentMethodType")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PeriodPayment", at, "paymentMethodType", x)
    x = get("cardOrg")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PeriodPayment", at, "cardOrg", x)
    x = get("lastPaymentInfo")
    if type(x) is dict:
        last_payment(x, at + "/lastPaymentInfo", report)
    else:
        report.failed(CONTRACT, "PeriodPayment", at, "lastPaymentInfo", x)
    x = get("cardInfo")
    if type(x) is dict:
        period_card_info(x, at + "/cardInfo", report)
    elif x is not None:
        report.failed(CONTRACT, "PeriodPayment", at, "cardInfo", x)
    if (
        get("paymentStatus") == "SUCCESS"
        and within(body, ("lastPaymentInfo", "lastPaymentStatus")) is not None
        and within(body, ("lastPaymentInfo", "lastPaymentStatus")) not in ("SUCCESS", "PENDING")
    ):
        report.rule(at, "lastPaymentInfo/lastPaymentStatus", "paid-in-the-end")
    if (
        get("paymentStatus") == "FAILED"
        and within(body, ("lastPaymentInfo", "lastPaymentStatus")) is not None
        and within(body, ("lastPaymentInfo", "lastPaymentStatus")) not in ("FAILED", "PENDING")
    ):
        report.rule(at, "lastPaymentInfo/lastPaymentStatus", "failed-in-the-end")


def period_card_info(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodCardInfo [6.2, 2.8]"""
    get = body.get
    x = get("cardOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardOrg", x)
    x = get("country")
    if x is not None and (type(x) is not str or len(x) > 2 or not COUNTRY(x)):
        report.failed(CONTRACT, "PeriodCardInfo", at, "country", x, COUNTRY)
    x = get("cardType")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardType", x)
    x = get("totalCardOrg")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "PeriodCardInfo", at, "totalCardOrg", x)
    if type(x) is list:
        report.each_text(CONTRACT, "PeriodCardInfo", at, "totalCardOrg", x)
    x = get("type")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PeriodCardInfo", at, "type", x)
    x = get("source")
    if x is not None and (
        type(x) is not str or x not in {"CARD", "APPLEPAY", "GOOGLEPAY_PAN", "GOOGLEPAY_CRYPTOGRAM", "NETWORK_TOKEN"}
    ):
        report.failed(CONTRACT, "PeriodCardInfo", at, "source", x)
    x = get("cardBinNo")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardBinNo", x)
    x = get("cardNumber")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardNumber", x)
    x = get("cardHolderName")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardHolderName", x)
    x = get("cardLast4")
    if x is not None and (type(x) is not str or len(x) > 4):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardLast4", x)
    x = get("cardExpirationYear")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardExpirationYear", x)
    x = get("cardExpirationMonth")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.failed(CONTRACT, "PeriodCardInfo", at, "cardExpirationMonth", x)


def last_payment(body: dict[str, object], at: str, report: Report) -> None:
    """LastPayment [6.2]"""
    get = body.get
    x = get("lastPaymentStatus")
    if type(x) is not str or x not in {"PENDING", "SUCCESS", "FAILED"}:
        report.failed(CONTRACT, "LastPayment", at, "lastPaymentStatus", x)
    x = get("payTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.failed(CONTRACT, "LastPayment", at, "payTime", x, MOMENT)
    x = get("tradeToken")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "LastPayment", at, "tradeToken", x)
    x = get("errorCode")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "LastPayment", at, "errorCode", x)
    x = get("errorMsg")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.failed(CONTRACT, "LastPayment", at, "errorMsg", x)
    if get("lastPaymentStatus") == "SUCCESS" and get("tradeToken") in EMPTY:
        report.rule(at, "tradeToken", "paid-has-token")


def period_acknowledgement(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodAcknowledgement [4.19]"""
    get = body.get
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "PeriodAcknowledgement", at, "code", x)
    x = get("msg")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "PeriodAcknowledgement", at, "msg", x)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "TransferNotification": transfer_notification,
    "Transfer": transfer,
    "TransferDetail": transfer_detail,
    "Payee": payee,
    "Payer": payer,
    "Settlement": settlement,
    "Acknowledgement": acknowledgement,
    "PeriodNotification": period_notification,
    "PeriodResult": period_result,
    "PlanNumber": plan_number,
    "PeriodPayment": period_payment,
    "PeriodCardInfo": period_card_info,
    "LastPayment": last_payment,
    "PeriodAcknowledgement": period_acknowledgement,
}
