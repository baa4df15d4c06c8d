"""Create an order that the payer pays on the hosted cashier page, then ask how it stands.

paywright sandbox init gateway
paywright sandbox --dir gateway &
set -a; . gateway/.env; set +a
python examples/hosted_checkout.py ORD_1 10.50 USD
"""

import sys
from decimal import Decimal

from paywright import Client, PaywrightError


def main(number: str, amount: str, currency: str) -> None:
    """Place it under your own number, which you have stored: whatever becomes of the call is asked for by it."""
    with Client.from_env() as client:
        order = client.orders.checkout(
            out_trade_no=number, subject="Two tickets", total_amount=Decimal(amount), currency=currency, user_id="user_7001",
            front_callback_url="https://shop.example/back",
        )  # fmt: skip
        print(f"send the payer to {order.redirect_url}")
        print(f"{number} is {client.orders.query(out_trade_no=number).status}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (PaywrightError, ValueError, ArithmeticError, TypeError) as error:
        sys.exit(str(error) if isinstance(error, PaywrightError) else __doc__)
