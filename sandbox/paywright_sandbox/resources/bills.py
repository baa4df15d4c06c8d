"""Bill payments: the sandbox asks the merchant before it pays, and obeys the answer [4.18]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright import validate
from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_sandbox.delivery.attempts import breach_in_words, record_exchange
from paywright_sandbox.delivery.http_client import (
    Answered,
    OutgoingRequest,
    Unanswered,
    post,
)
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import written
from paywright_sandbox.engine.fields import text
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import (
    MERCHANT_OR_FIRST,
    Call,
    Route,
    RouteField,
    Rows,
    amount_field,
    merchant_field,
)
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import MerchantRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine

_OPERATION: Final = "merchant.validate_bill_payment"
_FORGETS: Final = "bill.forgotten"
_FORGOTTEN: Final = 60
_SETTING: Final = "bill-payment-validation-url"


@dataclass(frozen=True, kw_only=True)
class BillPayment(MerchantRow, table="bill_payments", indexes={"bill_payments_of": "(merchant, reference_no)"}):
    """A bill payment. `status` is ASKING until the merchant has answered; `amount` is decimal text."""

    reference_no: str
    amount: str
    currency: str
    status: str
    why: str
    http_status: int | None = None
    created_at: datetime
    finished_at: datetime | None = None


class BillResult(NamedTuple):
    """The result of a bill payment: PAID, REFUSED by the merchant, or UNANSWERED, and why."""

    status: str
    why: str
    http_status: int | None


def ask(engine: Engine, call: Call) -> dict[str, object]:
    """Ask the merchant whether a bill may be paid, and pay it if so; `call` has the fields of `POST bill-payments`.

    Raises `Refusal` if the merchant cannot be asked.
    """
    with engine.transaction() as context:
        (bill, url), begun = _begin(context, call), context.state.generation
    amount, currency, reference = Decimal(bill.amount), bill.currency, bill.reference_no
    body = strict_json.write({"referenceNo": reference, "amount": amount, "currency": currency})
    headers = (("Content-Type", "application/json"), ("sign", engine.settings.signer.sign(body)))
    outgoing = OutgoingRequest(url, headers, body)
    answer = post(outgoing, engine.settings)
    record_exchange(engine, _OPERATION, bill.merchant, reference, outgoing, answer)
    verdict = judged_bill(answer, reference=reference, amount=amount, currency=currency)
    with engine.transaction() as context:
        return _end(context, bill, verdict, begun)


def _begin(context: RequestContext, call: Call) -> tuple[BillPayment, str]:
    registered = merchant_field(context, call)
    merchant, url = registered.app_id, registered.addresses.get(_SETTING)
    if url is None:
        raise Refusal(f"The merchant has no {_SETTING} in sandbox.toml: there is nobody to ask.", code="409")
    reference, currency = text(call.body, "referenceNo"), str(call.body.get("currency") or "PHP")
    amount = amount_field(context, call, currency)
    request = {"referenceNo": reference, "amount": amount, "currency": currency}
    violations = validate(_OPERATION, "request", request)
    if violations:
        where = ", ".join(sorted({at.pointer.removeprefix("/") for at in violations}))
        raise Refusal(f"The question would break the contract: see {where} [4.18].", code="400")
    _must_be_open(context, merchant, reference)
    bill = context.state.add(
        BillPayment(
            merchant=merchant,
            reference_no=reference,
            amount=written(amount),
            currency=currency,
            status="ASKING",
            why="the merchant is being asked",
            created_at=context.now,
        )
    )
    context.state.set_timer(Timer(context.now + timedelta(seconds=_FORGOTTEN), _FORGETS, bill.id))
    context.state.record(context.now, "bill.asked", reference, {"merchant": merchant, "amount": bill.amount})
    return bill, url


def _must_be_open(context: RequestContext, merchant: str, reference: str) -> None:
    paid = "WHERE merchant = ? AND reference_no = ? AND status = 'PAID'"
    if context.state.find(BillPayment, paid, merchant, reference) is not None:
        raise Refusal("The bill with this referenceNo is paid already.", code="409")


def _forget(context: RequestContext, row: int) -> None:
    """Give up a payment that has no answer: the sandbox was stopped while it asked."""
    verdict = BillResult("UNANSWERED", "the sandbox was stopped, or its clock moved, while it asked", None)
    _decide(context, context.state.get(BillPayment, row), verdict)


def _end(context: RequestContext, bill: BillPayment, verdict: BillResult, begun: int) -> dict[str, object]:
    if context.state.generation != begun:
        raise Refusal(
            "The sandbox was reset or restored while the merchant was asked: nothing was paid.",
            code="409",
        )
    now = context.state.get(BillPayment, bill.id)
    if now.status != "ASKING":
        return _ROWS.shown(context, now)  # it was given up when the clock was moved
    if verdict.status == "PAID":
        try:
            _must_be_open(context, bill.merchant, bill.reference_no)
        except Refusal as refused:  # another payment was faster
            verdict = BillResult("REFUSED", refused.msg, verdict.http_status)
    return _decide(context, bill, verdict)


def _decide(context: RequestContext, bill: BillPayment, verdict: BillResult) -> dict[str, object]:
    decided = context.state.change(
        bill, status=verdict.status, why=verdict.why, http_status=verdict.http_status, finished_at=context.now
    )
    context.state.drop_timers(_FORGETS, bill.id)
    shown = {"merchant": bill.merchant, "why": verdict.why}
    context.state.record(context.now, f"bill.{verdict.status.lower()}", bill.reference_no, shown)
    return _ROWS.shown(context, decided)


def judged_bill(answer: Answered | Unanswered, *, reference: str, amount: Decimal, currency: str) -> BillResult:
    """Judge the merchant's answer. Only a complete confirmation pays."""
    if isinstance(answer, Unanswered):
        return BillResult("UNANSWERED", f"{answer.outcome}: {answer.why}", None)
    status = answer.status
    if status != 200:
        return BillResult("UNANSWERED", f"the merchant answered with HTTP status {status}", status)
    violations = validate(_OPERATION, "response", answer.body)
    if violations:
        return BillResult("UNANSWERED", breach_in_words(violations[0]), 200)
    body = strict_json.parse(answer.body)
    assert isinstance(body, dict)  # the validator has seen it
    data = body.get("data")
    if body["code"] != "SUCCESS":
        return BillResult("UNANSWERED", "the answer's code is not SUCCESS", 200)
    if not isinstance(data, dict):
        return BillResult("UNANSWERED", "the answer has code SUCCESS but no data", 200)
    return _decision(data, reference, amount, currency)


