"""Validators that messages of one envelope share."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable

from paywright.contract import CONTRACT
from paywright.validators._formats import TIME
from paywright_runtime.contract.value_checks import EMPTY, Report

Validator = Callable[[dict[str, object], str, Report], None]


def gateway_request(data: Validator) -> Validator:
    """Make the validator of a request in the envelope `gateway` from that of its `data`."""

    def judge(body: dict[str, object], at: str, report: Report) -> None:
        get = body.get
        x = get("version")
        if type(x) is not str:
            report.failed(CONTRACT, "exchanges.create.request", at, "version", x)
        x = get("keyVersion")
        if type(x) is not str:
            report.failed(CONTRACT, "exchanges.create.request", at, "keyVersion", x)
        x = get("requestTime")
        if type(x) is not str or not TIME(x):
            report.failed(CONTRACT, "exchanges.create.request", at, "requestTime", x, TIME)
        x = get("appId")
        if type(x) is not str:
            report.failed(CONTRACT, "exchanges.create.request", at, "appId", x)
        x = get("merchantNo")
        if x is not None and (type(x) is not str or len(x) > 32):
            report.failed(CONTRACT, "exchanges.create.request", at, "merchantNo", x)
        x = get("data")
        if type(x) is dict:
            data(x, at + "/data", report)
        else:
            report.failed(CONTRACT, "exchanges.create.request", at, "data", x)

    return judge


def gateway_response(data: Validator) -> Validator:
    """Make the validator of a response in the envelope `gateway` from that of its `data`."""

    def judge(body: dict[str, object], at: str, report: Report) -> None:
        get = body.get
        x = get("code")
        if type(x) is not str:
            report.failed(CONTRACT, "accounts.list_authorized.response", at, "code", x)
        x = get("msg")
        if x is not None and type(x) is not str:
            report.failed(CONTRACT, "accounts.list_authorized.response", at, "msg", x)
        x = get("data")
        if type(x) is dict:
            data(x, at + "/data", report)
        elif x is not None:
            report.failed(CONTRACT, "accounts.list_authorized.response", at, "data", x)
        if get("code") == "APPLY_SUCCESS" and get("data") in EMPTY:
            report.rule(at, "data", "success-has-data")

    return judge
