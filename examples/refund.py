"""Give back a paid order, or a part of it, and ask until the refund is done. Run twice, it is one refund.

    python examples/refund.py shop.db ORD_1 4.25 USD
    python examples/refund.py shop.db ORD_1 1.00 USD REF_ORD_1_second

The number of the refund follows from the order's, so that running it again, or twice at once, does not refund twice; a second
part of the same order needs a number of its own. It is stored in the database before the call, with all that is known of it
afterwards; see `shop.py` and docs/outcomes.md. Settings are PAYWRIGHT_* names of the environment, as for hosted_checkout.py.
"""

from __future__ import annotations

import sys
import time

from shop import Payment, PaymentTable, connect, place, settle

from paywright import Client, NoAnswer, NotSent

EXIT_CODES = {"done": 0, "accepted": 0, "not_sent": 3, "sending": 5, "unknown": 5, "refused": 6}


def main(database: str, out_trade_no: str, amount: str, currency: str, out_refund_no: str = "") -> int:
    """Refund an order, or a part of it, once."""
    key = out_refund_no or f"REF_{out_trade_no}"
    table = PaymentTable(connect(database))
    with Client.from_env() as client:
        request = {"out_trade_no": out_trade_no, "amount": amount, "currency": currency}
        print(describe(place(client, table, "refund", key, request)))
        payment = wait(client, table, key)
    print(describe(payment))
    return EXIT_CODES[payment.state]


def wait(client: Client, table: PaymentTable, key: str, patience: float = 30.0) -> Payment:
    """Ask until the refund is done, at most `patience` seconds; the job of the shop goes on from there."""
    until = time.monotonic() + patience
    while True:
        settle(client, table)
        payment = table.get("refund", key)
        if payment.state not in ("sending", "unknown", "accepted") or time.monotonic() > until:
            return payment
        if payment.state == "accepted":
            try:
                found = client.refunds.query(out_refund_no=key)
            except (NoAnswer, NotSent):
                pass  # it only reads: ask again
            else:
                if found.status is not None and found.status.is_settled:
                    return payment._replace(state="done", status=found.status)
        time.sleep(0.5)


def describe(payment: Payment) -> str:
    """Say in words how a payment stands."""
    said = f"{payment.key} is {payment.status or payment.state}"
    return f"{said}: {payment.attention}" if payment.attention else said


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
