"""Validators of spec/accounts.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import TIME

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def authorized_account_list(body: dict[str, object], at: str, report: Report) -> None:
    """AuthorizedAccountList [4.16, 2.11]"""
    get = body.get
    x = get("merchantAuthorizedAccountInfoList")
    if type(x) is not list:
        report.array(at, "merchantAuthorizedAccountInfoList", x, required=True)
    if type(x) is list:
        report.each(at, "merchantAuthorizedAccountInfoList", x, authorized_account)


def authorized_account(body: dict[str, object], at: str, report: Report) -> None:
    """AuthorizedAccount [2.11]"""
    get = body.get
    x = get("merchantNo")
    if type(x) is not str:
        report.text(at, "merchantNo", x, required=True)
    x = get("memberId")
    if type(x) is not str:
        report.text(at, "memberId", x, required=True)
    x = get("productType")
    if type(x) is not str or x not in {"payin", "payout", "collect"}:
        report.text(at, "productType", x, required=True, values=("payin", "payout", "collect"))
    x = get("authorizedFundsAccountNo")
    if type(x) is not str:
        report.text(at, "authorizedFundsAccountNo", x, required=True)
    x = get("authorizedFundsAccountAlias")
    if type(x) is not str:
        report.text(at, "authorizedFundsAccountAlias", x, required=True)


def list_authorized_request(body: dict[str, object], at: str, report: Report) -> None:
    """accounts.list_authorized.request [4.16]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.text(at, "version", x, required=True)
    x = get("keyVersion")
    if type(x) is not str:
        report.text(at, "keyVersion", x, required=True)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.text(at, "requestTime", x, required=True, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("appId")
    if type(x) is not str:
        report.text(at, "appId", x, required=True)
    x = get("merchantNo")
    if type(x) is not str or len(x) > 32:
        report.text(at, "merchantNo", x, required=True, max=32)
    x = get("data")
    if type(x) is dict:
        list_authorized_request_data(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)


def list_authorized_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """accounts.list_authorized.request.data [4.16]"""
    get = body.get
    x = get("productTypeList")
    if type(x) is not list:
        report.array(at, "productTypeList", x, required=True)
    if type(x) is list:
        report.each_text(at, "productTypeList", x, values=("payin", "payout", "collect"))


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "AuthorizedAccountList": authorized_account_list,
    "AuthorizedAccount": authorized_account,
    "accounts.list_authorized.request": list_authorized_request,
    "accounts.list_authorized.request.data": list_authorized_request_data,
    "accounts.list_authorized.response": _envelopes.gateway_response(authorized_account_list),
}
