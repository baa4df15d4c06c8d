"""Balances worked out from the event log alone, beside the tables and movements of the sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from paywright_sandbox.engine.state.state import State

OVER = ("DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")
_KINDS = (
    "balance.credited", "exchange.created", "exchange.success", "exchange.failed", "withdrawal.created", "withdraw.finished",
    "case.opened", "case.moved",
)  # fmt: skip

Account = tuple[str, str]


def balances_from_events(state: State, first: Mapping[Account, Decimal]) -> dict[Account, Decimal]:
    """The balances by (app id, currency), from what they were at first and what happened since."""
    found = dict(first)
    paid: dict[tuple[str, str, str], tuple[Account, Decimal]] = {}
    bought: dict[tuple[str, str, str], tuple[Account, Decimal]] = {}

    def add(account: Account, amount: Decimal) -> None:
        found[account] += amount

    marks = ", ".join("?" * len(_KINDS))
    for row in state.all(f"SELECT kind, subject, detail FROM events WHERE kind IN ({marks}) ORDER BY seq", *_KINDS):
        detail: dict[str, Any] = json.loads(bytes(row["detail"]))  # type: ignore[arg-type]  # a blob
        kind, whose = str(row["kind"]), str(detail["merchant"])
        thing = (kind[:5], whose, str(row["subject"]))  # withdraw and withdrawal are one
        if kind == "balance.credited":
            add((whose, detail["currency"]), Decimal(detail["amount"]))
        elif kind == "exchange.created":
            sides = [
                ((whose, detail["pair"][:3]), Decimal(detail["amount"])),
                ((whose, detail["pair"][3:]), Decimal(detail["target"])),
            ]
            paid[thing], bought[thing] = sides if detail["side"] == "SELL" else sides[::-1]
            add(paid[thing][0], -paid[thing][1])
        elif kind == "exchange.success":
            add(*bought[thing])
        elif kind == "exchange.failed" and thing in paid:  # one that was refused at once has taken nothing
            add(*paid.pop(thing))
        elif kind == "withdrawal.created":
            paid[thing] = (whose, detail["currency"]), Decimal(detail["amount"]) + Decimal(detail["fee"])
            add(paid[thing][0], -paid[thing][1])
        elif kind == "withdraw.finished" and detail["status"] == "FAILED":
            add(*paid.pop(thing))
        elif kind == "case.opened" and detail["frozen"] is not None:
            paid[thing] = (whose, detail["currency"]), Decimal(detail["frozen"])
            add(paid[thing][0], -paid[thing][1])
        elif kind == "case.moved" and detail["status"] in OVER and detail["result"] != "FAI" and thing in paid:
            add(*paid.pop(thing))
    return found
