"""Validators of spec/notifications.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, MOMENT, PERIOD_TIME, TIME
from paywright.validators.shared import money_part, trade_amount
from paywright_runtime.contract.violations import EMPTY, is_number, within

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def transfer_notification(body: dict[str, object], at: str, report: Report) -> None:
    """TransferNotification [6.1, 2.14]"""
    get = body.get
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.text(at, "code", x, required=True, max=32)
    x = get("msg")
    if type(x) is not str:
        report.text(at, "msg", x, required=True)
    x = get("version")
    if type(x) is not str:
        report.text(at, "version", x, required=True)
    x = get("keyVersion")
    if type(x) is not str or len(x) > 8:
        report.text(at, "keyVersion", x, required=True, max=8)
    x = get("appId")
    if type(x) is not str or len(x) > 32:
        report.text(at, "appId", x, required=True, max=32)
    x = get("merchantNo")
    if type(x) is not str or len(x) > 15:
        report.text(at, "merchantNo", x, required=True, max=15)
    x = get("notifyTime")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.text(at, "notifyTime", x, required=True, max=32, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("notifyType")
    if type(x) is not str or x not in {"RECEIVE"}:
        report.text(at, "notifyType", x, required=True, max=16, values=("RECEIVE",))
    x = get("data")
    if type(x) is dict:
        transfer(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)


def transfer(body: dict[str, object], at: str, report: Report) -> None:
    """Transfer [6.1, 2.14]"""
    get = body.get
    x = get("requestNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "requestNo", x, required=True, max=64)
    x = get("channelTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "channelTradeNo", x, required=True, max=64)
    x = get("status")
    if type(x) is not str or x not in {"TO_BE_PROVED", "SETTLED", "REJECTED"}:
        report.text(at, "status", x, required=True, max=16, values=("TO_BE_PROVED", "SETTLED", "REJECTED"))
    x = get("transactionUtcTime")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.text(at, "transactionUtcTime", x, required=True, max=32, format=MOMENT, shown="an RFC 3339 time")
    x = get("completeTime")
    if type(x) is not str or len(x) > 32 or (x != "" and (not MOMENT(x))):
        report.text(at, "completeTime", x, required=True, max=32, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("paymentDetail")
    if type(x) is dict:
        transfer_detail(x, at + "/paymentDetail", report)
    else:
        report.struct(at, "paymentDetail", x, required=True)
    x = get("errorCode")
    if type(x) is not str or len(x) > 32:
        report.text(at, "errorCode", x, required=True, max=32)
    x = get("errorMsg")
    if type(x) is not str or len(x) > 256:
        report.text(at, "errorMsg", x, required=True, max=256)


def transfer_detail(body: dict[str, object], at: str, report: Report) -> None:
    """TransferDetail [6.1]"""
    get = body.get
    x = get("payeeInfo")
    if type(x) is dict:
        payee(x, at + "/payeeInfo", report)
    else:
        report.struct(at, "payeeInfo", x, required=True)
    x = get("payerInfo")
    if type(x) is dict:
        payer(x, at + "/payerInfo", report)
    else:
        report.struct(at, "payerInfo", x, required=True)
    x = get("settle")
    if type(x) is dict:
        settlement(x, at + "/settle", report)
    else:
        report.struct(at, "settle", x, required=True)
    x = get("trade")
    if type(x) is dict:
        trade_amount(x, at + "/trade", report)
    else:
        report.struct(at, "trade", x, required=True)
    x = get("remark")
    if type(x) is not str or len(x) > 256:
        report.text(at, "remark", x, required=True, max=256)


def payee(body: dict[str, object], at: str, report: Report) -> None:
    """Payee [6.1]"""
    get = body.get
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.text(at, "country", x, required=True, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("accountNo")
    if type(x) is not str or len(x) > 128:
        report.text(at, "accountNo", x, required=True, max=128)
    x = get("accountNickName")
    if type(x) is not str or len(x) > 256:
        report.text(at, "accountNickName", x, required=True, max=256)
    x = get("bankCode")
    if type(x) is not str or len(x) > 64:
        report.text(at, "bankCode", x, required=True, max=64)


def payer(body: dict[str, object], at: str, report: Report) -> None:
    """Payer [6.1]"""
    get = body.get
    x = get("accountNo")
    if type(x) is not str or len(x) > 128:
        report.text(at, "accountNo", x, required=True, max=128)
    x = get("accountName")
    if type(x) is not str or len(x) > 256:
        report.text(at, "accountName", x, required=True, max=256)
    x = get("bankCode")
    if type(x) is not str or len(x) > 64:
        report.text(at, "bankCode", x, required=True, max=64)
    x = get("bankName")
    if type(x) is not str or len(x) > 256:
        report.text(at, "bankName", x, required=True, max=256)
    x = get("bankBranch")
    if type(x) is not str or len(x) > 64:
        report.text(at, "bankBranch", x, required=True, max=64)


def settlement(body: dict[str, object], at: str, report: Report) -> None:
    """Settlement [6.1]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(at, "amount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True)
    x = get("currency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.text(at, "currency", x, required=True, format=CURRENCY, shown="3 uppercase letters", blank=True)
    x = get("fee")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(at, "fee", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True)
    x = get("feeCurrency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.text(at, "feeCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters", blank=True)
    x = get("tax")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(at, "tax", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True)
    x = get("taxCurrency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.text(at, "taxCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters", blank=True)


def acknowledgement(body: dict[str, object], at: str, report: Report) -> None:
    """Acknowledgement [4.19]"""
    get = body.get
    x = get("msg")
    if type(x) is not str:
        report.text(at, "msg", x, required=True)
    x = get("code")
    if type(x) is not str:
        report.text(at, "code", x, required=True)


def period_notification(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodNotification [6.2]"""
    get = body.get
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.text(at, "code", x, required=True, max=32)
    x = get("keyVersion")
    if type(x) is not str:
        report.text(at, "keyVersion", x, required=True)
    x = get("appId")
    if type(x) is not str:
        report.text(at, "appId", x, required=True)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "merchantNo", x, max=32)
    x = get("msg")
    if type(x) is not str or len(x) > 256:
        report.text(at, "msg", x, required=True, max=256)
    x = get("notifyTime")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.text(at, "notifyTime", x, required=True, max=32, format=MOMENT, shown="an RFC 3339 time")
    x = get("notifyType")
    if type(x) is not str or x not in {"SUBSCRIPTION_PAYMENT"}:
        report.text(at, "notifyType", x, required=True, values=("SUBSCRIPTION_PAYMENT",))
    x = get("data")
    if type(x) is dict:
        period_result(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)


def period_result(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodResult [6.2, 2.5]"""
    get = body.get
    x = get("subscriptionRequestId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "subscriptionRequestId", x, required=True, max=64)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("subscriptionPlan")
    if type(x) is dict:
        plan_number(x, at + "/subscriptionPlan", report)
    else:
        report.struct(at, "subscriptionPlan", x, required=True)
    x = get("subscriptionPaymentDetail")
    if type(x) is dict:
        period_payment(x, at + "/subscriptionPaymentDetail", report)
    else:
        report.struct(at, "subscriptionPaymentDetail", x, required=True)


def plan_number(body: dict[str, object], at: str, report: Report) -> None:
    """PlanNumber [6.2]"""
    get = body.get
    x = get("subscriptionNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "subscriptionNo", x, required=True, max=64)


def period_payment(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodPayment [6.2]"""
    get = body.get
    x = get("subscriptionIndex")
    if type(x) is not int and not is_number(x):
        report.number(at, "subscriptionIndex", x, required=True)
    x = get("paymentStatus")
    if type(x) is not str or x not in {"PENDING", "SUCCESS", "FAILED", "CLOSED"}:
        report.text(at, "paymentStatus", x, required=True, max=32, values=("PENDING", "SUCCESS", "FAILED", "CLOSED"))
    x = get("periodStartTime")
    if type(x) is not str or not PERIOD_TIME(x):
        report.text(
            at,
            "periodStartTime",
            x,
            required=True,
            format=PERIOD_TIME,
            shown="like 2025-01-13T15:59:59+0000, or an RFC 3339 time",
        )
    x = get("periodEndTime")
    if type(x) is not str or not PERIOD_TIME(x):
        report.text(
            at,
            "periodEndTime",
            x,
            required=True,
            format=PERIOD_TIME,
            shown="like 2025-01-13T15:59:59+0000, or an RFC 3339 time",
        )
    x = get("payAmount")
    if type(x) is dict:
        money_part(x, at + "/payAmount", report)
    else:
        report.struct(at, "payAmount", x, required=True)
    x = get("paymentMethodType")
    if type(x) is not str or len(x) > 64:
        report.text(at, "paymentMethodType", x, required=True, max=64)
    x = get("cardOrg")
    if type(x) is not str or len(x) > 64:
        report.text(at, "cardOrg", x, required=True, max=64)
    x = get("lastPaymentInfo")
    if type(x) is dict:
        last_payment(x, at + "/lastPaymentInfo", report)
    else:
        report.struct(at, "lastPaymentInfo", x, required=True)
    x = get("cardInfo")
    if type(x) is dict:
        period_card_info(x, at + "/cardInfo", report)
    elif x is not None:
        report.struct(at, "cardInfo", x)
    if (
        get("paymentStatus") == "SUCCESS"
        and within(body, "lastPaymentInfo", "lastPaymentStatus") is not None
        and within(body, "lastPaymentInfo", "lastPaymentStatus") not in ("SUCCESS", "PENDING")
    ):
        report.rule(at, "lastPaymentInfo/lastPaymentStatus", "paid-in-the-end")
    if (
        get("paymentStatus") == "FAILED"
        and within(body, "lastPaymentInfo", "lastPaymentStatus") is not None
        and within(body, "lastPaymentInfo", "lastPaymentStatus") not in ("FAILED", "PENDING")
    ):
        report.rule(at, "lastPaymentInfo/lastPaymentStatus", "failed-in-the-end")


def period_card_info(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodCardInfo [6.2, 2.8]"""
    get = body.get
    x = get("cardOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "cardOrg", x, max=32)
    x = get("country")
    if x is not None and (type(x) is not str or len(x) > 2 or not COUNTRY(x)):
        report.text(at, "country", x, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("cardType")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "cardType", x, max=32)
    x = get("totalCardOrg")
    if x is not None and type(x) is not list:
        report.array(at, "totalCardOrg", x)
    if type(x) is list:
        report.each_text(at, "totalCardOrg", x)
    x = get("type")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "type", x, max=32)
    x = get("source")
    if x is not None and (
        type(x) is not str or x not in {"CARD", "APPLEPAY", "GOOGLEPAY_PAN", "GOOGLEPAY_CRYPTOGRAM", "NETWORK_TOKEN"}
    ):
        report.text(
            at,
            "source",
            x,
            max=32,
            values=("CARD", "APPLEPAY", "GOOGLEPAY_PAN", "GOOGLEPAY_CRYPTOGRAM", "NETWORK_TOKEN"),
        )
    x = get("cardBinNo")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "cardBinNo", x, max=16)
    x = get("cardNumber")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "cardNumber", x, max=32)
    x = get("cardHolderName")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.text(at, "cardHolderName", x, max=128)
    x = get("cardLast4")
    if x is not None and (type(x) is not str or len(x) > 4):
        report.text(at, "cardLast4", x, max=4)
    x = get("cardExpirationYear")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.text(at, "cardExpirationYear", x, max=2)
    x = get("cardExpirationMonth")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.text(at, "cardExpirationMonth", x, max=2)


def last_payment(body: dict[str, object], at: str, report: Report) -> None:
    """LastPayment [6.2]"""
    get = body.get
    x = get("lastPaymentStatus")
    if type(x) is not str or x not in {"PENDING", "SUCCESS", "FAILED"}:
        report.text(at, "lastPaymentStatus", x, required=True, max=32, values=("PENDING", "SUCCESS", "FAILED"))
    x = get("payTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.text(at, "payTime", x, required=True, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("tradeToken")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "tradeToken", x, max=64)
    x = get("errorCode")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "errorCode", x, max=64)
    x = get("errorMsg")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.text(at, "errorMsg", x, max=512)
    if get("lastPaymentStatus") == "SUCCESS" and get("tradeToken") in EMPTY:
        report.rule(at, "tradeToken", "paid-has-token")


def period_acknowledgement(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodAcknowledgement [4.19]"""
    get = body.get
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.text(at, "code", x, required=True, max=32)
    x = get("msg")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "msg", x, max=256)


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
