"""Validators of spec/order_details.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, IP_ADDRESS, START_DATE
from paywright.validators.shared import money, money_part, order_trial_days, order_trial_periods, period_rule_text
from paywright_runtime.contract.violations import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def hosted_plan(body: dict[str, object], at: str, report: Report) -> None:
    """HostedPlan [2.3, 4.1]"""
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
        hosted_trial_periods(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.struct(at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        order_trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.struct(at, "trialConfig", x)


def hosted_trial_periods(body: dict[str, object], at: str, report: Report) -> None:
    """HostedTrialPeriods [2.3]"""
    get = body.get
    x = get("trialPeriodCount")
    if type(x) is not str:
        report.text(at, "trialPeriodCount", x, required=True)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money(x, at + "/trialPeriodAmount", report)
    else:
        report.struct(at, "trialPeriodAmount", x, required=True)


def drop_in_plan(body: dict[str, object], at: str, report: Report) -> None:
    """DropInPlan [2.3, 4.2]"""
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
        money(x, at + "/periodAmount", report)
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


def hosted_payment_detail(body: dict[str, object], at: str, report: Report) -> None:
    """HostedPaymentDetail [4.1]"""
    get = body.get
    x = get("paymentTokenID")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "paymentTokenID", x, max=64)
    x = get("paymentMethodType")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "paymentMethodType", x, max=16)
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "targetOrg", x, max=16)
    x = get("allowedCardOrg")
    if x is not None and type(x) is not list:
        report.array(at, "allowedCardOrg", x)
    if type(x) is list:
        report.each_text(at, "allowedCardOrg", x)
    x = get("tokenForFutureUse")
    if x is not None and type(x) is not bool:
        report.boolean(at, "tokenForFutureUse", x)
    x = get("merchantInitiated")
    if x is not None and type(x) is not bool:
        report.boolean(at, "merchantInitiated", x)
    x = get("mitType")
    if x is not None and (type(x) is not str or x not in {"SCHEDULED", "UNSCHEDULED"}):
        report.text(at, "mitType", x, values=("SCHEDULED", "UNSCHEDULED"))
    x = get("payAccountInfo")
    if x is not None and type(x) is not list:
        report.array(at, "payAccountInfo", x)
    if type(x) is list:
        report.each(at, "payAccountInfo", x, pay_account)
    if get("targetOrg") not in EMPTY and get("paymentMethodType") in EMPTY:
        report.rule(at, "paymentMethodType", "target-needs-method")


def pay_account(body: dict[str, object], at: str, report: Report) -> None:
    """PayAccount [4.1]"""
    get = body.get
    x = get("accountNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "accountNo", x, max=32)
    x = get("accountNoType")
    if x is not None and (type(x) is not str or x not in {"EMAIL", "PHONE", "ACCOUNT"}):
        report.text(at, "accountNoType", x, max=255, values=("EMAIL", "PHONE", "ACCOUNT"))


def drop_in_payment_detail(body: dict[str, object], at: str, report: Report) -> None:
    """DropInPaymentDetail [4.2]"""
    get = body.get
    x = get("tokenForFutureUse")
    if x is not None and type(x) is not bool:
        report.boolean(at, "tokenForFutureUse", x)
    x = get("sessionKey")
    if x is not None and type(x) is not str:
        report.text(at, "sessionKey", x)
    x = get("paymentToken")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "paymentToken", x, max=64)
    x = get("buyerInfo")
    if type(x) is dict:
        buyer_info(x, at + "/buyerInfo", report)
    else:
        report.struct(at, "buyerInfo", x, required=True)
    x = get("merchantInitiated")
    if x is not None and type(x) is not bool:
        report.boolean(at, "merchantInitiated", x)
    x = get("mitType")
    if x is not None and (type(x) is not str or x not in {"SCHEDULED", "UNSCHEDULED"}):
        report.text(at, "mitType", x, values=("SCHEDULED", "UNSCHEDULED"))


def buyer_info(body: dict[str, object], at: str, report: Report) -> None:
    """BuyerInfo [4.2]"""
    get = body.get
    x = get("clientIp")
    if type(x) is not str or not IP_ADDRESS(x):
        report.text(at, "clientIp", x, required=True, format=IP_ADDRESS, shown="an IPv4 or IPv6 address")
    x = get("userAgent")
    if type(x) is not str:
        report.text(at, "userAgent", x, required=True)


def env_info(body: dict[str, object], at: str, report: Report) -> None:
    """EnvInfo [4.1]"""
    get = body.get
    x = get("deviceId")
    if x is not None and type(x) is not str:
        report.text(at, "deviceId", x)
    x = get("deviceLanguage")
    if x is not None and type(x) is not str:
        report.text(at, "deviceLanguage", x)
    x = get("screenHeight")
    if x is not None and type(x) is not str:
        report.text(at, "screenHeight", x)
    x = get("screenWidth")
    if x is not None and type(x) is not str:
        report.text(at, "screenWidth", x)


def sub_merchant(body: dict[str, object], at: str, report: Report) -> None:
    """SubMerchant [4.1]"""
    get = body.get
    x = get("subMerchantNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "subMerchantNo", x, max=64)


def order_goods(body: dict[str, object], at: str, report: Report) -> None:
    """OrderGoods [4.1]"""
    get = body.get
    x = get("goodsId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "goodsId", x, required=True, max=64)
    x = get("goodsName")
    if type(x) is not str or len(x) > 128:
        report.text(at, "goodsName", x, required=True, max=128)
    x = get("quantity")
    if type(x) is not str or len(x) > 16:
        report.text(at, "quantity", x, required=True, max=16)
    x = get("price")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(at, "price", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("goodsCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.text(at, "goodsCurrency", x, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("showUrl")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.text(at, "showUrl", x, max=128)
    x = get("goodsCategory")
    if x is not None and type(x) is not str:
        report.text(at, "goodsCategory", x)


def shipping_info(body: dict[str, object], at: str, report: Report) -> None:
    """ShippingInfo [4.1]"""
    get = body.get
    x = get("firstName")
    if type(x) is not str or len(x) > 64:
        report.text(at, "firstName", x, required=True, max=64)
    x = get("middleName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "middleName", x, max=64)
    x = get("lastName")
    if type(x) is not str or len(x) > 64:
        report.text(at, "lastName", x, required=True, max=64)
    x = get("phoneNo")
    if type(x) is not str or len(x) > 32:
        report.text(at, "phoneNo", x, required=True, max=32)
    x = get("email")
    if type(x) is not str or len(x) > 255:
        report.text(at, "email", x, required=True, max=255)
    x = get("address1")
    if type(x) is not str or len(x) > 1024:
        report.text(at, "address1", x, required=True, max=1024)
    x = get("address2")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.text(at, "address2", x, max=1024)
    x = get("city")
    if type(x) is not str or len(x) > 64:
        report.text(at, "city", x, required=True, max=64)
    x = get("region")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "region", x, max=64)
    x = get("state")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "state", x, max=32)
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.text(at, "country", x, required=True, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("zipCode")
    if type(x) is not str or len(x) > 32:
        report.text(at, "zipCode", x, required=True, max=32)
    if get("country") in ("CA", "US", "GB", "UK", "AU") and get("state") in EMPTY:
        report.rule(at, "state", "state-where-used")


def billing_info(body: dict[str, object], at: str, report: Report) -> None:
    """BillingInfo [4.1]"""
    get = body.get
    x = get("firstName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "firstName", x, max=64)
    x = get("middleName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "middleName", x, max=64)
    x = get("lastName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "lastName", x, max=64)
    x = get("phoneNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "phoneNo", x, max=32)
    x = get("email")
    if type(x) is not str or len(x) > 255:
        report.text(at, "email", x, required=True, max=255)
    x = get("address1")
    if type(x) is not str or len(x) > 1024:
        report.text(at, "address1", x, required=True, max=1024)
    x = get("address2")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.text(at, "address2", x, max=1024)
    x = get("city")
    if type(x) is not str or len(x) > 64:
        report.text(at, "city", x, required=True, max=64)
    x = get("region")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "region", x, max=64)
    x = get("state")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "state", x, max=32)
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.text(at, "country", x, required=True, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("zipCode")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "zipCode", x, max=16)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "HostedPlan": hosted_plan,
    "HostedTrialPeriods": hosted_trial_periods,
    "DropInPlan": drop_in_plan,
    "HostedPaymentDetail": hosted_payment_detail,
    "PayAccount": pay_account,
    "DropInPaymentDetail": drop_in_payment_detail,
    "BuyerInfo": buyer_info,
    "EnvInfo": env_info,
    "SubMerchant": sub_merchant,
    "OrderGoods": order_goods,
    "ShippingInfo": shipping_info,
    "BillingInfo": billing_info,
}
