"""Transfers to the receive service: received, then settled or rejected, and told to the merchant each time [6.1]."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from paywright_runtime import formats
from paywright_tools.sandbox.fields import check_entered, text, time_of, whole
from paywright_tools.sandbox.money import rest, written
from paywright_tools.sandbox.store import Cell, Row, instant
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["TABLES", "all_transfers", "receive", "reject", "settle", "shown_transfer", "transfer_of"]

TABLES: Final = """
CREATE TABLE transfers (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, request_no TEXT NOT NULL UNIQUE, channel_trade_no TEXT NOT NULL,
    status TEXT NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL, fee TEXT NOT NULL, tax TEXT NOT NULL,
    country TEXT NOT NULL, payer_name TEXT NOT NULL, payer_account TEXT NOT NULL, remark TEXT NOT NULL,
    error_code TEXT NOT NULL, error_msg TEXT NOT NULL, created_at INTEGER NOT NULL, finished_at INTEGER
)
"""

_OPEN: Final = "TO_BE_PROVED"
_LIMITS: Final = {"payerName": 256, "payerAccount": 128, "remark": 256, "country": 2}


def receive(turn: Turn, merchant: str, asked: Mapping[str, object]) -> Row:
    """A transfer has come in: TO_BE_PROVED, and in the same moment SETTLED or REJECTED where `asked` says so."""
    for name, limit in _LIMITS.items():
        if len(str(asked.get(name, ""))) > limit:
            raise Refused(f"{name} has at most {limit} characters.", code="400")
    currency, country = text(asked, "currency"), str(asked.get("country") or "SG")
    if not _is_code(currency, 3) or not _is_code(country, 2):
        raise Refused("currency is three and country two capital letters, such as USD and SG.", code="400")
    amount = Decimal(str(asked["amount"]))
    fee, tax = (Decimal(str(asked.get(name, "0"))) for name in ("fee", "tax"))
    if amount <= 0 or rest(amount, (fee, tax)) < 0:
        raise Refused("amount must be above 0, and at least fee and tax together.", code="400")
    for name, value in (("amount", amount), ("fee", fee), ("tax", tax)):
        check_entered(turn, value, currency, name)
    transfer: dict[str, Cell] = {
        "id": turn.state.next_id("transfers"),
        "merchant": merchant,
        "request_no": turn.number("RV", "transfers"),
        "channel_trade_no": turn.number("BK", "transfers"),
        "status": _OPEN,
        "amount": written(amount),
        "currency": currency,
        "fee": written(fee),
        "tax": written(tax),
        "country": country,
        "payer_name": str(asked.get("payerName") or "Ana Payer"),
        "payer_account": str(asked.get("payerAccount") or "001-234567-8"),
        "remark": str(asked.get("remark") or "Invoice"),
        "error_code": "",
        "error_msg": "",
        "created_at": instant(turn.now),
        "finished_at": None,
    }
    turn.state.insert("transfers", transfer)
    shown = {"merchant": merchant, "amount": transfer["amount"], "currency": currency, "status": _OPEN}
    turn.state.record(turn.now, "transfer.received", text(transfer, "request_no"), shown)
    wanted = asked.get("status", _OPEN)
    if wanted == "SETTLED":
        return settle(turn, transfer)
    if wanted == "REJECTED":
        return reject(turn, transfer)
    _tell(turn, transfer)
    return transfer


def settle(turn: Turn, transfer: Row) -> Row:
    """The transfer is successful and settled."""
    return _finish(turn, transfer, {"status": "SETTLED"})


def reject(turn: Turn, transfer: Row, why: str = "") -> Row:
    """The transfer failed and goes back to its payer."""
    code = turn.policies.text("rejected-transfer-code")
    msg = why or "The transfer was rejected: the sandbox was told so."
    if len(msg) > 256:
        raise Refused("why has at most 256 characters.", code="400")
    return _finish(turn, transfer, {"status": "REJECTED", "error_code": code, "error_msg": msg})


def _finish(turn: Turn, transfer: Row, changes: dict[str, Cell]) -> Row:
    if transfer["status"] != _OPEN:
        raise Refused(f"The transfer is {text(transfer, 'status')} already.", code="409")
    changes["finished_at"] = instant(turn.now)
    turn.state.update("transfers", whole(transfer, "id"), changes)
    status = text(changes, "status")
    turn.state.record(
        turn.now, f"transfer.{status.lower()}", text(transfer, "request_no"), {"merchant": transfer["merchant"]}
    )
    finished = {**transfer, **changes}
    _tell(turn, finished)
    return finished


def _tell(turn: Turn, transfer: Row) -> None:
    turn.notify(
        text(transfer, "merchant"), "RECEIVE", None, {"data": _data(transfer)}, about=text(transfer, "request_no")
    )


def _data(transfer: Row) -> dict[str, object]:
    created, finished = time_of(transfer["created_at"]), time_of(transfer["finished_at"])
    assert created is not None  # a transfer always has it
    currency = transfer["currency"]
    return {
        "requestNo": transfer["request_no"],
        "channelTradeNo": transfer["channel_trade_no"],
        "status": transfer["status"],
        "transactionUtcTime": formats.write_request_time(created),
        "completeTime": formats.write_request_time(finished) if finished else "",
        "paymentDetail": {
            "payeeInfo": {
                "country": transfer["country"],
                "accountNo": "8800123456",
                "accountNickName": "Sandbox account",
                "bankCode": "SANDBANK",
            },
            "payerInfo": {
                "accountNo": transfer["payer_account"],
                "accountName": transfer["payer_name"],
                "bankCode": "PAYERBANK",
                "bankName": "Bank of the Payer",
                "bankBranch": "Main",
            },
            "settle": _settlement(transfer),
            "trade": {"amount": transfer["amount"], "currency": currency},
            "remark": transfer["remark"],
        },
        "errorCode": transfer["error_code"],
        "errorMsg": transfer["error_msg"],
    }


def _settlement(transfer: Row) -> dict[str, object]:
    """What was settled: nothing of it stands before the transfer is."""
    names = ("amount", "currency", "fee", "feeCurrency", "tax", "taxCurrency")
    if transfer["status"] != "SETTLED":
        return dict.fromkeys(names, "")
    amount, fee, tax = (Decimal(text(transfer, name)) for name in ("amount", "fee", "tax"))
    currency = transfer["currency"]
    values = (written(rest(amount, (fee, tax))), currency, transfer["fee"], currency, transfer["tax"], currency)
    return dict(zip(names, values, strict=True))


def _is_code(value: str, length: int) -> bool:
    return len(value) == length and value.isascii() and value.isalpha() and value.isupper()


# Asking


def transfer_of(turn: Turn, request_no: str) -> Row:
    """A transfer by its number. Raises `Refused`."""
    found = turn.state.one("SELECT * FROM transfers WHERE request_no = ?", request_no)
    if found is None:
        raise Refused("There is no transfer of this requestNo.", code="404")
    return found


def all_transfers(turn: Turn, most: int = 200) -> list[dict[str, object]]:
    """The latest transfers, the newest first."""
    return [shown_transfer(row) for row in turn.state.all("SELECT * FROM transfers ORDER BY id DESC LIMIT ?", most)]


def shown_transfer(transfer: Row) -> dict[str, object]:
    """A transfer as the control API shows it: with the data of its notification."""
    return {"merchant": transfer["merchant"], **_data(transfer)}
