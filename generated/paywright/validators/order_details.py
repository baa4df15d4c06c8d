"""Validators of spec/order_details.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, IP_ADDRESS, START_DATE
from paywright.validators.shared import money, money_part, order_trial_days, order_trial_periods, period_rule_text
from paywright_runtime.contract.value_checks import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def hosted_plan(body: dict[str, object], at: str, report: Report) -> None:
    """HostedPlan [2.3, 4.1]"""
    get = body.get
    x = get("subscriptionNo")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "HostedPlan", at, "subscriptionNo", x)
    x = get("subject")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "HostedPlan", at, "subject", x)
    x = get("description")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "HostedPlan", at, "description", x)
    x = get("totalPeriods")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "HostedPlan", at, "totalPeriods", x)
    x = get("periodRule")
    if type(x) is dict:
        period_rule_text(x, at + "/periodRule", report)
    elif x is not None:
        report.failed(CONTRACT, "HostedPlan", at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money_part(x, at + "/periodAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "HostedPlan", at, "periodAmount", x)
    x = get("firstPeriodStartDate")
    if x is not None and (type(x) is not str or not START_DATE(x)):
        report.failed(CONTRACT, "HostedPlan", at, "firstPeriodStartDate", x, START_DATE)
    x = get("trialPeriodConfig")
    if type(x) is dict:
        hosted_trial_periods(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "HostedPlan", at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        order_trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "HostedPlan", at, "trialConfig", x)


def hosted_trial_periods(body: dict[str, object], at: str, report: Report) -> None:
    """HostedTrialPeriods [2.3]"""
    get = body.get
    x = get("trialPeriodCount")
    if type(x) is not str:
        report.failed(CONTRACT, "HostedTrialPeriods", at, "trialPeriodCount", x)
    x = get("trialPeriodAmount")
    if type(x) is dict:
        money(x, at + "/trialPeriodAmount", report)
    else:
        report.failed(CONTRACT, "HostedTrialPeriods", at, "trialPeriodAmount", x)


def drop_in_plan(body: dict[str, object], at: str, report: Report) -> None:
    """DropInPlan [2.3, 4.2]"""
    get = body.get
    x = get("subscriptionNo")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "DropInPlan", at, "subscriptionNo", x)
    x = get("subject")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "DropInPlan", at, "subject", x)
    x = get("description")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "DropInPlan", at, "description", x)
    x = get("totalPeriods")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "DropInPlan", at, "totalPeriods", x)
    x = get("periodRule")
    if type(x) is dict:
        period_rule_text(x, at + "/periodRule", report)
    elif x is not None:
        report.failed(CONTRACT, "DropInPlan", at, "periodRule", x)
    x = get("periodAmount")
    if type(x) is dict:
        money(x, at + "/periodAmount", report)
    elif x is not None:
        report.failed(CONTRACT, "DropInPlan", at, "periodAmount", x)
    x = get("firstPeriodStartDate")
    if x is not None and (type(x) is not str or not START_DATE(x)):
        report.failed(CONTRACT, "DropInPlan", at, "firstPeriodStartDate", x, START_DATE)
    x = get("trialPeriodConfig")
    if type(x) is dict:
        order_trial_periods(x, at + "/trialPeriodConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "DropInPlan", at, "trialPeriodConfig", x)
    x = get("trialConfig")
    if type(x) is dict:
        order_trial_days(x, at + "/trialConfig", report)
    elif x is not None:
        report.failed(CONTRACT, "DropInPlan", at, "trialConfig", x)


def hosted_payment_detail(body: dict[str, object], at: str, report: Report) -> None:
    """HostedPaymentDetail [4.1]"""
    get = body.get
    x = get("paymentTokenID")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "HostedPaymentDetail", at, "paymentTokenID", x)
    x = get("paymentMethodType")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "HostedPaymentDetail", at, "paymentMethodType", x)
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "HostedPaymentDetail", at, "targetOrg", x)
    x = get("allowedCardOrg")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "HostedPaymentDetail", at, "allowedCardOrg", x)
    if type(x) is list:
        report.each_text(CONTRACT, "HostedPaymentDetail", at, "allowedCardOrg", x)
    x = get("tokenForFutureUse")
    if x is not None and type(x) is not bool:
        report.failed(CONTRACT, "HostedPaymentDetail", at, "tokenForFutureUse", x)
    x = get("merchantInitiated")
    if x is not None and type(x) is not bool:
        report.failed(CONTRACT, "HostedPaymentDetail", at, "merchantInitiated", x)
    x = get("mitType")
    if x is not None and (type(x) is not str or x not in {"SCHEDULED", "UNSCHEDULED"}):
        report.failed(CONTRACT, "HostedPaymentDetail", at, "mitType", x)
    x = get("payAccountInfo")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "HostedPaymentDetail", at, "payAccountInfo", x)
    if type(x) is list:
        report.each(at, "payAccountInfo", x, pay_account)
    if get("targetOrg") not in EMPTY and get("paymentMethodType") in EMPTY:
        report.rule(at, "paymentMethodType", "target-needs-method")


def pay_account(body: dict[str, object], at: str, report: Report) -> None:
    """PayAccount [4.1]"""
    get = body.get
    x = get("accountNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PayAccount", at, "accountNo", x)
    x = get("accountNoType")
    if x is not None and (type(x) is not str or x not in {"EMAIL", "PHONE", "ACCOUNT"}):
        report.failed(CONTRACT, "PayAccount", at, "accountNoType", x)


def drop_in_payment_detail(body: dict[str, object], at: str, report: Report) -> None:
    """DropInPaymentDetail [4.2]"""
    get = body.get
    x = get("tokenForFutureUse")
    if x is not None and type(x) is not bool:
        report.failed(CONTRACT, "DropInPaymentDetail", at, "tokenForFutureUse", x)
    x = get("sessionKey")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "DropInPaymentDetail", at, "sessionKey", x)
    x = get("paymentToken")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "DropInPaymentDetail", at, "paymentToken", x)
    x = get("buyerInfo")
    if type(x) is dict:
        buyer_info(x, at + "/buyerInfo", report)
    else:
        report.failed(CONTRACT, "DropInPaymentDetail", at, "buyerInfo", x)
    x = get("merchantInitiated")
    if x is not None and type(x) is not bool:
        report.failed(CONTRACT, "DropInPaymentDetail", at, "merchantInitiated", x)
    x = get("mitType")
    if x is not None and (type(x) is not str or x not in {"SCHEDULED", "UNSCHEDULED"}):
        report.failed(CONTRACT, "DropInPaymentDetail", at, "mitType", x)


def buyer_info(body: dict[str, object], at: str, report: Report) -> None:
    """BuyerInfo [4.2]"""
    get = body.get
    x = get("clientIp")
    if type(x) is not str or not IP_ADDRESS(x):
        report.failed(CONTRACT, "BuyerInfo", at, "clientIp", x, IP_ADDRESS)
    x = get("userAgent")
    if type(x) is not str:
        report.failed(CONTRACT, "BuyerInfo", at, "userAgent", x)


def env_info(body: dict[str, object], at: str, report: Report) -> None:
    """EnvInfo [4.1]"""
    get = body.get
    x = get("deviceId")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "EnvInfo", at, "deviceId", x)
    x = get("deviceLanguage")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "EnvInfo", at, "deviceLanguage", x)
    x = get("screenHeight")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "EnvInfo", at, "screenHeight", x)
    x = get("screenWidth")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "EnvInfo", at, "screenWidth", x)


def sub_merchant(body: dict[str, object], at: str, report: Report) -> None:
    """SubMerchant [4.1]"""
    get = body.get
    x = get("subMerchantNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "SubMerchant", at, "subMerchantNo", x)


def order_goods(body: dict[str, object], at: str, report: Report) -> None:
    """OrderGoods [4.1]"""
    get = body.get
    x = get("goodsId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "OrderGoods", at, "goodsId", x)
    x = get("goodsName")
    if type(x) is not str or len(x) > 128:
        report.failed(CONTRACT, "OrderGoods", at, "goodsName", x)
    x = get("quantity")
    if type(x) is not str or len(x) > 16:
        report.failed(CONTRACT, "OrderGoods", at, "quantity", x)
    x = get("price")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "OrderGoods", at, "price", x, AMOUNT)
    x = get("goodsCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.failed(CONTRACT, "OrderGoods", at, "goodsCurrency", x, CURRENCY)
    x = get("showUrl")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.failed(CONTRACT, "OrderGoods", at, "showUrl", x)
    x = get("goodsCategory")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "OrderGoods", at, "goodsCategory", x)


def shipping_info(body: dict[str, object], at: str, report: Report) -> None:
    """ShippingInfo [4.1]"""
    get = body.get
    x = get("firstName")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "ShippingInfo", at, "firstName", x)
    x = get("middleName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "ShippingInfo", at, "middleName", x)
    x = get("lastName")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "ShippingInfo", at, "lastName", x)
    x = get("phoneNo")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "ShippingInfo", at, "phoneNo", x)
    x = get("email")
    if type(x) is not str or len(x) > 255:
        report.failed(CONTRACT, "ShippingInfo", at, "email", x)
    x = get("address1")
    if type(x) is not str or len(x) > 1024:
        report.failed(CONTRACT, "ShippingInfo", at, "address1", x)
    x = get("address2")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.failed(CONTRACT, "ShippingInfo", at, "address2", x)
    x = get("city")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "ShippingInfo", at, "city", x)
    x = get("region")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "ShippingInfo", at, "region", x)
    x = get("state")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "ShippingInfo", at, "state", x)
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.failed(CONTRACT, "ShippingInfo", at, "country", x, COUNTRY)
    x = get("zipCode")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "ShippingInfo", at, "zipCode", x)
    if get("country") in ("CA", "US", "GB", "UK", "AU") and get("state") in EMPTY:
        report.rule(at, "state", "state-where-used")


def billing_info(body: dict[str, object], at: str, report: Report) -> None:
    """BillingInfo [4.1]"""
    get = body.get
    x = get("firstName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "BillingInfo", at, "firstName", x)
    x = get("middleName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "BillingInfo", at, "middleName", x)
    x = get("lastName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "BillingInfo", at, "lastName", x)
    x = get("phoneNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "BillingInfo", at, "phoneNo", x)
    x = get("email")
    if type(x) is not str or len(x) > 255:
        report.failed(CONTRACT, "BillingInfo", at, "email", x)
    x = get("address1")
    if type(x) is not str or len(x) > 1024:
        report.failed(CONTRACT, "BillingInfo", at, "address1", x)
    x = get("address2")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.failed(CONTRACT, "BillingInfo", at, "address2", x)
    x = get("city")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BillingInfo", at, "city", x)
    x = get("region")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "BillingInfo", at, "region", x)
    x = get("state")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "BillingInfo", at, "state", x)
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.failed(CONTRACT, "BillingInfo", at, "country", x, COUNTRY)
    x = get("zipCode")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "BillingInfo", at, "zipCode", x)


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
