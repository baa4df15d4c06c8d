"""Validators of spec/snap.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators._formats import CURRENCY, MOMENT
from paywright_runtime.contract.violations import is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def snap_amount(body: dict[str, object], at: str, report: Report) -> None:
    """SnapAmount [2.4, 2.13, 4.17]"""
    get = body.get
    x = get("value")
    if type(x) is not int and not is_number(x):
        report.number(at, "value", x, required=True)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "currency", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")


def snap_version(body: dict[str, object], at: str, report: Report) -> None:
    """SnapVersion [4.17, 9]"""
    get = body.get
    x = get("version")
    if type(x) is not str or len(x) > 8:
        report.text(at, "version", x, required=True, max=8)
    x = get("keyVersion")
    if type(x) is not str or len(x) > 8:
        report.text(at, "keyVersion", x, required=True, max=8)


def snap_status(body: dict[str, object], at: str, report: Report) -> None:
    """SnapStatus [2.13, 7]"""
    get = body.get
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalPartnerReferenceNo", x, required=True, max=64)
    x = get("originalReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalReferenceNo", x, required=True, max=64)
    x = get("transAmount")
    if type(x) is dict:
        snap_amount(x, at + "/transAmount", report)
    elif x is not None:
        report.struct(at, "transAmount", x)
    x = get("latestTransactionStatus")
    if type(x) is not str or x not in {"00", "03", "05", "06"}:
        report.text(at, "latestTransactionStatus", x, required=True, max=2, values=("00", "03", "05", "06"))
    x = get("paidTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.text(at, "paidTime", x, max=25, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("originalResponseMessage")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "originalResponseMessage", x, max=256)
    x = get("refundHistory")
    if x is not None and type(x) is not list:
        report.array(at, "refundHistory", x)
    if type(x) is list:
        report.each(at, "refundHistory", x, snap_refund)


def snap_refund(body: dict[str, object], at: str, report: Report) -> None:
    """SnapRefund [2.4]"""
    get = body.get
    x = get("refundNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "refundNo", x, required=True, max=64)
    x = get("partnerRefundNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "partnerRefundNo", x, required=True, max=64)
    x = get("refundAmount")
    if type(x) is dict:
        snap_amount(x, at + "/refundAmount", report)
    else:
        report.struct(at, "refundAmount", x, required=True)
    x = get("refundStatus")
    if type(x) is not str or x not in {"00", "03", "06"}:
        report.text(at, "refundStatus", x, required=True, max=2, values=("00", "03", "06"))
    x = get("refundDate")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.text(at, "refundDate", x, max=25, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("reason")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.text(at, "reason", x, max=512)


def snap_cancelled(body: dict[str, object], at: str, report: Report) -> None:
    """SnapCancelled [2.13, 7]"""
    get = body.get
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalPartnerReferenceNo", x, required=True, max=64)
    x = get("cancelTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.text(at, "cancelTime", x, max=25, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "originalReferenceNo", x, max=64)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "originalExternalId", x, max=32)
    x = get("transactionDate")
    if x is not None and (type(x) is not str or len(x) > 25 or not MOMENT(x)):
        report.text(at, "transactionDate", x, max=25, format=MOMENT, shown="an RFC 3339 time")
    x = get("additionalInfo")
    if type(x) is dict:
        snap_cancel_info(x, at + "/additionalInfo", report)
    else:
        report.struct(at, "additionalInfo", x, required=True)


def snap_cancel_info(body: dict[str, object], at: str, report: Report) -> None:
    """SnapCancelInfo [2.13]"""
    get = body.get
    x = get("latestTransactionStatus")
    if type(x) is not str or x not in {"00", "03", "05", "06"}:
        report.text(at, "latestTransactionStatus", x, required=True, max=2, values=("00", "03", "05", "06"))


def status_request(body: dict[str, object], at: str, report: Report) -> None:
    """snap.status.request [4.17]"""
    get = body.get
    x = get("additionalInfo")
    if type(x) is dict:
        snap_version(x, at + "/additionalInfo", report)
    else:
        report.struct(at, "additionalInfo", x, required=True)
    x = get("merchantId")
    if type(x) is not str or len(x) > 32:
        report.text(at, "merchantId", x, required=True, max=32)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalPartnerReferenceNo", x, required=True, max=64)
    x = get("serviceCode")
    if type(x) is not str or len(x) > 2:
        report.text(at, "serviceCode", x, required=True, max=2)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "originalReferenceNo", x, max=64)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 36):
        report.text(at, "originalExternalId", x, max=36)
    x = get("transactionDate")
    if x is not None and (type(x) is not str or len(x) > 25 or not MOMENT(x)):
        report.text(at, "transactionDate", x, max=25, format=MOMENT, shown="an RFC 3339 time")
    x = get("amount")
    if type(x) is dict:
        snap_amount(x, at + "/amount", report)
    elif x is not None:
        report.struct(at, "amount", x)
    x = get("externalStoreId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "externalStoreId", x, max=64)


def status_response(body: dict[str, object], at: str, report: Report) -> None:
    """snap.status.response [4.17]"""
    get = body.get
    x = get("responseCode")
    if type(x) is not str or len(x) != 7:
        report.text(at, "responseCode", x, required=True, exact=7)
    x = get("responseMessage")
    if type(x) is not str or len(x) > 150:
        report.text(at, "responseMessage", x, required=True, max=150)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalPartnerReferenceNo", x, required=True, max=64)
    x = get("originalReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalReferenceNo", x, required=True, max=64)
    x = get("transAmount")
    if type(x) is dict:
        snap_amount(x, at + "/transAmount", report)
    elif x is not None:
        report.struct(at, "transAmount", x)
    x = get("latestTransactionStatus")
    if type(x) is not str or x not in {"00", "03", "05", "06"}:
        report.text(at, "latestTransactionStatus", x, required=True, max=2, values=("00", "03", "05", "06"))
    x = get("paidTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.text(at, "paidTime", x, max=25, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("originalResponseMessage")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "originalResponseMessage", x, max=256)
    x = get("refundHistory")
    if x is not None and type(x) is not list:
        report.array(at, "refundHistory", x)
    if type(x) is list:
        report.each(at, "refundHistory", x, snap_refund)


def cancel_request(body: dict[str, object], at: str, report: Report) -> None:
    """snap.cancel.request [4.17]"""
    get = body.get
    x = get("additionalInfo")
    if type(x) is dict:
        snap_version(x, at + "/additionalInfo", report)
    else:
        report.struct(at, "additionalInfo", x, required=True)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalPartnerReferenceNo", x, required=True, max=64)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "originalReferenceNo", x, max=64)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 36):
        report.text(at, "originalExternalId", x, max=36)
    x = get("merchantId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "merchantId", x, max=32)
    x = get("subMerchantId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "subMerchantId", x, max=32)
    x = get("reason")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "reason", x, max=256)
    x = get("externalStoreId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "externalStoreId", x, max=64)
    x = get("amount")
    if type(x) is dict:
        snap_amount(x, at + "/amount", report)
    elif x is not None:
        report.struct(at, "amount", x)


def cancel_response(body: dict[str, object], at: str, report: Report) -> None:
    """snap.cancel.response [4.17]"""
    get = body.get
    x = get("responseCode")
    if type(x) is not str or len(x) != 7:
        report.text(at, "responseCode", x, required=True, exact=7)
    x = get("responseMessage")
    if type(x) is not str or len(x) > 150:
        report.text(at, "responseMessage", x, required=True, max=150)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "originalPartnerReferenceNo", x, required=True, max=64)
    x = get("cancelTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.text(at, "cancelTime", x, max=25, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "originalReferenceNo", x, max=64)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "originalExternalId", x, max=32)
    x = get("transactionDate")
    if x is not None and (type(x) is not str or len(x) > 25 or not MOMENT(x)):
        report.text(at, "transactionDate", x, max=25, format=MOMENT, shown="an RFC 3339 time")
    x = get("additionalInfo")
    if type(x) is dict:
        snap_cancel_info(x, at + "/additionalInfo", report)
    else:
        report.struct(at, "additionalInfo", x, required=True)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "SnapAmount": snap_amount,
    "SnapVersion": snap_version,
    "SnapStatus": snap_status,
    "SnapRefund": snap_refund,
    "SnapCancelled": snap_cancelled,
    "SnapCancelInfo": snap_cancel_info,
    "snap.status.request": status_request,
    "snap.status.response": status_response,
    "snap.cancel.request": cancel_request,
    "snap.cancel.response": cancel_response,
}