def _decision(data: Mapping[str, object], reference: str, amount: Decimal, currency: str) -> BillResult:
    if data["referenceNo"] != reference:
        return BillResult("UNANSWERED", "the answer is about another referenceNo", 200)
    if data["confirmation"] == "N":
        why = data.get("failureReason")
        return BillResult(
            "REFUSED", why if isinstance(why, str) and why else "the merchant refused without a reason", 200
        )
    if data["currency"] != currency:
        return BillResult("REFUSED", "the merchant takes another currency", 200)
    least, most = (Decimal(str(data[name])) for name in ("minAmount", "maxAmount"))
    if not least <= amount <= most:
        return BillResult("REFUSED", "the amount is outside minAmount and maxAmount of the merchant's answer", 200)
    return BillResult("PAID", "the merchant confirmed", 200)


def _shown(_: RequestContext, bill: BillPayment) -> dict[str, object]:
    return {
        "id": bill.id,
        "referenceNo": bill.reference_no,
        "amount": bill.amount,
        "currency": bill.currency,
        "status": bill.status,
        "why": bill.why,
        "httpStatus": bill.http_status,
        "askedAt": formats.write_request_time(bill.created_at),
        "finishedAt": formats.write_request_time(bill.finished_at) if bill.finished_at else None,
    }


_ROWS: Final = Rows(
    kind=BillPayment,
    path="bill-payments",
    what="bill payment",
    plural="bill payments",
    number="id",
    column="id",
    show=_shown,
)
_ROUTES: Final = (
    *_ROWS.reads(),
    Route("POST", "bill-payments", "Asks the merchant, and pays the bill if the merchant confirms it [4.18]", ask, (
        MERCHANT_OR_FIRST,
        RouteField("amount", "decimal", "amount, as decimal text or a number", required=True),
        RouteField("referenceNo", "line", "the merchant's order id", required=True),
        RouteField("currency", "currency", "such as PHP (default PHP)"),
    ), waiting=True),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="bills",
    timers={_FORGETS: _forget},
    tables=(BillPayment,),
    routes=_ROUTES,
)
