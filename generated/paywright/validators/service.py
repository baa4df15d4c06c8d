"""Validators of spec/service.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators._formats import JSON_MEDIA, TIME

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def gateway_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """gateway.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.failed(CONTRACT, "gateway.request.headers", at, "Content-Type", x, JSON_MEDIA)
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "gateway.request.headers", at, "sign", x)


def gateway_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """gateway.response.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "gateway.response.headers", at, "sign", x)


def cases_inquire_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.request.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "cases.inquire.request.headers", at, "sign", x)


def cases_inquire_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.response.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "cases.inquire.response.headers", at, "sign", x)


def callback_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """callback.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.failed(CONTRACT, "callback.request.headers", at, "Content-Type", x, JSON_MEDIA)
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "callback.request.headers", at, "sign", x)


def payment_tokens_inquire_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.request.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "payment_tokens.inquire.request.headers", at, "sign", x)


def payment_tokens_inquire_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.response.headers"""
    get = body.get
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "payment_tokens.inquire.response.headers", at, "sign", x)


def snap_status_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """snap.status.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.failed(CONTRACT, "snap.status.request.headers", at, "Content-Type", x, JSON_MEDIA)
    x = get("X-TIMESTAMP")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "snap.status.request.headers", at, "X-TIMESTAMP", x, TIME)
    x = get("X-SIGNATURE")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.status.request.headers", at, "X-SIGNATURE", x)
    x = get("ORIGIN")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "snap.status.request.headers", at, "ORIGIN", x)
    x = get("X-PARTNER-ID")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.status.request.headers", at, "X-PARTNER-ID", x)
    x = get("X-EXTERNAL-ID")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.status.request.headers", at, "X-EXTERNAL-ID", x)
    x = get("CHANNEL-ID")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.status.request.headers", at, "CHANNEL-ID", x)
    x = get("sign")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.status.request.headers", at, "sign", x)


def snap_response_headers(body: dict[str, object], at: str, report: Report) -> None:
    """snap.response.headers"""
    get = body.get
    x = get("sign")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "snap.response.headers", at, "sign", x)


def snap_cancel_request_headers(body: dict[str, object], at: str, report: Report) -> None:
    """snap.cancel.request.headers"""
    get = body.get
    x = get("Content-Type")
    if type(x) is not str or not JSON_MEDIA(x):
        report.failed(CONTRACT, "snap.cancel.request.headers", at, "Content-Type", x, JSON_MEDIA)
    x = get("X-TIMESTAMP")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "snap.cancel.request.headers", at, "X-TIMESTAMP", x, TIME)
    x = get("X-SIGNATURE")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.cancel.request.headers", at, "X-SIGNATURE", x)
    x = get("ORIGIN")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "snap.cancel.request.headers", at, "ORIGIN", x)
    x = get("X-PARTNER-ID")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.cancel.request.headers", at, "X-PARTNER-ID", x)
    x = get("X-EXTERNAL-ID")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.cancel.request.headers", at, "X-EXTERNAL-ID", x)
    x = get("CHANNEL-ID")
    if type(x) is not str:
        report.failed(CONTRACT, "snap.cancel.request.headers", at, "CHANNEL-ID", x)


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
