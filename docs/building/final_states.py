"""The table of states in `docs/audit.md`: which are final, by whose word, and in which money moved."""

from __future__ import annotations

from paywright.contract import CONTRACT

__all__ = ["SETS", "final_states"]

SETS = {
    "orders": "OrderStatus", "refunds": "RefundStatus", "exchanges": "ExchangeStatus", "withdrawals": "WithdrawStatus",
    "bank-style payments": "SnapTransactionStatus", "their refunds": "SnapRefundStatus", "transfers": "TransferStatus",
    "periods": "PeriodPaymentStatus", "tokens": "PaymentTokenStatus", "payments by link": "LinkTransactionStatus", "links": "LinkStatus",
}  # fmt: skip
"""The lists of states that the audit compares, by what people call the things."""


def final_states() -> str:
    """Return the table as the contract marks the states."""
    columns = "not final", "money moved", "final in the specification", "final in the contract alone"
    lines = [f"| things | {' | '.join(columns)} |", f"|{'---|' * (1 + len(columns))}"]
    for things, name in SETS.items():
        states = CONTRACT.set(name)
        after = {move.before: move.after for move in CONTRACT.moves() if move.set == name}
        rows: dict[str, list[str]] = {column: [] for column in columns}
        for state in states.values:
            if state not in states.ends:
                rows["not final"].append(state)
            elif state in states.stated:
                rows["final in the specification"].append(state)
            elif state in (*states.paid, *states.returned):
                only = "" if state in states.final else f" ({' or '.join(after[state])} may follow)"
                rows["money moved"].append(f"{state}{only}")
            else:
                rows["final in the contract alone"].append(state)
        lines.append(
            "|".join(("", f" {things} ", *(f" {', '.join(row)} ".replace("  ", " ") for row in rows.values()), ""))
        )
    return "\n".join(lines)
