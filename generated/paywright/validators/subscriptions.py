"""Validators of spec/subscriptions.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import OFFSET_TIME
from paywright.validators.shared import money, money_part
from paywright_runtime.contract.violations import EMPTY, is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def new_plan(body: dict[str, object], at: str, report: Report) -> None:
    """NewPlan [4.5]"""
    get = body.get
    x = get("subject")
    if type(x) is not str or len(x) > 256:
        report.text(at, "subject", x, required=True, max=256)
    x = get("description")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "description", x, max=256)
    x = get("totalPeriods")
    if type(x) is not int and not is_number(x):
        report.number(at, "totalPeriods", x, required=True)
    x = get("firstPeriodStartDate")
    if x is not None and (type(x) is not str or not OFFSET_TIME(x)):
        report.text(
            at, "firstPeriodStartDate", x, format=OFFSET_TIME, shown="an RFC 3339 time like 2025-02-26T12:00:00+00:00"
        )
    x = get("periodRule")
    if type(x) is dict:
        period_rule(x, at + "/periodRule", report)
    elif x is not None:
        report.struct(at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money(x, at + "/periodAmount", report)
    elif x is not None:
        report.struct(at, "periodAmount", x)
    x = get("trialPeriodConfig")
    if type(x) is dict:
        trial_periods_part(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.struct(at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.struct(at, "trialConfig", x)
    x = get("prices")
    if type(x) is not list:
        report.array(at, "prices", x, required=True)
    if type(x) is list:
        report.each(at, "prices", x, price)
    if get("prices") in EMPTY and get("periodRule") in EMPTY:
        report.rule(at, "periodRule", "period-or-prices")
    if get("prices") in EMPTY and get("periodAmount") in EMPTY:
        report.rule(at, "periodAmount", "period-or-prices")
    if get("prices") not in EMPTY and get("periodRule") is not None:
        report.rule(at, "periodRule", "prices-alone")
    if get("prices") not in EMPTY and get("periodAmount") is not None:
        report.rule(at, "periodAmount", "prices-alone")


def period_rule(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodRule [4.5]"""
    get = body.get
    x = get("periodUnit")
    if type(x) is not str or x not in {"M", "D", "W", "Y"}:
        report.text(at, "periodUnit", x, required=True, max=2, values=("M", "D", "W", "Y"))
    x = get("periodCount")
    if type(x) is not int and not is_number(x):
        report.number(at, "periodCount", x, required=True)


def trial_periods_part(body: dict[str, object], at: str, report: Report) -> None:
    """TrialPeriodsPart [4.5]"""
    get = body.get
    x = get("trialPeriodCount")
    if x is not None and type(x) is not int and not is_number(x):
        report.number(at, "trialPeriodCount", x)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money_part(x, at + "/trialPeriodAmount", report)
    elif x is not None:
        report.struct(at, "trialPeriodAmount", x)


def trial_days(body: dict[str, object], at: str, report: Report) -> None:
    """TrialDays [4.5, 2.5]"""
    get = body.get
    x = get("trialAmount")
    if type(x) is dict:
        money(x, at + "/trialAmount", report)
    else:
        report.struct(at, "trialAmount", x, required=True)
    x = get("trialDays")
    if type(x) is not int and not is_number(x):
        report.number(at, "trialDays", x, required=True)


def price(body: dict[str, object], at: str, report: Report) -> None:
    """Price [4.5]"""
    get = body.get
    x = get("priceId")
    if type(x) is not str:
        report.text(at, "priceId", x, required=True)
    x = get("quantity")
    if type(x) is not int and not is_number(x):
        report.number(at, "quantity", x, required=True)


def price_shown(body: dict[str, object], at: str, report: Report) -> None:
    """PriceShown [2.5]"""
    get = body.get
    x = get("priceId") if get("priceId") is not None else get("priceID")
    if type(x) is not str:
        report.text(at, "priceId", x, required=True)
    x = get("quantity")
    if type(x) is not int and not is_number(x):
        report.number(at, "quantity", x, required=True)


