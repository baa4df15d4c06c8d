"""Transfers to the receive service: received, then settled or rejected, each time with a notification [6.1]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.delivery.outbox import KINDS
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import check_entered, rest, written
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import MERCHANT_OR_FIRST, Call, Route, RouteField, Rows, in_context, merchant_field
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow


@dataclass(frozen=True, kw_only=True)
class ReceivedTransfer(MerchantRow, table="transfers"):
    """A transfer received. `request_no` is the gateway's number of it; amounts are decimal text."""

    request_no: str = field(metadata=UNIQUE)
    channel_trade_no: str
    status: str
    amount: str
    currency: str
    fee: str
    tax: str
    country: str
    payer_name: str
    payer_account: str
    remark: str
    error_code: str
    error_msg: str
    created_at: datetime
    finished_at: datetime | None = None


_OPEN: Final = "TO_BE_PROVED"
_SETTING: Final = KINDS["RECEIVE"].setting


def _receive(context: RequestContext, call: Call) -> Mapping[str, object]:
    """Receive a transfer: TO_BE_PROVED, or at once SETTLED or REJECTED by the status in the body."""
    asked, merchant = call.body, merchant_field(context, call).app_id
    currency = text(asked, "currency")
    amount = Decimal(str(asked["amount"]))
    fee, tax = (Decimal(str(asked.get(name, "0"))) for name in ("fee", "tax"))
    if amount <= 0 or rest(amount, (fee, tax)) < 0:
        raise Refusal("amount must be above 0, and at least the sum of fee and tax.", code="400")
    for name, value in (("amount", amount), ("fee", fee), ("tax", tax)):
        check_entered(context, value, currency, name)
    transfer = context.state.add(
        ReceivedTransfer(
            merchant=merchant,
            request_no=context.number("RV", "transfers"),
            channel_trade_no=context.number("BK", "transfers"),
            status=_OPEN,
            amount=written(amount),
            currency=currency,
            fee=written(fee),
            tax=written(tax),
            country=str(asked.get("country") or "SG"),
            payer_name=str(asked.get("payerName") or "Ana Payer"),
            payer_account=str(asked.get("payerAccount") or "001-234567-8"),
            remark=str(asked.get("remark") or "Invoice"),
            error_code="",
            error_msg="",
            created_at=context.now,
        )
    )
    shown = {"merchant": merchant, "amount": transfer.amount, "currency": currency, "status": _OPEN}
    context.state.record(context.now, "transfer.received", transfer.request_no, shown)
    first = {"SETTLED": settle, "REJECTED": reject}.get(str(asked.get("status")), _notify)
    return _ROWS.shown(context, first(context, transfer))


def settle(context: RequestContext, transfer: ReceivedTransfer) -> ReceivedTransfer:
    """Settle a transfer that is TO_BE_PROVED, and return it."""
    return _finish(context, transfer, status="SETTLED")


def reject(context: RequestContext, transfer: ReceivedTransfer, why: str | None = None) -> ReceivedTransfer:
    """Reject a transfer that is TO_BE_PROVED with the message `why`, and return it."""
    msg = why or "The transfer was rejected on request."
    return _finish(context, transfer, status="REJECTED", error_code="TRANSFER_REJECTED", error_msg=msg)


def _finish(context: RequestContext, transfer: ReceivedTransfer, *, status: str, **changes: str) -> ReceivedTransfer:
    finished = context.state.change(transfer, status=status, **changes, finished_at=context.now)
    detail = {"merchant": transfer.merchant}
    context.state.record(context.now, f"transfer.{status.lower()}", transfer.request_no, detail)
    return _notify(context, finished)


def _notify(context: RequestContext, transfer: ReceivedTransfer) -> ReceivedTransfer:
    data = {"data": _data(transfer)}
    if context.notify(transfer.merchant, "RECEIVE", None, data, about=transfer.request_no) is None:
        missing = {"merchant": transfer.merchant, "missing": _SETTING}
        context.state.record(context.now, "notification.unaddressed", transfer.request_no, missing)
    return transfer


