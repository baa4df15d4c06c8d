"""Validators of spec/orders.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, CALLBACK_URL, COUNTRY, CURRENCY, HTTP_URL, MOMENT, TIME, UTCTIME, WORD
from paywright.validators.order_details import (
    billing_info,
    drop_in_payment_detail,
    drop_in_plan,
    env_info,
    hosted_payment_detail,
    hosted_plan,
    order_goods,
    shipping_info,
    sub_merchant,
)
from paywright.validators.shared import trade_amount
from paywright_runtime.contract.value_checks import EMPTY, in_range, is_number, within

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def hosted_order_created(body: dict[str, object], at: str, report: Report) -> None:
    """HostedOrderCreated [4.1, 2.3]"""
    get = body.get
    x = get("redirectUrl")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.failed(CONTRACT, "HostedOrderCreated", at, "redirectUrl", x)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "HostedOrderCreated", at, "outTradeNo", x)
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "HostedOrderCreated", at, "tradeToken", x)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "HostedOrderCreated", at, "status", x)
    x = get("qrCodeUrl")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "HostedOrderCreated", at, "qrCodeUrl", x)
    x = get("vaCode")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "HostedOrderCreated", at, "vaCode", x)
    if get("redirectUrl") in EMPTY:
        report.rule(at, "redirectUrl", "cashier-page")


def drop_in_order_created(body: dict[str, object], at: str, report: Report) -> None:
    """DropInOrderCreated [2.3]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "DropInOrderCreated", at, "outTradeNo", x)
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "DropInOrderCreated", at, "tradeToken", x)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "DropInOrderCreated", at, "status", x)
    x = get("redirectUrl")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.failed(CONTRACT, "DropInOrderCreated", at, "redirectUrl", x)
    x = get("qrCodeUrl")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "DropInOrderCreated", at, "qrCodeUrl", x)
    x = get("vaCode")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "DropInOrderCreated", at, "vaCode", x)