def subscription_created(body: dict[str, object], at: str, report: Report) -> None:
    """SubscriptionCreated [2.5]"""
    get = body.get
    x = get("subscriptionRequestId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "subscriptionRequestId", x, required=True, max=64)
    x = get("subscriptionPlan")
    if type(x) is dict:
        subscription_plan(x, at + "/subscriptionPlan", report)
    else:
        report.struct(at, "subscriptionPlan", x, required=True)


def subscription_plan(body: dict[str, object], at: str, report: Report) -> None:
    """SubscriptionPlan [2.5]"""
    get = body.get
    x = get("subscriptionNo")
    if type(x) is not str:
        report.text(at, "subscriptionNo", x, required=True)
    x = get("subscriptionStatus")
    if type(x) is not str or x not in {
        "INACTIVE",
        "ACTIVE_FAILED",
        "ACTIVE",
        "EXPIRED",
        "FINISH",
        "CANCEL",
        "TERMINATE",
    }:
        report.text(
            at,
            "subscriptionStatus",
            x,
            required=True,
            max=32,
            values=("INACTIVE", "ACTIVE_FAILED", "ACTIVE", "EXPIRED", "FINISH", "CANCEL", "TERMINATE"),
        )
    x = get("subject")
    if x is not None and type(x) is not str:
        report.text(at, "subject", x)
    x = get("description")
    if x is not None and type(x) is not str:
        report.text(at, "description", x)
    x = get("totalPeriods")
    if x is not None and type(x) is not str:
        report.text(at, "totalPeriods", x)
    x = get("periodRule")
    if type(x) is dict:
        period_rule_shown(x, at + "/periodRule", report)
    elif x is not None:
        report.struct(at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money(x, at + "/periodAmount", report)
    elif x is not None:
        report.struct(at, "periodAmount", x)
    x = get("trialPeriodConfig")
    if type(x) is dict:
        trial_periods_shown(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.struct(at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.struct(at, "trialConfig", x)
    x = get("prices")
    if x is not None and type(x) is not list:
        report.array(at, "prices", x)
    if type(x) is list:
        report.each(at, "prices", x, price_shown)


def period_rule_shown(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodRuleShown [2.5]"""
    get = body.get
    x = get("periodUnit")
    if type(x) is not str:
        report.text(at, "periodUnit", x, required=True)
    x = get("periodCount")
    if type(x) is not str:
        report.text(at, "periodCount", x, required=True)


def trial_periods_shown(body: dict[str, object], at: str, report: Report) -> None:
    """TrialPeriodsShown [2.5]"""
    get = body.get
    x = get("trialPeriodCount")
    if type(x) is not str:
        report.text(at, "trialPeriodCount", x, required=True)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money_part(x, at + "/trialPeriodAmount", report)
    else:
        report.struct(at, "trialPeriodAmount", x, required=True)


def create_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """subscriptions.create.request.data [4.5]"""
    get = body.get
    x = get("subscriptionRequestId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "subscriptionRequestId", x, required=True, max=64)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("callbackUrl")
    if type(x) is not str or len(x) > 256:
        report.text(at, "callbackUrl", x, required=True, max=256)
    x = get("subscriptionPlan")
    if type(x) is dict:
        new_plan(x, at + "/subscriptionPlan", report)
    else:
        report.struct(at, "subscriptionPlan", x, required=True)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "NewPlan": new_plan,
    "PeriodRule": period_rule,
    "TrialPeriodsPart": trial_periods_part,
    "TrialDays": trial_days,
    "Price": price,
    "PriceShown": price_shown,
    "SubscriptionCreated": subscription_created,
    "SubscriptionPlan": subscription_plan,
    "PeriodRuleShown": period_rule_shown,
    "TrialPeriodsShown": trial_periods_shown,
    "subscriptions.create.request": _envelopes.gateway_request(create_request_data),
    "subscriptions.create.request.data": create_request_data,
    "subscriptions.create.response": _envelopes.gateway_response(subscription_created),
}
