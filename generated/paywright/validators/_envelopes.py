"""Validators that messages of one envelope share."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable

from paywright.validators._formats import TIME
from paywright_runtime.contract.violations import EMPTY, Report

Validator = Callable[[dict[str, object], str, Report], None]


def gateway_request(data: Validator) -> Validator:
    """Make the validator of a request in the envelope `gateway` from that of its `data`."""

    def judge(body: dict[str, object], at: str, report: Report) -> None:
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
        if x is not None and (type(x) is not str or len(x) > 32):
            report.text(at, "merchantNo", x, max=32)
        x = get("data")
        if type(x) is dict:
            data(x, at + "/data", report)
        else:
            report.struct(at, "data", x, required=True)

    return judge


def gateway_response(data: Validator) -> Validator:
    """Make the validator of a response in the envelope `gateway` from that of its `data`."""

    def judge(body: dict[str, object], at: str, report: Report) -> None:
        get = body.get
        x = get("code")
        if type(x) is not str:
            report.text(at, "code", x, required=True)
        x = get("msg")
        if x is not None and type(x) is not str:
            report.text(at, "msg", x)
        x = get("data")
        if type(x) is dict:
            data(x, at + "/data", report)
        elif x is not None:
            report.struct(at, "data", x)
        if get("code") == "APPLY_SUCCESS" and get("data") in EMPTY:
            report.rule(at, "data", "success-has-data")

    return judge
