"""Validators of spec/subscriptions.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import OFFSET_TIME
from paywright.validators.shared import money, money_part
from paywright_runtime.contract.value_checks import EMPTY, is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def new_plan(body: dict[str, object], at: str, report: Report) -> None:
    """NewPlan [4.5]"""
    get = body.get
    x = get("subject")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "NewPlan", at, "subject", x)
    x = get("description")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "NewPlan", at, "description", x)
    x = get("totalPeriods")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "NewPlan", at, "totalPeriods", x)
    x = get("firstPeriodStartDate")
    if x is not None and (type(x) is not str or not OFFSET_TIME(x)):
        report.failed(CONTRACT, "NewPlan", at, "firstPeriodStartDate", x, OFFSET_TIME)
    x = get("periodRule")
    if type(x) is dict:
        period_rule(x, at + "/periodRule", report)
    elif x is not None:
        report.failed(CONTRACT, "NewPlan", at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money(x, at + "/periodAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "NewPlan", at, "periodAmount", x)
    x = get("trialPeriodConfig")
    if type(x) is dict:
        trial_periods_part(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "NewPlan", at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "NewPlan", at, "trialConfig", x)
    x = get("prices")
    if type(x) is not list:
        report.failed(CONTRACT, "NewPlan", at, "prices", x)
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
        report.failed(CONTRACT, "PeriodRule", at, "periodUnit", x)
    x = get("periodCount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "PeriodRule", at, "periodCount", x)


def trial_periods_part(body: dict[str, object], at: str, report: Report) -> None:
    """TrialPeriodsPart [4.5]"""
    get = body.get
    x = get("trialPeriodCount")
    if x is not None and type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "TrialPeriodsPart", at, "trialPeriodCount", x)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money_part(x, at + "/trialPeriodAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "TrialPeriodsPart", at, "trialPeriodAmount", x)


def trial_days(body: dict[str, object], at: str, report: Report) -> None:
    """TrialDays [4.5, 2.5]"""
    get = body.get
    x = get("trialAmount")
    if type(x) is dict:
        money(x, at + "/trialAmount", report)
    else:
        report.failed(CONTRACT, "TrialDays", at, "trialAmount", x)
    x = get("trialDays")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "TrialDays", at, "trialDays", x)


def price(body: dict[str, object], at: str, report: Report) -> None:
    """Price [4.5]"""
    get = body.get
    x = get("priceId")
    if type(x) is not str:
        report.failed(CONTRACT, "Price", at, "priceId", x)
    x = get("quantity")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "Price", at, "quantity", x)


def price_shown(body: dict[str, object], at: str, report: Report) -> None:
    """PriceShown [2.5]"""
    get = body.get
    x = get("priceId") if get("priceId") is not None else get("priceID")
    if type(x) is not str:
        report.failed(CONTRACT, "PriceShown", at, "priceId", x)
    x = get("quantity")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "PriceShown", at, "quantity", x)


def subscription_created(body: dict[str, object], at: str, report: Report) -> None:
    """SubscriptionCreated [2.5]"""
    get = body.get
    x = get("subscriptionRequestId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "SubscriptionCreated", at, "subscriptionRequestId", x)
    x = get("subscriptionPlan")
    if type(x) is dict:
        subscription_plan(x, at + "/subscriptionPlan", report)
    else:
        report.failed(CONTRACT, "SubscriptionCreated", at, "subscriptionPlan", x)


def subscription_plan(body: dict[str, object], at: str, report: Report) -> None:
    """SubscriptionPlan [2.5]"""
    get = body.get
    x = get("subscriptionNo")
    if type(x) is not str:
        report.failed(CONTRACT, "SubscriptionPlan", at, "subscriptionNo", x)
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
        report.failed(CONTRACT, "SubscriptionPlan", at, "subscriptionStatus", x)
    x = get("subject")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "SubscriptionPlan", at, "subject", x)
    x = get("description")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "SubscriptionPlan", at, "description", x)
    x = get("totalPeriods")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "SubscriptionPlan", at, "totalPeriods", x)
    x = get("periodRule")
    if type(x) is dict:
        period_rule_shown(x, at + "/periodRule", report)
    elif x is not None:
        report.failed(CONTRACT, "SubscriptionPlan", at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money(x, at + "/periodAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "SubscriptionPlan", at, "periodAmount", x)
    x = get("trialPeriodConfig")
    if type(x) is dict:
        trial_periods_shown(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "SubscriptionPlan", at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "SubscriptionPlan", at, "trialConfig", x)
    x = get("prices")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "SubscriptionPlan", at, "prices", x)
    if type(x) is list:
        report.each(at, "prices", x, price_shown)


def period_rule_shown(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodRuleShown [2.5]"""
    get = body.get
    x = get("periodUnit")
    if type(x) is not str:
        report.failed(CONTRACT, "PeriodRuleShown", at, "periodUnit", x)
    x = get("periodCount")
    if type(x) is not str:
        report.failed(CONTRACT, "PeriodRuleShown", at, "periodCount", x)


def trial_periods_shown(body: dict[str, object], at: str, report: Report) -> None:
    """TrialPeriodsShown [2.5]"""
    get = body.get
    x = get("trialPeriodCount")
    if type(x) is not str:
        report.failed(CONTRACT, "TrialPeriodsShown", at, "trialPeriodCount", x)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money_part(x, at + "/trialPeriodAmount", report)
    else:
        report.failed(CONTRACT, "TrialPeriodsShown", at, "trialPeriodAmount", x)


def create_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """subscriptions.create.request.data [4.5]"""
    get = body.get
    x = get("subscriptionRequestId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "subscriptions.create.request.data", at, "subscriptionRequestId", x)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "subscriptions.create.request.data", at, "userId", x)
    x = get("callbackUrl")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "subscriptions.create.request.data", at, "callbackUrl", x)
    x = get("subscriptionPlan")
    if type(x) is dict:
        new_plan(x, at + "/subscriptionPlan", report)
    else:
        report.failed(CONTRACT, "subscriptions.create.request.data", at, "subscriptionPlan", x)


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
