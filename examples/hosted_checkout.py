"""Create an order that the payer pays on the hosted cashier page, then ask how it stands.

    paywright sandbox init gateway
    paywright sandbox --dir gateway &
    set -a; . gateway/.env; set +a
    python examples/hosted_checkout.py ORD_1 10.50 USD

Exit codes: 0 it is open or paid, 1 it was refused or has failed, 2 nobody knows yet: money may move.
"""

import sys
from decimal import Decimal

from paywright import Client, OutcomeUnknown, PaywrightError


def main(number: str, amount: str, currency: str) -> int:
    """Place it under your own number, which you have stored: whatever becomes of the call is asked for by it."""
    with Client.from_env() as client:
        order = client.orders.checkout(
            out_trade_no=number, subject="Two tickets", total_amount=Decimal(amount), currency=currency, user_id="user_7001",
            front_callback_url="https://shop.example/back",
        )  # fmt: skip
        status = None
        try:
            status = client.orders.query(out_trade_no=number).status
        except PaywrightError as error:  # absent, throttled, unreadable, lost: it was placed all the same
            print(error, file=sys.stderr)
        finally:
            if status is None or not status.is_settled:
                print(f"send the payer to {order.redirect_url}")  # an address that no query shows again
        print(f"{number} is {status or 'placed; how it stands is not known'}")
        return 2 if status is None or not status.is_known else 0 if status.is_paid or not status.is_settled else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    if not sys.argv[2].isascii() or not sys.argv[2].replace(".", "", 1).isdigit():
        sys.exit(f"{sys.argv[2]!r} is no amount such as 10.50. Nothing was sent.")
    try:
        sys.exit(main(*sys.argv[1:]))
    except PaywrightError as error:
        print(error, file=sys.stderr)
        sys.exit(2 if isinstance(error, OutcomeUnknown) else 1)
