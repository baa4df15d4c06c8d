"""Give back a paid order, or a part of it, and wait for its last state.

    python examples/refund.py ORD_1 4.25 USD

Settings are PAYWRIGHT_* names of the environment, as for hosted_checkout.py.
"""

import sys
import time
from datetime import UTC, datetime
from decimal import Decimal

from paywright import Client, OutcomeUnknown, PaywrightError
from paywright_receiver import Follower, MemoryLedger


def main(order: str, amount: str, currency: str) -> None:
    """Ask for it once, under a number that follows from the order's; a second run is told that it is there already."""
    number, asked = f"REF_{order}", Decimal(amount)
    with Client.from_env() as client:
        follower = Follower(client, MemoryLedger())
        follower.open(None, client.refunds.follow(number, refund_amount=asked, refund_currency=currency, unknown=True))
        try:
            client.refunds.create(
                out_refund_no=number, refund_amount=asked, refund_currency=currency, out_trade_no=order
            )
        except OutcomeUnknown as unknown:
            print(unknown)
        else:
            follower.placed("refunds", number)
        follower.hint("refunds", number)
        while (due := follower.next_due()) is not None:
            time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()))
            follower.run_due()
        print(f"{number} is {next(follower.items()).state}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (PaywrightError, ValueError, ArithmeticError, TypeError) as error:
        sys.exit(str(error) if isinstance(error, PaywrightError) else __doc__)
