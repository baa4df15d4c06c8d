"""Validators of spec/accounts.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import TIME

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def authorized_account_list(body: dict[str, object], at: str, report: Report) -> None:
    """AuthorizedAccountList [4.16, 2.11]"""
    get = body.get
    x = get("merchantAuthorizedAccountInfoList")
    if type(x) is not list:
        report.failed(CONTRACT, "AuthorizedAccountList", at, "merchantAuthorizedAccountInfoList", x)
    if type(x) is list:
        report.each(at, "merchantAuthorizedAccountInfoList", x, authorized_account)


def authorized_account(body: dict[str, object], at: str, report: Report) -> None:
    """AuthorizedAccount [2.11]"""
    get = body.get
    x = get("merchantNo")
    if type(x) is not str:
        report.failed(CONTRACT, "AuthorizedAccount", at, "merchantNo", x)
    x = get("memberId")
    if type(x) is not str:
        report.failed(CONTRACT, "AuthorizedAccount", at, "memberId", x)
    x = get("productType")
    if type(x) is not str or x not in {"payin", "payout", "collect"}:
        report.failed(CONTRACT, "AuthorizedAccount", at, "productType", x)
    x = get("authorizedFundsAccountNo")
    if type(x) is not str:
        report.failed(CONTRACT, "AuthorizedAccount", at, "authorizedFundsAccountNo", x)
    x = get("authorizedFundsAccountAlias")
    if type(x) is not str:
        report.failed(CONTRACT, "AuthorizedAccount", at, "authorizedFundsAccountAlias", x)


def list_authorized_request(body: dict[str, object], at: str, report: Report) -> None:
    """accounts.list_authorized.request [4.16]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.failed(CONTRACT, "accounts.list_authorized.request", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "accounts.list_authorized.request", at, "keyVersion", x)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "accounts.list_authorized.request", at, "requestTime", x, TIME)
    x = get("appId")
    if type(x) is not str:
        report.failed(CONTRACT, "accounts.list_authorized.request", at, "appId", x)
    x = get("merchantNo")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "accounts.list_authorized.request", at, "merchantNo", x)
    x = get("data")
    if type(x) is dict:
        list_authorized_request_data(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "accounts.list_authorized.request", at, "data", x)


def list_authorized_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """accounts.list_authorized.request.data [4.16]"""
    get = body.get
    x = get("productTypeList")
    if type(x) is not list:
        report.failed(CONTRACT, "accounts.list_authorized.request.data", at, "productTypeList", x)
    if type(x) is list:
        report.each_text(
            CONTRACT,
            "accounts.list_authorized.request.data",
            at,
            "productTypeList",
            x,
            values=("payin", "payout", "collect"),
        )


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "AuthorizedAccountList": authorized_account_list,
    "AuthorizedAccount": authorized_account,
    "accounts.list_authorized.request": list_authorized_request,
    "accounts.list_authorized.request.data": list_authorized_request_data,
    "accounts.list_authorized.response": _envelopes.gateway_response(authorized_account_list),
}
