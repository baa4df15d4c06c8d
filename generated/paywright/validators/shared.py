"""Validators of spec/shared.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, START_DATE
from paywright_runtime.contract.value_checks import is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def money(body: dict[str, object], at: str, report: Report) -> None:
    """Money [2.3]"""
    get = body.get
    x = get("amount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "Money", at, "amount", x)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "Money", at, "currency", x, CURRENCY)


def money_part(body: dict[str, object], at: str, report: Report) -> None:
    """MoneyPart [2.5, 4.5]"""
    get = body.get
    x = get("amount")
    if x is not None and type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "MoneyPart", at, "amount", x)
    x = get("currency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.failed(CONTRACT, "MoneyPart", at, "currency", x, CURRENCY)


def trade_amount(body: dict[str, object], at: str, report: Report) -> None:
    """TradeAmount [2.3, 6.1]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or not AMOUNT(x):
        report.failed(CONTRACT, "TradeAmount", at, "amount", x, AMOUNT)
    x = get("currency")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "TradeAmount", at, "currency", x, CURRENCY)


def order_plan(body: dict[str, object], at: str, report: Report) -> None:
    """OrderPlan [2.3]"""
    get = body.get
    x = get("subscriptionNo")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "OrderPlan", at, "subscriptionNo", x)
    x = get("subject")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "OrderPlan", at, "subject", x)
    x = get("description")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "OrderPlan", at, "description", x)
    x = get("totalPeriods")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "OrderPlan", at, "totalPeriods", x)
    x = get("periodRule")
    if type(x) is dict:
        period_rule_text(x, at + "/periodRule", report)
    elif x is not None:
        report.failed(CONTRACT, "OrderPlan", at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money_part(x, at + "/periodAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "OrderPlan", at, "periodAmount", x)
    x = get("firstPeriodStartDate")
    if x is not None and (type(x) is not str or not START_DATE(x)):
        report.failed(CONTRACT, "OrderPlan", at, "firstPeriodStartDate", x, START_DATE)
    x = get("trialPeriodConfig")
    if type(x) is dict:
        order_trial_periods(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "OrderPlan", at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        order_trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "OrderPlan", at, "trialConfig", x)


def period_rule_text(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodRuleText [2.3]"""
    get = body.get
    x = get("periodUnit")
    if x is not None and (type(x) is not str or x not in {"M", "D", "W", "Y"}):
        report.failed(CONTRACT, "PeriodRuleText", at, "periodUnit", x)
    x = get("periodCount")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "PeriodRuleText", at, "periodCount", x)


def order_trial_periods(body: dict[str, object], at: str, report: Report) -> None:
    """OrderTrialPeriods [2.3]"""
    get = body.get
    x = get("trialPeriodCount")
    if type(x) is not str:
        report.failed(CONTRACT, "OrderTrialPeriods", at, "trialPeriodCount", x)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money_part(x, at + "/trialPeriodAmount", report)
    else:
        report.failed(CONTRACT, "OrderTrialPeriods", at, "trialPeriodAmount", x)


def order_trial_days(body: dict[str, object], at: str, report: Report) -> None:
    """OrderTrialDays [2.3]"""
    get = body.get
    x = get("trialAmount")
    if type(x) is dict:
        money(x, at + "/trialAmount", report)
    else:
        report.failed(CONTRACT, "OrderTrialDays", at, "trialAmount", x)
    x = get("trialDays")
    if type(x) is not str:
        report.failed(CONTRACT, "OrderTrialDays", at, "trialDays", x)


def card_info(body: dict[str, object], at: str, report: Report) -> None:
    """CardInfo [2.8]"""
    get = body.get
    x = get("cardOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "CardInfo", at, "cardOrg", x)
    x = get("country")
    if x is not None and (type(x) is not str or len(x) > 2 or not COUNTRY(x)):
        report.failed(CONTRACT, "CardInfo", at, "country", x, COUNTRY)
    x = get("cardType")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "CardInfo", at, "cardType", x)
    x = get("totalCardOrg")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "CardInfo", at, "totalCardOrg", x)
    if type(x) is list:
        report.each_text(CONTRACT, "CardInfo", at, "totalCardOrg", x)
    x = get("type")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "CardInfo", at, "type", x)
    x = get("source")
    if x is not None and (
        type(x) is not str or x not in {"CARD", "APPLEPAY", "GOOGLEPAY_PAN", "GOOGLEPAY_CRYPTOGRAM", "NETWORK_TOKEN"}
    ):
        report.failed(CONTRACT, "CardInfo", at, "source", x)
    x = get("cardBinNo")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "CardInfo", at, "cardBinNo", x)
    x = get("cardNumber")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "CardInfo", at, "cardNumber", x)
    x = get("cardHolderName")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.failed(CONTRACT, "CardInfo", at, "cardHolderName", x)
    x = get("cardLast4")
    if x is not None and (type(x) is not str or len(x) > 4):
        report.failed(CONTRACT, "CardInfo", at, "cardLast4", x)
    x = get("cardExpirationYear")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.failed(CONTRACT, "CardInfo", at, "cardExpirationYear", x)
    x = get("cardExpirationMonth")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.failed(CONTRACT, "CardInfo", at, "cardExpirationMonth", x)
    x = get("cardIdentifierNo")
    if x is not None and (type(x) is not str or len(x) > 19):
        report.failed(CONTRACT, "CardInfo", at, "cardIdentifierNo", x)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "Money": money,
    "MoneyPart": money_part,
    "TradeAmount": trade_amount,
    "OrderPlan": order_plan,
    "PeriodRuleText": period_rule_text,
    "OrderTrialPeriods": order_trial_periods,
    "OrderTrialDays": order_trial_days,
    "CardInfo": card_info,
}