def order(body: dict[str, object], at: str, report: Report) -> None:
    """Order [2.3, 7]"""
    get = body.get
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "Order", at, "outTradeNo", x)
    x = get("tradeNo")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "tradeNo", x)
    x = get("status")
    if x is not None and (type(x) is not str or x not in {"SUCCESS", "FAILED", "PENDING", "BOUNCEBACK", "CLOSED"}):
        report.failed(CONTRACT, "Order", at, "status", x)
    x = get("subStatus")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "subStatus", x)
    x = get("notifyEmail")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "notifyEmail", x)
    x = get("notifyPhone")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "notifyPhone", x)
    x = get("responseCode")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "responseCode", x)
    x = get("responseMsg")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "responseMsg", x)
    x = get("reference")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "reference", x)
    x = get("redeemCode")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Order", at, "redeemCode", x)
    x = get("expiryTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.failed(CONTRACT, "Order", at, "expiryTime", x, UTCTIME)
    x = get("bounceBackTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.failed(CONTRACT, "Order", at, "bounceBackTime", x, UTCTIME)
    x = get("transactionUtcTime")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.failed(CONTRACT, "Order", at, "transactionUtcTime", x, MOMENT)
    x = get("fundsFreezeTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.failed(CONTRACT, "Order", at, "fundsFreezeTime", x, UTCTIME)
    x = get("fundsReturnTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.failed(CONTRACT, "Order", at, "fundsReturnTime", x, UTCTIME)
    x = get("payFinishTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.failed(CONTRACT, "Order", at, "payFinishTime", x, UTCTIME)
    x = get("trade")
    if type(x) is dict:
        trade_amount(x, at + "/trade", report)
    else:
        report.failed(CONTRACT, "Order", at, "trade", x)
    x = get("source")
    if type(x) is dict:
        side_amount(x, at + "/source", report)
    else:
        report.failed(CONTRACT, "Order", at, "source", x)
    x = get("destination")
    if type(x) is dict:
        side_amount(x, at + "/destination", report)
    else:
        report.failed(CONTRACT, "Order", at, "destination", x)
    x = get("additionalIdentifier")
    if type(x) is dict:
        additional_identifier(x, at + "/additionalIdentifier", report)
    elif x is not None:
        report.failed(CONTRACT, "Order", at, "additionalIdentifier", x)


def side_amount(body: dict[str, object], at: str, report: Report) -> None:
    """SideAmount [2.3]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "SideAmount", at, "amount", x, AMOUNT)
    x = get("currency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.failed(CONTRACT, "SideAmount", at, "currency", x, CURRENCY)
    x = get("exchangeRate")
    if x is not None and (type(x) is not str or not AMOUNT(x)):
        report.failed(CONTRACT, "SideAmount", at, "exchangeRate", x, AMOUNT)
    x = get("fee")
    if x is not None and (type(x) is not str or not AMOUNT(x)):
        report.failed(CONTRACT, "SideAmount", at, "fee", x, AMOUNT)
    x = get("feeCurrency")
    if x is not None and (type(x) is not str or not CURRENCY(x)):
        report.failed(CONTRACT, "SideAmount", at, "feeCurrency", x, CURRENCY)
    x = get("tax")
    if x is not None and (type(x) is not str or not AMOUNT(x)):
        report.failed(CONTRACT, "SideAmount", at, "tax", x, AMOUNT)
    x = get("taxCurrency")
    if x is not None and (type(x) is not str or not CURRENCY(x)):
        report.failed(CONTRACT, "SideAmount", at, "taxCurrency", x, CURRENCY)


def additional_identifier(body: dict[str, object], at: str, report: Report) -> None:
    """AdditionalIdentifier [2.3]"""
    get = body.get
    x = get("referenceId")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "AdditionalIdentifier", at, "referenceId", x)


def checkout_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """orders.checkout.request.data [4.1]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64 or not WORD(x):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "outTradeNo", x, WORD)
    x = get("integrate")
    if type(x) is not str or x not in {"Hosted_Checkout"}:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "integrate", x)
    x = get("subject")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "subject", x)
    x = get("totalAmount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "totalAmount", x)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "currency", x, CURRENCY)
    x = get("country")
    if x is not None and (type(x) is not str or len(x) > 2 or not COUNTRY(x)):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "country", x, COUNTRY)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "userId", x)
    x = get("language")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "language", x)
    x = get("referralCode")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "referralCode", x)
    x = get("reference")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "reference", x)
    x = get("frontCallbackUrl")
    if type(x) is not str or len(x) > 1024 or not CALLBACK_URL(x):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "frontCallbackUrl", x, CALLBACK_URL)
    x = get("notifyUrl")
    if x is not None and (type(x) is not str or len(x) > 256 or not HTTP_URL(x)):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "notifyUrl", x, HTTP_URL)
    x = get("expireTime")
    if x is not None and (type(x) is not str or len(x) > 16 or not in_range(x, (1800, 86400))):
        report.failed(CONTRACT, "orders.checkout.request.data", at, "expireTime", x)
    x = get("mitManagementUrl")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "mitManagementUrl", x)
    x = get("subscriptionPlan")
    if type(x) is dict:
        hosted_plan(x, at + "/subscriptionPlan", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "subscriptionPlan", x)
    x = get("paymentDetail")
    if type(x) is dict:
        hosted_payment_detail(x, at + "/paymentDetail", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "paymentDetail", x)
    x = get("envInfo")
    if type(x) is dict:
        env_info(x, at + "/envInfo", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "envInfo", x)
    x = get("subMerchant")
    if type(x) is dict:
        sub_merchant(x, at + "/subMerchant", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "subMerchant", x)
    x = get("goodsDetails")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "goodsDetails", x)
    if type(x) is list:
        report.each(at, "goodsDetails", x, order_goods)
    x = get("shippingInfo")
    if type(x) is dict:
        shipping_info(x, at + "/shippingInfo", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "shippingInfo", x)
    x = get("billingInfo")
    if type(x) is dict:
        billing_info(x, at + "/billingInfo", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "billingInfo", x)
    x = get("riskParams")
    if x is not None and type(x) is not dict:
        report.failed(CONTRACT, "orders.checkout.request.data", at, "riskParams", x)
    if within(body, ("paymentDetail", "paymentMethodType")) not in EMPTY and get("country") in EMPTY:
        report.rule(at, "country", "method-needs-country")


