"""The console's lists of the merchants' money: exchanges, withdrawals, transfers, bills, cases and balances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.sandbox.cases import STATUSES
from paywright_tools.sandbox.pages.columns import (
    CREATED,
    MERCHANT,
    STATUS,
    Action,
    Column,
    Input,
    Related,
    Section,
    code,
    money,
    path_step,
    settled,
    whose,
)
from paywright_tools.sandbox.store import Row

__all__ = ["SECTIONS"]


def _move_case(case: Row) -> Sequence[Action]:
    results = tuple(CONTRACT.set("CaseResult").values)
    inputs = (
        Input("status", "Status", choices=STATUSES, required=True, hint="where it moves"),
        Input("caseResult", "Case result", choices=results, hint="who wins; due with DISPUTE_END"),
    )
    return (Action("Move", f"cases/{path_step(case, 'case_id')}", fixed=whose(case), inputs=inputs),)


SECTIONS: Final = (
    Section(
        "exchanges",
        "Exchanges",
        "Exchange",
        "exchanges",
        (
            code("Exchange", "out_trade_no"),
            Column("Status", "status", "status", "error_code"),
            code("Side", "side"),
            money("Amount", "transaction_amount", "transaction_ccy"),
            money("Against", "target_amount", "target_ccy"),
            Column("Rate", "rate", "number"),
            CREATED,
        ),
        "out_trade_no",
        "exchanges",
        settled("exchanges", "out_trade_no", "PENDING"),
    ),
    Section(
        "withdrawals",
        "Withdrawals",
        "Withdrawal",
        "withdrawals",
        (
            code("Withdrawal", "out_trade_no"),
            STATUS,
            money("Amount", "transaction_amount", "transaction_currency"),
            money("Becomes", "target_amount", "target_currency"),
            CREATED,
        ),
        "out_trade_no",
        "withdrawals",
        settled("withdrawals", "out_trade_no", "PROCESSING"),
    ),
    Section(
        "transfers",
        "Transfers",
        "Transfer received",
        "transfers",
        (
            code("Transfer", "request_no"),
            Column("Status", "status", "status", "error_code"),
            money(),
            Column("From", "payer_name"),
            CREATED,
        ),
        "request_no",
        "transfers",
        settled("transfers", "request_no", "TO_BE_PROVED", "reject", shared=False),
    ),
    Section(
        "bill-payments",
        "Bills",
        "Bill payment",
        "bill_payments",
        (code("Bill", "reference_no"), Column("Status", "status", "status", "why"), money(), MERCHANT, CREATED),
        "reference_no",
        "bills",
    ),
    Section(
        "cases",
        "Cases",
        "Chargeback case",
        "cases",
        (
            code("Case", "case_id"),
            Column("Status", "status", "status", "result"),
            money(),
            Column("Opened", "opened_at", "time"),
            Column("Reply by", "reply_by", "time"),
        ),
        "case_id",
        "cases",
        _move_case,
    ),
    Section(
        "balances",
        "Balances",
        "Balance",
        "balances",
        (code("Currency", "currency"), money(), MERCHANT),
        hint="balances",
        related=(
            Related(
                "Movements",
                "movements",
                "balance",
                (Column("When", "at", "time"), money(), code("Kind", "kind"), code("About", "subject")),
            ),
        ),
    ),
)
