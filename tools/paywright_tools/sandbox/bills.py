"""Bill payments: before one is made, the sandbox asks the merchant, and obeys the answer [4.18]."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright import validate
from paywright_runtime import formats, strict_json
from paywright_tools.sandbox.fields import check_entered, text, time_of, whole
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.notification_faults import keep_parcel
from paywright_tools.sandbox.posting import Answered, Parcel, Unanswered, post
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Refused, Turn

if TYPE_CHECKING:
    from paywright_tools.sandbox.engine import Engine

__all__ = ["DUE", "TABLES", "Verdict", "all_bills", "ask", "judged_bill", "shown_bill"]

TABLES: Final = """
CREATE TABLE bill_payments (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, reference_no TEXT NOT NULL, amount TEXT NOT NULL,
    currency TEXT NOT NULL, status TEXT NOT NULL, why TEXT NOT NULL, http_status INTEGER, created_at INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE INDEX bill_payments_of ON bill_payments (merchant, reference_no)
"""

_OPERATION: Final = "merchant.validate_bill_payment"
_FORGETS: Final = "bill.forgotten"
_FORGOTTEN: Final = 60
_SETTING: Final = "bill-payment-validation-url"


class Verdict(NamedTuple):
    """What becomes of a bill payment: PAID, REFUSED by the merchant, or UNANSWERED, and why."""

    status: str
    why: str
    http_status: int | None


def ask(engine: Engine, merchant: str, asked: Mapping[str, object]) -> dict[str, object]:
    """Somebody wants to pay a bill: asks the merchant, and pays it or does not. Raises `Refused` where nobody is asked."""
    (row, url), begun = engine.act(lambda turn: (_begin(turn, merchant, asked), turn.state.generation))[0]
    amount, currency, reference = Decimal(text(row, "amount")), text(row, "currency"), text(row, "reference_no")
    body = strict_json.write({"referenceNo": reference, "amount": amount, "currency": currency})
    headers = (("Content-Type", "application/json"), ("sign", engine.settings.signer.sign(body)))
    parcel = Parcel(url, headers, body)
    answer = post(parcel, engine.settings.deliver_to)
    keep_parcel(engine, _OPERATION, merchant, reference, parcel, answer)
    verdict = judged_bill(answer, reference=reference, amount=amount, currency=currency)
    return engine.act(lambda turn: _end(turn, row, verdict, begun))[0]


def _begin(turn: Turn, merchant: str, asked: Mapping[str, object]) -> tuple[Row, str]:
    registered = turn.merchant(merchant)
    url = registered.addresses.get(_SETTING) if registered else None
    if url is None:
        raise Refused(f"The merchant has no {_SETTING} in sandbox.toml: there is nobody to ask.", code="409")
    reference, currency = text(asked, "referenceNo"), str(asked.get("currency") or "PHP")
    amount = Decimal(str(asked["amount"]))
    if amount <= 0:
        raise Refused("amount must be above 0.", code="400")
    check_entered(turn, amount, currency, "amount")
    request = {"referenceNo": reference, "amount": amount, "currency": currency}
    violations = validate(_OPERATION, "request", request)
    if violations or not reference:
        where = ", ".join(sorted({at.pointer.removeprefix("/") for at in violations})) or "referenceNo"
        raise Refused(f"The contract does not let the sandbox ask so: see {where} [4.18].", code="400")
    _must_be_open(turn, merchant, reference)
    bill: dict[str, Cell] = {
        "id": turn.state.next_id("bill_payments"),
        "merchant": merchant,
        "reference_no": reference,
        "amount": written(amount),
        "currency": currency,
        "status": "ASKING",
        "why": "the merchant is being asked",
        "http_status": None,
        "created_at": instant(turn.now),
        "finished_at": None,
    }
    row = turn.state.insert("bill_payments", bill)
    turn.state.set_timer(Timer(turn.now + timedelta(seconds=_FORGOTTEN), _FORGETS, row))
    turn.state.record(turn.now, "bill.asked", reference, {"merchant": merchant, "amount": bill["amount"]})
    return bill, url


def _must_be_open(turn: Turn, merchant: str, reference: str) -> None:
    paid = "SELECT id FROM bill_payments WHERE merchant = ? AND reference_no = ? AND status = 'PAID'"
    if turn.state.one(paid, merchant, reference) is not None:
        raise Refused("The bill of this referenceNo is paid already.", code="409")


def _forget(turn: Turn, row: int) -> None:
    """Nobody came back with an answer: the sandbox was stopped while it asked."""
    bill = turn.state.one("SELECT * FROM bill_payments WHERE id = ?", row)
    assert bill is not None  # bill payments are never deleted
    _decide(turn, bill, Verdict("UNANSWERED", "the sandbox was stopped, or its clock moved, while it asked", None))


def _end(turn: Turn, row: Row, verdict: Verdict, begun: int) -> dict[str, object]:
    if turn.state.generation != begun:
        raise Refused(
            "The sandbox was reset, or a snapshot put in place, while the merchant was asked: nothing was paid.",
            code="409",
        )
    now = turn.state.one("SELECT * FROM bill_payments WHERE id = ?", whole(row, "id"))
    if now is None or now["status"] != "ASKING":
        return shown_bill(now or row)  # the clock was moved meanwhile, and it was given up
    if verdict.status == "PAID":
        try:
            _must_be_open(turn, text(row, "merchant"), text(row, "reference_no"))
        except Refused as refused:  # somebody else was faster while the merchant was asked
            verdict = Verdict("REFUSED", refused.msg, verdict.http_status)
    return _decide(turn, row, verdict)


def _decide(turn: Turn, row: Row, verdict: Verdict) -> dict[str, object]:
    changes: dict[str, Cell] = {
        "status": verdict.status,
        "why": verdict.why,
        "http_status": verdict.http_status,
        "finished_at": instant(turn.now),
    }
    turn.state.update("bill_payments", whole(row, "id"), changes)
    turn.state.drop_timers(_FORGETS, whole(row, "id"))
    shown = {"merchant": row["merchant"], "why": verdict.why}
    turn.state.record(turn.now, f"bill.{verdict.status.lower()}", text(row, "reference_no"), shown)
    return shown_bill({**row, **changes})


def judged_bill(answer: Answered | Unanswered, *, reference: str, amount: Decimal, currency: str) -> Verdict:
    """What the merchant's answer says of the payment. Only a whole yes pays."""
    if isinstance(answer, Unanswered):
        return Verdict("UNANSWERED", f"{answer.outcome}: {answer.why}", None)
    status = answer.status
    if status != 200:
        return Verdict("UNANSWERED", f"the merchant answered with HTTP status {status}", status)
    violations = validate(_OPERATION, "response", answer.body)
    if violations:
        first = violations[0]
        return Verdict(
            "UNANSWERED", f"the answer breaks the contract at {first.pointer or 'its root'}: {first.code}", 200
        )
    body = strict_json.parse(answer.body)
    assert isinstance(body, dict)  # the validator has seen it
    data = body.get("data")
    if body["code"] != "SUCCESS":
        return Verdict("UNANSWERED", "the answer's code is not SUCCESS", 200)
    if not isinstance(data, dict):
        return Verdict("UNANSWERED", "the answer has code SUCCESS and no data: it decides nothing", 200)
    return _decision(data, reference, amount, currency)


def _decision(data: Mapping[str, object], reference: str, amount: Decimal, currency: str) -> Verdict:
    if data["referenceNo"] != reference:
        return Verdict("UNANSWERED", "the answer is about another referenceNo", 200)
    if data["confirmation"] == "N":
        why = data.get("failureReason")
        return Verdict("REFUSED", why if isinstance(why, str) and why else "the merchant refused without a reason", 200)
    if data["currency"] != currency:
        return Verdict("REFUSED", "the merchant takes another currency", 200)
    least, most = (Decimal(str(data[name])) for name in ("minAmount", "maxAmount"))
    if not least <= amount <= most:
        return Verdict("REFUSED", "the amount is outside minAmount and maxAmount of the merchant's answer", 200)
    return Verdict("PAID", "the merchant confirmed", 200)


DUE: Final[Mapping[str, Due]] = {_FORGETS: _forget}


def all_bills(turn: Turn, most: int = 200) -> list[dict[str, object]]:
    """The latest bill payments, the newest first."""
    return [shown_bill(row) for row in turn.state.all("SELECT * FROM bill_payments ORDER BY id DESC LIMIT ?", most)]


def shown_bill(row: Row) -> dict[str, object]:
    """A bill payment as the control API shows it."""
    created, finished = time_of(row["created_at"]), time_of(row["finished_at"])
    return {
        "id": row["id"],
        "merchant": row["merchant"],
        "referenceNo": row["reference_no"],
        "amount": row["amount"],
        "currency": row["currency"],
        "status": row["status"],
        "why": row["why"],
        "httpStatus": row["http_status"],
        "askedAt": formats.write_request_time(created) if created else None,
        "finishedAt": formats.write_request_time(finished) if finished else None,
    }
