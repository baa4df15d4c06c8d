"""Create an order that the payer pays on the hosted cashier page, then ask what became of it.

Settings are PAYWRIGHT_* names of the environment. With a sandbox of your own:

    paywright sandbox init shop
    paywright sandbox --dir shop &
    set -a; . shop/.env; set +a
    python examples/hosted_checkout.py
"""

import sys
from decimal import Decimal
from uuid import uuid4

from paywright import AlreadyPlaced, Client, GatewayError, NotSent, OutcomeUnknown


def main() -> int:
    # Store this in your own database before you call: it is the key by which everything can be settled later.
    out_trade_no = f"ORD_{uuid4().hex}"
    with Client.from_env() as client:
        try:
            order = client.orders.checkout(
                out_trade_no=out_trade_no,
                subject="Two tickets",
                total_amount=Decimal("10.50"),
                currency="USD",
                user_id="user_7001",
                front_callback_url="https://shop.example/back",
            )
        except NotSent as error:  # no money moved: the same call may be repeated
            print(error)
            return 3
        except AlreadyPlaced as error:  # an earlier call placed it: query it, never place it anew
            print(error)
            return 5
        except OutcomeUnknown as error:  # it left, and nobody knows: query error.key until there is an answer
            print(error)
            return 5
        except GatewayError as error:  # a verified refusal
            print(error)
            return 6
        if order.redirect_url is None:  # the order exists: query it, never place another
            print("the gateway named no page to pay on")
        else:
            print(f"send the payer to {order.redirect_url}")
        print(f"{order.out_trade_no} is {order.status}")
        found = client.orders.query(out_trade_no=out_trade_no)
        print(
            f"asked again, {found.out_trade_no} is {found.status}; "
            f"settled: {found.status.is_settled if found.status else False}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