def drop_in_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """orders.drop_in.request.data [4.2]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64 or not WORD(x):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "outTradeNo", x, WORD)
    x = get("integrate")
    if type(x) is not str or x not in {"Direct_Payment"}:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "integrate", x)
    x = get("subject")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "subject", x)
    x = get("totalAmount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "totalAmount", x)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "currency", x, CURRENCY)
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "country", x, COUNTRY)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "userId", x)
    x = get("expireTime")
    if x is not None and (type(x) is not str or len(x) > 16 or not in_range(x, (1800, 86400))):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "expireTime", x)
    x = get("referralCode")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "referralCode", x)
    x = get("mitManagementUrl")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "mitManagementUrl", x)
    x = get("subscriptionPlan")
    if type(x) is dict:
        drop_in_plan(x, at + "/subscriptionPlan", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "subscriptionPlan", x)
    x = get("paymentDetail")
    if type(x) is dict:
        drop_in_payment_detail(x, at + "/paymentDetail", report)
    else:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "paymentDetail", x)
    x = get("subMerchant")
    if type(x) is dict:
        sub_merchant(x, at + "/subMerchant", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "subMerchant", x)
    x = get("language")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "language", x)
    x = get("riskParams")
    if x is not None and type(x) is not dict:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "riskParams", x)
    x = get("terminalType")
    if type(x) is not str or x not in {"WEB", "WAP", "APP"}:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "terminalType", x)
    x = get("osType")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "osType", x)
    x = get("frontCallbackUrl")
    if type(x) is not str or len(x) > 1024:
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "frontCallbackUrl", x)
    x = get("notifyUrl")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "orders.drop_in.request.data", at, "notifyUrl", x)
    if get("terminalType") in ("WAP", "APP") and get("osType") is not None and get("osType") not in ("ANDROID", "IOS"):
        report.rule(at, "osType", "os-of-wap-and-app")


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """orders.query.request [4.3, 7]"""
    get = body.get
    x = get("version")
    if type(x) is not str or len(x) > 8:
        report.failed(CONTRACT, "orders.query.request", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str or len(x) > 8:
        report.failed(CONTRACT, "orders.query.request", at, "keyVersion", x)
    x = get("requestTime")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.failed(CONTRACT, "orders.query.request", at, "requestTime", x, TIME)
    x = get("appId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "orders.query.request", at, "appId", x)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "orders.query.request", at, "merchantNo", x)
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "orders.query.request", at, "data", x)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """orders.query.request.data [4.3, 7]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or not 1 <= len(x) <= 63:
        report.failed(CONTRACT, "orders.query.request.data", at, "outTradeNo", x)


def query_response(body: dict[str, object], at: str, report: Report) -> None:
    """orders.query.response [4.3, 7]"""
    get = body.get
    x = get("code")
    if type(x) is not str:
        report.failed(CONTRACT, "orders.query.response", at, "code", x)
    x = get("msg")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "orders.query.response", at, "msg", x)
    x = get("data")
    if type(x) is dict:
        order(x, at + "/data", report)
    elif x is not None:
        report.failed(CONTRACT, "orders.query.response", at, "data", x)
    if get("code") == "APPLY_SUCCESS" and get("data") in EMPTY:
        report.rule(at, "data", "success-has-data")
    if get("code") == "ORDER_NOT_EXIST" and get("data") is not None:
        report.rule(at, "data", "absent-without-data")


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "HostedOrderCreated": hosted_order_created,
    "DropInOrderCreated": drop_in_order_created,
    "Order": order,
    "SideAmount": side_amount,
    "AdditionalIdentifier": additional_identifier,
    "orders.checkout.request": _envelopes.gateway_request(checkout_request_data),
    "orders.checkout.request.data": checkout_request_data,
    "orders.checkout.response": _envelopes.gateway_response(hosted_order_created),
    "orders.drop_in.request": _envelopes.gateway_request(drop_in_request_data),
    "orders.drop_in.request.data": drop_in_request_data,
    "orders.drop_in.response": _envelopes.gateway_response(drop_in_order_created),
    "orders.query.request": query_request,
    "orders.query.request.data": query_request_data,
    "orders.query.response": query_response,
}