def _data(transfer: ReceivedTransfer) -> dict[str, object]:
    finished = transfer.finished_at
    currency = transfer.currency
    return {
        "requestNo": transfer.request_no,
        "channelTradeNo": transfer.channel_trade_no,
        "status": transfer.status,
        "transactionUtcTime": formats.write_request_time(transfer.created_at),
        "completeTime": formats.write_request_time(finished) if finished else "",
        "paymentDetail": {
            "payeeInfo": {
                "country": transfer.country,
                "accountNo": "8800123456",
                "accountNickName": "Sandbox account",
                "bankCode": "SANDBANK",
            },
            "payerInfo": {
                "accountNo": transfer.payer_account,
                "accountName": transfer.payer_name,
                "bankCode": "PAYERBANK",
                "bankName": "Bank of the Payer",
                "bankBranch": "Main",
            },
            "settle": _settlement(transfer),
            "trade": {"amount": transfer.amount, "currency": currency},
            "remark": transfer.remark,
        },
        "errorCode": transfer.error_code,
        "errorMsg": transfer.error_msg,
    }


def _settlement(transfer: ReceivedTransfer) -> dict[str, object]:
    """Return the settled amounts; empty before the transfer is settled."""
    names = ("amount", "currency", "fee", "feeCurrency", "tax", "taxCurrency")
    if transfer.status != "SETTLED":
        return dict.fromkeys(names, "")
    amount, fee, tax = map(Decimal, (transfer.amount, transfer.fee, transfer.tax))
    currency = transfer.currency
    values = (written(rest(amount, (fee, tax))), currency, transfer.fee, currency, transfer.tax, currency)
    return dict(zip(names, values, strict=True))


# The control API


def _shown(context: RequestContext, transfer: ReceivedTransfer) -> Mapping[str, object]:
    """Return the data of a transfer's notification, with a note if that has no address."""
    merchant = context.merchant(transfer.merchant)
    if merchant is not None and merchant.addresses.get(_SETTING):
        return _data(transfer)
    return {**_data(transfer), "notified": f"nobody: the merchant has no {_SETTING} in sandbox.toml"}


_ROWS: Final = Rows(
    kind=ReceivedTransfer,
    path="transfers",
    what="transfer",
    plural="transfers received",
    number="requestNo",
    column="request_no",
    show=_shown,
    ended=lambda transfer: transfer.status if transfer.finished_at else "",
)
_ROUTES: Final = (
    *_ROWS.reads(),
    Route("POST", "transfers", "Receives a transfer for a merchant [6.1]", in_context(_receive), (
        MERCHANT_OR_FIRST,
        RouteField("amount", "decimal", "amount, as decimal text or a number", required=True),
        RouteField("currency", "currency", "such as USD", required=True),
        RouteField("status", "string", "its first status (default TO_BE_PROVED)", choices=("TO_BE_PROVED", "SETTLED", "REJECTED")),
        RouteField("fee", "decimal", "the fee of the service (default 0)"),
        RouteField("tax", "decimal", "the tax (default 0)"),
        RouteField("country", "country", "country of the merchant's account (default SG)"),
        RouteField("payerName", "string", "name of the payer"),
        RouteField("payerAccount", "string", "account of the payer", longest=128),
        RouteField("remark", "string", "remark of the payer"),
    )),
    _ROWS.act("/settle", "Settles a transfer that is TO_BE_PROVED", lambda context, transfer, _: settle(context, transfer)),
    _ROWS.act("/reject", "Rejects a transfer that is TO_BE_PROVED",
              lambda context, transfer, call: reject(context, transfer, given(call.body, "why")),
              RouteField("why", "string", "the reason for the merchant")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="transfers",
    tables=(ReceivedTransfer,),
    routes=_ROUTES,
)
