"""Validators of spec/orders.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
from paywright_runtime.contract.violations import EMPTY, in_range, is_number, within

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def hosted_order_created(body: dict[str, object], at: str, report: Report) -> None:
    """HostedOrderCreated [4.1, 2.3]"""
    get = body.get
    x = get("redirectUrl")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.text(at, "redirectUrl", x, max=1024)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outTradeNo", x, required=True, max=64)
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.text(at, "tradeToken", x, required=True, max=64)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.text(at, "status", x, required=True, max=32)
    x = get("qrCodeUrl")
    if x is not None and type(x) is not str:
        report.text(at, "qrCodeUrl", x)
    x = get("vaCode")
    if x is not None and type(x) is not str:
        report.text(at, "vaCode", x)
    if get("redirectUrl") in EMPTY:
        report.rule(at, "redirectUrl", "cashier-page")


def drop_in_order_created(body: dict[str, object], at: str, report: Report) -> None:
    """DropInOrderCreated [2.3]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outTradeNo", x, required=True, max=64)
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.text(at, "tradeToken", x, required=True, max=64)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.text(at, "status", x, required=True, max=32)
    x = get("redirectUrl")
    if x is not None and (type(x) is not str or len(x) > 1024):
        report.text(at, "redirectUrl", x, max=1024)
    x = get("qrCodeUrl")
    if x is not None and type(x) is not str:
        report.text(at, "qrCodeUrl", x)
    x = get("vaCode")
    if x is not None and type(x) is not str:
        report.text(at, "vaCode", x)


