"""Create an order that the payer pays on the hosted cashier page, then ask what became of it. Run twice, it is one order.

    paywright sandbox init gateway
    paywright sandbox --dir gateway &
    set -a; . gateway/.env; set +a
    python examples/hosted_checkout.py shop.db ORD_1 10.50 USD

The number of the order is the shop's own, stored in the database before the call: everything can be settled by it later, and
`python examples/shop.py shop.db settle` does. Settings are PAYWRIGHT_* names of the environment.
"""

from __future__ import annotations

import sys

from shop import PaymentTable, connect, place

from paywright import Client

EXIT_CODES = {"accepted": 0, "done": 0, "not_sent": 3, "sending": 5, "unknown": 5, "refused": 6}


def main(database: str, out_trade_no: str, amount: str, currency: str) -> int:
    """Place a hosted order, and print where it is paid."""
    table = PaymentTable(connect(database))
    with Client.from_env() as client:
        request = {"amount": amount, "currency": currency, "subject": "Two tickets", "user_id": "user_7001"}
        order = place(client, table, "order", out_trade_no, request)
        if order.state not in ("accepted", "done"):
            print(f"{order.key} is {order.state}. {ADVICE[order.state]}")
            return EXIT_CODES[order.state]
        if order.url:
            print(f"send the payer to {order.url}")
        found = client.orders.query(out_trade_no=out_trade_no)
        settled = found.status is not None and found.status.is_settled
        print(f"{found.out_trade_no} is {found.status}; settled: {settled}")
    return 0


ADVICE = {
    "not_sent": "Nothing left, and no money has moved: run it again.",
    "sending": "Another process is at it, or has died there: `shop.py shop.db settle` finds out.",
    "unknown": "Money may have moved: `shop.py shop.db settle` finds out. Do not order it again under another number.",
    "refused": "The gateway refused it, and no money has moved.",
}


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
