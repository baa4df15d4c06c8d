"""Validators of spec/shared.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, START_DATE
from paywright_runtime.contract.violations import is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def money(body: dict[str, object], at: str, report: Report) -> None:
    """Money [2.3]"""
    get = body.get
    x = get("amount")
    if type(x) is not int and not is_number(x):
        report.number(at, "amount", x, required=True)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "currency", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")


def money_part(body: dict[str, object], at: str, report: Report) -> None:
    """MoneyPart [2.5, 4.5]"""
    get = body.get
    x = get("amount")
    if x is not None and type(x) is not int and not is_number(x):
        report.number(at, "amount", x)
    x = get("currency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.text(at, "currency", x, max=3, format=CURRENCY, shown="3 uppercase letters")


def trade_amount(body: dict[str, object], at: str, report: Report) -> None:
    """TradeAmount [2.3, 6.1]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or not AMOUNT(x):
        report.text(at, "amount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("currency")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "currency", x, required=True, format=CURRENCY, shown="3 uppercase letters")


def order_plan(body: dict[str, object], at: str, report: Report) -> None:
    """OrderPlan [2.3]"""
    get = body.get
    x = get("subscriptionNo")
    if x is not None and type(x) is not str:
        report.text(at, "subscriptionNo", x)
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
        period_rule_text(x, at + "/periodRule", report)
    elif x is not None:
        report.struct(at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money_part(x, at + "/periodAmount", report)
    elif x is not None:
        report.struct(at, "periodAmount", x)
    x = get("firstPeriodStartDate")
    if x is not None and (type(x) is not str or not START_DATE(x)):
        report.text(at, "firstPeriodStartDate", x, format=START_DATE, shown="an RFC 3339 time, or yyyy-MM-dd")
    x = get("trialPeriodConfig")
    if type(x) is dict:
        order_trial_periods(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.struct(at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        order_trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.struct(at, "trialConfig", x)


def period_rule_text(body: dict[str, object], at: str, report: Report) -> None:
    """PeriodRuleText [2.3]"""
    get = body.get
    x = get("periodUnit")
    if x is not None and (type(x) is not str or x not in {"M", "D", "W", "Y"}):
        report.text(at, "periodUnit", x, values=("M", "D", "W", "Y"))
    x = get("periodCount")
    if x is not None and type(x) is not str:
        report.text(at, "periodCount", x)


def order_trial_periods(body: dict[str, object], at: str, report: Report) -> None:
    """OrderTrialPeriods [2.3]"""
    get = body.get
    x = get("trialPeriodCount")
    if type(x) is not str:
        report.text(at, "trialPeriodCount", x, required=True)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money_part(x, at + "/trialPeriodAmount", report)
    else:
        report.struct(at, "trialPeriodAmount", x, required=True)


def order_trial_days(body: dict[str, object], at: str, report: Report) -> None:
    """OrderTrialDays [2.3]"""
    get = body.get
    x = get("trialAmount")
    if type(x) is dict:
        money(x, at + "/trialAmount", report)
    else:
        report.struct(at, "trialAmount", x, required=True)
    x = get("trialDays")
    if type(x) is not str:
        report.text(at, "trialDays", x, required=True)


def card_info(body: dict[str, object], at: str, report: Report) -> None:
    """CardInfo [2.8]"""
    get = body.get
    x = get("cardOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "cardOrg", x, max=32)
    x = get("country")
    if x is not None and (type(x) is not str or len(x) > 2 or not COUNTRY(x)):
        report.text(at, "country", x, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("cardType")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "cardType", x, max=32)
    x = get("totalCardOrg")
    if x is not None and type(x) is not list:
        report.array(at, "totalCardOrg", x)
    if type(x) is list:
        report.each_text(at, "totalCardOrg", x)
    x = get("type")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "type", x, max=32)
    x = get("source")
    if x is not None and (
        type(x) is not str or x not in {"CARD", "APPLEPAY", "GOOGLEPAY_PAN", "GOOGLEPAY_CRYPTOGRAM", "NETWORK_TOKEN"}
    ):
        report.text(
            at,
            "source",
            x,
            max=32,
            values=("CARD", "APPLEPAY", "GOOGLEPAY_PAN", "GOOGLEPAY_CRYPTOGRAM", "NETWORK_TOKEN"),
        )
    x = get("cardBinNo")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "cardBinNo", x, max=16)
    x = get("cardNumber")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "cardNumber", x, max=32)
    x = get("cardHolderName")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.text(at, "cardHolderName", x, max=128)
    x = get("cardLast4")
    if x is not None and (type(x) is not str or len(x) > 4):
        report.text(at, "cardLast4", x, max=4)
    x = get("cardExpirationYear")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.text(at, "cardExpirationYear", x, max=2)
    x = get("cardExpirationMonth")
    if x is not None and (type(x) is not str or len(x) > 2):
        report.text(at, "cardExpirationMonth", x, max=2)
    x = get("cardIdentifierNo")
    if x is not None and (type(x) is not str or len(x) > 19):
        report.text(at, "cardIdentifierNo", x, max=19)


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
