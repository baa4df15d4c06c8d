"""Validators of spec/snap.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators._formats import CURRENCY, MOMENT
from paywright_runtime.contract.value_checks import is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def snap_amount(body: dict[str, object], at: str, report: Report) -> None:
    """SnapAmount [2.4, 2.13, 4.17]"""
    get = body.get
    x = get("value")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "SnapAmount", at, "value", x)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "SnapAmount", at, "currency", x, CURRENCY)


def snap_version(body: dict[str, object], at: str, report: Report) -> None:
    """SnapVersion [4.17, 9]"""
    get = body.get
    x = get("version")
    if type(x) is not str or len(x) > 8:
        report.failed(CONTRACT, "SnapVersion", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str or len(x) > 8:
        report.failed(CONTRACT, "SnapVersion", at, "keyVersion", x)


def snap_status(body: dict[str, object], at: str, report: Report) -> None:
    """SnapStatus [2.13, 7]"""
    get = body.get
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "SnapStatus", at, "originalPartnerReferenceNo", x)
    x = get("originalReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "SnapStatus", at, "originalReferenceNo", x)
    x = get("transAmount")
    if type(x) is dict:
        snap_amount(x, at + "/transAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "SnapStatus", at, "transAmount", x)
    x = get("latestTransactionStatus")
    if type(x) is not str or x not in {"00", "03", "05", "06"}:
        report.failed(CONTRACT, "SnapStatus", at, "latestTransactionStatus", x)
    x = get("paidTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.failed(CONTRACT, "SnapStatus", at, "paidTime", x, MOMENT)
    x = get("originalResponseMessage")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "SnapStatus", at, "originalResponseMessage", x)
    x = get("refundHistory")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "SnapStatus", at, "refundHistory", x)
    if type(x) is list:
        report.each(at, "refundHistory", x, snap_refund)


def snap_refund(body: dict[str, object], at: str, report: Report) -> None:
    """SnapRefund [2.4]"""
    get = body.get
    x = get("refundNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "SnapRefund", at, "refundNo", x)
    x = get("partnerRefundNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "SnapRefund", at, "partnerRefundNo", x)
    x = get("refundAmount")
    if type(x) is dict:
        snap_amount(x, at + "/refundAmount", report)
    else:
        report.failed(CONTRACT, "SnapRefund", at, "refundAmount", x)
    x = get("refundStatus")
    if type(x) is not str or x not in {"00", "03", "06"}:
        report.failed(CONTRACT, "SnapRefund", at, "refundStatus", x)
    x = get("refundDate")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.failed(CONTRACT, "SnapRefund", at, "refundDate", x, MOMENT)
    x = get("reason")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.failed(CONTRACT, "SnapRefund", at, "reason", x)


def snap_cancelled(body: dict[str, object], at: str, report: Report) -> None:
    """SnapCancelled [2.13, 7]"""
    get = body.get
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "SnapCancelled", at, "originalPartnerReferenceNo", x)
    x = get("cancelTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.failed(CONTRACT, "SnapCancelled", at, "cancelTime", x, MOMENT)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "SnapCancelled", at, "originalReferenceNo", x)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "SnapCancelled", at, "originalExternalId", x)
    x = get("transactionDate")
    if x is not None and (type(x) is not str or len(x) > 25 or not MOMENT(x)):
        report.failed(CONTRACT, "SnapCancelled", at, "transactionDate", x, MOMENT)
    x = get("additionalInfo")
    if type(x) is dict:
        snap_cancel_info(x, at + "/additionalInfo", report)
    else:
        report.failed(CONTRACT, "SnapCancelled", at, "additionalInfo", x)


def snap_cancel_info(body: dict[str, object], at: str, report: Report) -> None:
    """SnapCancelInfo [2.13]"""
    get = body.get
    x = get("latestTransactionStatus")
    if type(x) is not str or x not in {"00", "03", "05", "06"}:
        report.failed(CONTRACT, "SnapCancelInfo", at, "latestTransactionStatus", x)


def status_request(body: dict[str, object], at: str, report: Report) -> None:
    """snap.status.request [4.17]"""
    get = body.get
    x = get("additionalInfo")
    if type(x) is dict:
        snap_version(x, at + "/additionalInfo", report)
    else:
        report.failed(CONTRACT, "snap.status.request", at, "additionalInfo", x)
    x = get("merchantId")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "snap.status.request", at, "merchantId", x)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "snap.status.request", at, "originalPartnerReferenceNo", x)
    x = get("serviceCode")
    if type(x) is not str or len(x) > 2:
        report.failed(CONTRACT, "snap.status.request", at, "serviceCode", x)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "snap.status.request", at, "originalReferenceNo", x)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 36):
        report.failed(CONTRACT, "snap.status.request", at, "originalExternalId", x)
    x = get("transactionDate")
    if x is not None and (type(x) is not str or len(x) > 25 or not MOMENT(x)):
        report.failed(CONTRACT, "snap.status.request", at, "transactionDate", x, MOMENT)
    x = get("amount")
    if type(x) is dict:
        snap_amount(x, at + "/amount", report)
    elif x is not None:
        report.failed(CONTRACT, "snap.status.request", at, "amount", x)
    x = get("externalStoreId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "snap.status.request", at, "externalStoreId", x)


def status_response(body: dict[str, object], at: str, report: Report) -> None:
    """snap.status.response [4.17]"""
    get = body.get
    x = get("responseCode")
    if type(x) is not str or len(x) != 7:
        report.failed(CONTRACT, "snap.status.response", at, "responseCode", x)
    x = get("responseMessage")
    if type(x) is not str or len(x) > 150:
        report.failed(CONTRACT, "snap.status.response", at, "responseMessage", x)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "snap.status.response", at, "originalPartnerReferenceNo", x)
    x = get("originalReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "snap.status.response", at, "originalReferenceNo", x)
    x = get("transAmount")
    if type(x) is dict:
        snap_amount(x, at + "/transAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "snap.status.response", at, "transAmount", x)
    x = get("latestTransactionStatus")
    if type(x) is not str or x not in {"00", "03", "05", "06"}:
        report.failed(CONTRACT, "snap.status.response", at, "latestTransactionStatus", x)
    x = get("paidTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.failed(CONTRACT, "snap.status.response", at, "paidTime", x, MOMENT)
    x = get("originalResponseMessage")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "snap.status.response", at, "originalResponseMessage", x)
    x = get("refundHistory")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "snap.status.response", at, "refundHistory", x)
    if type(x) is list:
        report.each(at, "refundHistory", x, snap_refund)


def cancel_request(body: dict[str, object], at: str, report: Report) -> None:
    """snap.cancel.request [4.17]"""
    get = body.get
    x = get("additionalInfo")
    if type(x) is dict:
        snap_version(x, at + "/additionalInfo", report)
    else:
        report.failed(CONTRACT, "snap.cancel.request", at, "additionalInfo", x)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "snap.cancel.request", at, "originalPartnerReferenceNo", x)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "snap.cancel.request", at, "originalReferenceNo", x)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 36):
        report.failed(CONTRACT, "snap.cancel.request", at, "originalExternalId", x)
    x = get("merchantId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "snap.cancel.request", at, "merchantId", x)
    x = get("subMerchantId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "snap.cancel.request", at, "subMerchantId", x)
    x = get("reason")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "snap.cancel.request", at, "reason", x)
    x = get("externalStoreId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "snap.cancel.request", at, "externalStoreId", x)
    x = get("amount")
    if type(x) is dict:
        snap_amount(x, at + "/amount", report)
    elif x is not None:
        report.failed(CONTRACT, "snap.cancel.request", at, "amount", x)


def cancel_response(body: dict[str, object], at: str, report: Report) -> None:
    """snap.cancel.response [4.17]"""
    get = body.get
    x = get("responseCode")
    if type(x) is not str or len(x) != 7:
        report.failed(CONTRACT, "snap.cancel.response", at, "responseCode", x)
    x = get("responseMessage")
    if type(x) is not str or len(x) > 150:
        report.failed(CONTRACT, "snap.cancel.response", at, "responseMessage", x)
    x = get("originalPartnerReferenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "snap.cancel.response", at, "originalPartnerReferenceNo", x)
    x = get("cancelTime")
    if x is not None and (type(x) is not str or len(x) > 25 or (x != "" and (not MOMENT(x)))):
        report.failed(CONTRACT, "snap.cancel.response", at, "cancelTime", x, MOMENT)
    x = get("originalReferenceNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "snap.cancel.response", at, "originalReferenceNo", x)
    x = get("originalExternalId")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "snap.cancel.response", at, "originalExternalId", x)
    x = get("transactionDate")
    if x is not None and (type(x) is not str or len(x) > 25 or not MOMENT(x)):
        report.failed(CONTRACT, "snap.cancel.response", at, "transactionDate", x, MOMENT)
    x = get("additionalInfo")
    if type(x) is dict:
        snap_cancel_info(x, at + "/additionalInfo", report)
    else:
        report.failed(CONTRACT, "snap.cancel.response", at, "additionalInfo", x)


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
