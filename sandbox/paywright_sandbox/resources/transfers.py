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
from paywright_sandbox.engine.fields import check_entered, rest, text, written
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import (
    LISTED,
    MERCHANT_OR_FIRST,
    Call,
    Route,
    RouteField,
    in_context,
    merchant_field,
)
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import UNIQUE, TableRow

__all__ = ["RESOURCE", "receive", "reject", "settle", "shown_transfer", "transfer_of"]


@dataclass(frozen=True, kw_only=True)
class ReceivedTransfer(TableRow, table="transfers"):
    """A transfer received. `request_no` is the gateway's number of it; amounts are decimal text."""

    merchant: str
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
_LIMITS: Final = {"payerName": 256, "payerAccount": 128, "remark": 256, "country": 2}


def receive(context: RequestContext, merchant: str, asked: Mapping[str, object]) -> ReceivedTransfer:
    """Receive a transfer: TO_BE_PROVED, or at once SETTLED or REJECTED by the status in `asked`.

    `asked` has the fields of `POST transfers`. Raises `Refusal` with an HTTP status.
    """
    for name, limit in _LIMITS.items():
        if len(str(asked.get(name, ""))) > limit:
            raise Refusal(f"{name} has at most {limit} characters.", code="400")
    currency, country = text(asked, "currency"), str(asked.get("country") or "SG")
    if not _is_code(currency, 3) or not _is_code(country, 2):
        raise Refusal("currency must be three and country two capital letters, such as USD and SG.", code="400")
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
            country=country,
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
    wanted = asked.get("status", _OPEN)
    if wanted == "SETTLED":
        return settle(context, transfer)
    if wanted == "REJECTED":
        return reject(context, transfer)
    _notify(context, transfer)
    return transfer


def settle(context: RequestContext, transfer: ReceivedTransfer) -> ReceivedTransfer:
    """Settle a transfer that is TO_BE_PROVED. Raises `Refusal` (409) otherwise."""
    return _finish(context, transfer, "SETTLED")


def reject(context: RequestContext, transfer: ReceivedTransfer, why: str = "") -> ReceivedTransfer:
    """Reject a transfer that is TO_BE_PROVED with the message `why`. Raises `Refusal` (409) otherwise."""
    msg = why or "The transfer was rejected on request."
    if len(msg) > 256:
        raise Refusal("why has at most 256 characters.", code="400")
    return _finish(context, transfer, "REJECTED", "TRANSFER_REJECTED", msg)


def _finish(
    context: RequestContext, transfer: ReceivedTransfer, status: str, code: str = "", msg: str = ""
) -> ReceivedTransfer:
    if transfer.status != _OPEN:
        raise Refusal(f"The transfer is {transfer.status} already.", code="409")
    finished = context.state.change(transfer, status=status, error_code=code, error_msg=msg, finished_at=context.now)
    context.state.record(
        context.now, f"transfer.{status.lower()}", transfer.request_no, {"merchant": transfer.merchant}
    )
    _notify(context, finished)
    return finished


def _notify(context: RequestContext, transfer: ReceivedTransfer) -> None:
    data = {"data": _data(transfer)}
    if context.notify(transfer.merchant, "RECEIVE", None, data, about=transfer.request_no) is None:
        missing = {"merchant": transfer.merchant, "missing": _SETTING}
        context.state.record(context.now, "notification.unaddressed", transfer.request_no, missing)


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


def _is_code(value: str, length: int) -> bool:
    return len(value) == length and value.isascii() and value.isalpha() and value.isupper()


# Reading


def transfer_of(context: RequestContext, request_no: str) -> ReceivedTransfer:
    """Return a transfer by the gateway's number. Raises `Refusal` (404)."""
    found = context.state.find(ReceivedTransfer, "WHERE request_no = ?", request_no)
    if found is None:
        raise Refusal("There is no transfer with this requestNo.", code="404")
    return found


def shown_transfer(transfer: ReceivedTransfer) -> dict[str, object]:
    """Return a transfer for the control API: the data of its notification."""
    return {"merchant": transfer.merchant, **_data(transfer)}


# The control API


def _list(context: RequestContext, _: Call) -> Mapping[str, object]:
    rows = context.state.select(ReceivedTransfer, "ORDER BY id DESC LIMIT ?", LISTED)
    return {"transfers": [shown_transfer(row) for row in rows]}


def _with_note(context: RequestContext, transfer: ReceivedTransfer) -> Mapping[str, object]:
    """Return a transfer, with a note if its notification had no address."""
    merchant = context.merchant(transfer.merchant)
    if merchant is not None and merchant.addresses.get(_SETTING):
        return shown_transfer(transfer)
    return {**shown_transfer(transfer), "notified": f"nobody: the merchant has no {_SETTING} in sandbox.toml"}


def _receive(context: RequestContext, call: Call) -> Mapping[str, object]:
    return _with_note(context, receive(context, merchant_field(context, call).app_id, call.body))


def _one(context: RequestContext, call: Call) -> Mapping[str, object]:
    return shown_transfer(transfer_of(context, call.path["requestNo"]))


def _settle_now(context: RequestContext, call: Call) -> Mapping[str, object]:
    return _with_note(context, settle(context, transfer_of(context, call.path["requestNo"])))


def _reject_now(context: RequestContext, call: Call) -> Mapping[str, object]:
    why = str(call.body.get("why", ""))
    return _with_note(context, reject(context, transfer_of(context, call.path["requestNo"]), why))


_ROUTES: Final = (
    Route("GET", "transfers", f"The latest {LISTED} transfers received, the newest first", in_context(_list)),
    Route("POST", "transfers", "Receives a transfer for a merchant [6.1]", in_context(_receive), (
        MERCHANT_OR_FIRST,
        RouteField("amount", "decimal", "amount, as decimal text or a number", required=True),
        RouteField("currency", "string", "such as USD", required=True),
        RouteField("status", "string", "its first status (default TO_BE_PROVED)", choices=("TO_BE_PROVED", "SETTLED", "REJECTED")),
        RouteField("fee", "decimal", "the fee of the service (default 0)"),
        RouteField("tax", "decimal", "the tax (default 0)"),
        RouteField("country", "string", "country of the merchant's account (default SG)"),
        RouteField("payerName", "string", "name of the payer"),
        RouteField("payerAccount", "string", "account of the payer"),
        RouteField("remark", "string", "remark of the payer"),
    )),
    Route("GET", "transfers/{requestNo}", "One transfer", in_context(_one)),
    Route("POST", "transfers/{requestNo}/settle", "Settles a transfer that is TO_BE_PROVED", in_context(_settle_now)),
    Route("POST", "transfers/{requestNo}/reject", "Rejects a transfer that is TO_BE_PROVED", in_context(_reject_now), (
        RouteField("why", "string", "the reason for the merchant"),
    )),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="transfers",
    tables=(ReceivedTransfer,),
    routes=_ROUTES,
)