def order(body: dict[str, object], at: str, report: Report) -> None:
    """Order [2.3, 7]"""
    get = body.get
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "outTradeNo", x, max=64)
    x = get("tradeNo")
    if x is not None and type(x) is not str:
        report.text(at, "tradeNo", x)
    x = get("status")
    if x is not None and (type(x) is not str or x not in {"SUCCESS", "FAILED", "PENDING", "BOUNCEBACK", "CLOSED"}):
        report.text(at, "status", x, max=32, values=("SUCCESS", "FAILED", "PENDING", "BOUNCEBACK", "CLOSED"))
    x = get("subStatus")
    if x is not None and type(x) is not str:
        report.text(at, "subStatus", x)
    x = get("notifyEmail")
    if x is not None and type(x) is not str:
        report.text(at, "notifyEmail", x)
    x = get("notifyPhone")
    if x is not None and type(x) is not str:
        report.text(at, "notifyPhone", x)
    x = get("responseCode")
    if x is not None and type(x) is not str:
        report.text(at, "responseCode", x)
    x = get("responseMsg")
    if x is not None and type(x) is not str:
        report.text(at, "responseMsg", x)
    x = get("reference")
    if x is not None and type(x) is not str:
        report.text(at, "reference", x)
    x = get("redeemCode")
    if x is not None and type(x) is not str:
        report.text(at, "redeemCode", x)
    x = get("expiryTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.text(at, "expiryTime", x, format=UTCTIME, shown="yyyy-MM-dd'T'HH:mm:ss Z")
    x = get("bounceBackTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.text(at, "bounceBackTime", x, format=UTCTIME, shown="yyyy-MM-dd'T'HH:mm:ss Z")
    x = get("transactionUtcTime")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.text(at, "transactionUtcTime", x, required=True, max=32, format=MOMENT, shown="an RFC 3339 time")
    x = get("fundsFreezeTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.text(at, "fundsFreezeTime", x, format=UTCTIME, shown="yyyy-MM-dd'T'HH:mm:ss Z")
    x = get("fundsReturnTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.text(at, "fundsReturnTime", x, format=UTCTIME, shown="yyyy-MM-dd'T'HH:mm:ss Z")
    x = get("payFinishTime")
    if x is not None and (type(x) is not str or not UTCTIME(x)):
        report.text(at, "payFinishTime", x, format=UTCTIME, shown="yyyy-MM-dd'T'HH:mm:ss Z")
    x = get("trade")
    if type(x) is dict:
        trade_amount(x, at + "/trade", report)
    else:
        report.struct(at, "trade", x, required=True)
    x = get("source")
    if type(x) is dict:
        side_amount(x, at + "/source", report)
    else:
        report.struct(at, "source", x, required=True)
    x = get("destination")
    if type(x) is dict:
        side_amount(x, at + "/destination", report)
    else:
        report.struct(at, "destination", x, required=True)
    x = get("additionalIdentifier")
    if type(x) is dict:
        additional_identifier(x, at + "/additionalIdentifier", report)
    elif x is not None:
        report.struct(at, "additionalIdentifier", x)


def side_amount(body: dict[str, object], at: str, report: Report) -> None:
    """SideAmount [2.3]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(at, "amount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True)
    x = get("currency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.text(at, "currency", x, required=True, format=CURRENCY, shown="3 uppercase letters", blank=True)
    x = get("exchangeRate")
    if x is not None and (type(x) is not str or not AMOUNT(x)):
        report.text(at, "exchangeRate", x, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("fee")
    if x is not None and (type(x) is not str or not AMOUNT(x)):
        report.text(at, "fee", x, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("feeCurrency")
    if x is not None and (type(x) is not str or not CURRENCY(x)):
        report.text(at, "feeCurrency", x, format=CURRENCY, shown="3 uppercase letters")
    x = get("tax")
    if x is not None and (type(x) is not str or not AMOUNT(x)):
        report.text(at, "tax", x, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("taxCurrency")
    if x is not None and (type(x) is not str or not CURRENCY(x)):
        report.text(at, "taxCurrency", x, format=CURRENCY, shown="3 uppercase letters")


def additional_identifier(body: dict[str, object], at: str, report: Report) -> None:
    """AdditionalIdentifier [2.3]"""
    get = body.get
    x = get("referenceId")
    if x is not None and type(x) is not str:
        report.text(at, "referenceId", x)


def checkout_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """orders.checkout.request.data [4.1]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64 or not WORD(x):
        report.text(at, "outTradeNo", x, required=True, max=64, format=WORD, shown="letters, digits and underscores")
    x = get("integrate")
    if type(x) is not str or x not in {"Hosted_Checkout"}:
        report.text(at, "integrate", x, required=True, max=16, values=("Hosted_Checkout",))
    x = get("subject")
    if type(x) is not str or len(x) > 256:
        report.text(at, "subject", x, required=True, max=256)
    x = get("totalAmount")
    if type(x) is not int and not is_number(x):
        report.number(at, "totalAmount", x, required=True)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "currency", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("country")
    if x is not None and (type(x) is not str or len(x) > 2 or not COUNTRY(x)):
        report.text(at, "country", x, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("language")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "language", x, max=16)
    x = get("referralCode")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "referralCode", x, max=32)
    x = get("reference")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.text(at, "reference", x, max=512)
    x = get("frontCallbackUrl")
    if type(x) is not str or len(x) > 1024 or not CALLBACK_URL(x):
        report.text(
            at,
            "frontCallbackUrl",
            x,
            required=True,
            max=1024,
            format=CALLBACK_URL,
            shown="http:// or https:// and a host, or an app scheme and ://",
        )
    x = get("notifyUrl")
    if x is not None and (type(x) is not str or len(x) > 256 or not HTTP_URL(x)):
        report.text(at, "notifyUrl", x, max=256, format=HTTP_URL, shown="http:// or https:// and a host")
    x = get("expireTime")
    if x is not None and (type(x) is not str or len(x) > 16 or not in_range(x, (1800, 86400))):
        report.text(at, "expireTime", x, max=16, range=(1800, 86400))
    x = get("mitManagementUrl")
    if x is not None and type(x) is not str:
        report.text(at, "mitManagementUrl", x)
    x = get("subscriptionPlan")
    if type(x) is dict:
        hosted_plan(x, at + "/subscriptionPlan", report)
    elif x is not None:
        report.struct(at, "subscriptionPlan", x)
    x = get("paymentDetail")
    if type(x) is dict:
        hosted_payment_detail(x, at + "/paymentDetail", report)
    elif x is not None:
        report.struct(at, "paymentDetail", x)
    x = get("envInfo")
    if type(x) is dict:
        env_info(x, at + "/envInfo", report)
    elif x is not None:
        report.struct(at, "envInfo", x)
    x = get("subMerchant")
    if type(x) is dict:
        sub_merchant(x, at + "/subMerchant", report)
    elif x is not None:
        report.struct(at, "subMerchant", x)
    x = get("goodsDetails")
    if x is not None and type(x) is not list:
        report.array(at, "goodsDetails", x)
    if type(x) is list:
        report.each(at, "goodsDetails", x, order_goods)
    x = get("shippingInfo")
    if type(x) is dict:
        shipping_info(x, at + "/shippingInfo", report)
    elif x is not None:
        report.struct(at, "shippingInfo", x)
    x = get("billingInfo")
    if type(x) is dict:
        billing_info(x, at + "/billingInfo", report)
    elif x is not None:
        report.struct(at, "billingInfo", x)
    x = get("riskParams")
    if x is not None and type(x) is not dict:
        report.struct(at, "riskParams", x)
    if within(body, "paymentDetail", "paymentMethodType") not in EMPTY and get("country") in EMPTY:
        report.rule(at, "country", "method-needs-country")


def drop_in_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """orders.drop_in.request.data [4.2]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64 or not WORD(x):
        report.text(at, "outTradeNo", x, required=True, max=64, format=WORD, shown="letters, digits and underscores")
    x = get("integrate")
    if type(x) is not str or x not in {"Direct_Payment"}:
        report.text(at, "integrate", x, required=True, max=16, values=("Direct_Payment",))
    x = get("subject")
    if type(x) is not str or len(x) > 256:
        report.text(at, "subject", x, required=True, max=256)
    x = get("totalAmount")
    if type(x) is not int and not is_number(x):
        report.number(at, "totalAmount", x, required=True)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "currency", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.text(at, "country", x, required=True, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("expireTime")
    if x is not None and (type(x) is not str or len(x) > 16 or not in_range(x, (1800, 86400))):
        report.text(at, "expireTime", x, max=16, range=(1800, 86400))
    x = get("referralCode")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "referralCode", x, max=32)
    x = get("mitManagementUrl")
    if x is not None and type(x) is not str:
        report.text(at, "mitManagementUrl", x)
    x = get("subscriptionPlan")
    if type(x) is dict:
        drop_in_plan(x, at + "/subscriptionPlan", report)
    elif x is not None:
        report.struct(at, "subscriptionPlan", x)
    x = get("paymentDetail")
    if type(x) is dict:
        drop_in_payment_detail(x, at + "/paymentDetail", report)
    else:
        report.struct(at, "paymentDetail", x, required=True)
    x = get("subMerchant")
    if type(x) is dict:
        sub_merchant(x, at + "/subMerchant", report)
    elif x is not None:
        report.struct(at, "subMerchant", x)
    x = get("language")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "language", x, max=16)
    x = get("riskParams")
    if x is not None and type(x) is not dict:
        report.struct(at, "riskParams", x)
    x = get("terminalType")
    if type(x) is not str or x not in {"WEB", "WAP", "APP"}:
        report.text(at, "terminalType", x, required=True, max=3, values=("WEB", "WAP", "APP"))
    x = get("osType")
    if x is not None and type(x) is not str:
        report.text(at, "osType", x)
    x = get("frontCallbackUrl")
    if type(x) is not str or len(x) > 1024:
        report.text(at, "frontCallbackUrl", x, required=True, max=1024)
    x = get("notifyUrl")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "notifyUrl", x, max=256)
    if get("terminalType") in ("WAP", "APP") and get("osType") is not None and get("osType") not in ("ANDROID", "IOS"):
        report.rule(at, "osType", "os-of-wap-and-app")


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """orders.query.request [4.3, 7]"""
    get = body.get
    x = get("version")
    if type(x) is not str or len(x) > 8:
        report.text(at, "version", x, required=True, max=8)
    x = get("keyVersion")
    if type(x) is not str or len(x) > 8:
        report.text(at, "keyVersion", x, required=True, max=8)
    x = get("requestTime")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.text(at, "requestTime", x, required=True, max=32, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("appId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "appId", x, required=True, max=64)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "merchantNo", x, max=32)
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """orders.query.request.data [4.3, 7]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or not 1 <= len(x) <= 63:
        report.text(at, "outTradeNo", x, required=True, min=1, max=63)


def query_response(body: dict[str, object], at: str, report: Report) -> None:
    """orders.query.response [4.3, 7]"""
    get = body.get
    x = get("code")
    if type(x) is not str:
        report.text(at, "code", x, required=True)
    x = get("msg")
    if x is not None and type(x) is not str:
        report.text(at, "msg", x)
    x = get("data")
    if type(x) is dict:
        order(x, at + "/data", report)
    elif x is not None:
        report.struct(at, "data", x)
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
