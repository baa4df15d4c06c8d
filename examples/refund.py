"""Give back a paid order, or a part of it, and wait for its last state.

    python examples/refund.py ORD_1 4.25 USD

Settings are PAYWRIGHT_* names of the environment, as for hosted_checkout.py. A fourth argument says for how many seconds it waits
at most (900). Exit codes: 0 the money is given back, 1 it was refused or has failed, 2 nobody knows yet: money may move.
"""

import sys
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from paywright import Client, OutcomeUnknown, PaywrightError
from paywright_receiver import Follower, MemoryLedger


def main(order: str, amount: str, currency: str, seconds: str = "900") -> int:
    """Ask for it once, under a number that follows from the order's; a second run is told that it is there already."""
    number, asked = f"REF_{order}", Decimal(amount)
    with Client.from_env() as client:
        follower = Follower(client, MemoryLedger(), book_only=True)
        follow = client.refunds.follow(
            number, refund_amount=asked, refund_currency=currency, out_trade_no=order, unknown=True
        )
        follower.open(None, follow)
        try:
            client.refunds.create(
                out_refund_no=number, refund_amount=asked, refund_currency=currency, out_trade_no=order
            )
        except OutcomeUnknown as unknown:
            print(unknown, file=sys.stderr)
        else:
            follower.placed("refunds", number)
        follower.hint("refunds", number)
        until = datetime.now(UTC) + timedelta(seconds=float(seconds))
        while (due := follower.next_due()) is not None and due <= until:
            time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()))
            print(f"asked: {follower.run_due().stopped or 'it answered'}")
        item = next(follower.items())
        print(f"{number} is {item.state or 'not known'}: {item.why}")
        return 0 if item.paid else 1 if item.status == "settled" else 2


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    if not sys.argv[2].isascii() or not sys.argv[2].replace(".", "", 1).isdigit():
        sys.exit(f"{sys.argv[2]!r} is no amount such as 10.50. Nothing was sent.")
    try:
        sys.exit(main(*sys.argv[1:]))
    except PaywrightError as error:
        sys.exit(str(error))
