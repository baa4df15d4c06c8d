"""Validators of spec/service.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators._formats import JSON_MEDIA, TIME

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def gateway_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """gateway.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.text(at, "Content-Type", x, required=True, format=JSON_MEDIA, shown="application/json")
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def gateway_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """gateway.response.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def cases_inquire_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.request.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def cases_inquire_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.response.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def callback_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """callback.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.text(at, "Content-Type", x, required=True, format=JSON_MEDIA, shown="application/json")
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def payment_tokens_inquire_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.request.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def payment_tokens_inquire_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.response.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def snap_status_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """snap.status.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.text(at, "Content-Type", x, required=True, format=JSON_MEDIA, shown="application/json")
    x = get("X-TIMESTAMP")
    if type(x) is not str or not TIME(x):
        report.text(at, "X-TIMESTAMP", x, required=True, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("X-SIGNATURE")
    if type(x) is not str:
        report.text(at, "X-SIGNATURE", x, required=True)
    x = get("ORIGIN")
    if x is not None and type(x) is not str:
        report.text(at, "ORIGIN", x)
    x = get("X-PARTNER-ID")
    if type(x) is not str:
        report.text(at, "X-PARTNER-ID", x, required=True)
    x = get("X-EXTERNAL-ID")
    if type(x) is not str:
        report.text(at, "X-EXTERNAL-ID", x, required=True)
    x = get("CHANNEL-ID")
    if type(x) is not str:
        report.text(at, "CHANNEL-ID", x, required=True)
    x = get("sign")
    if type(x) is not str:
        report.text(at, "sign", x, required=True)


def snap_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """snap.response.headers"""
    get = body.get
    x = get("sign")
    if x is not None and type(x) is not str:
        report.text(at, "sign", x)


def snap_cancel_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """snap.cancel.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.text(at, "Content-Type", x, required=True, format=JSON_MEDIA, shown="application/json")
    x = get("X-TIMESTAMP")
    if type(x) is not str or not TIME(x):
        report.text(at, "X-TIMESTAMP", x, required=True, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("X-SIGNATURE")
    if type(x) is not str:
        report.text(at, "X-SIGNATURE", x, required=True)
    x = get("ORIGIN")
    if x is not None and type(x) is not str:
        report.text(at, "ORIGIN", x)
    x = get("X-PARTNER-ID")
    if type(x) is not str:
        report.text(at, "X-PARTNER-ID", x, required=True)
    x = get("X-EXTERNAL-ID")
    if type(x) is not str:
        report.text(at, "X-EXTERNAL-ID", x, required=True)
    x = get("CHANNEL-ID")
    if type(x) is not str:
        report.text(at, "CHANNEL-ID", x, required=True)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "gateway.request.headers": gateway_request_headers,
    "gateway.response.headers": gateway_response_headers,
    "cases.inquire.request.headers": cases_inquire_request_headers,
    "cases.inquire.response.headers": cases_inquire_response_headers,
    "callback.request.headers": callback_request_headers,
    "payment_tokens.inquire.request.headers": payment_tokens_inquire_request_headers,
    "payment_tokens.inquire.response.headers": payment_tokens_inquire_response_headers,
    "snap.status.request.headers": snap_status_request_headers,
    "snap.response.headers": snap_response_headers,
    "snap.cancel.request.headers": snap_cancel_request_headers,
}
