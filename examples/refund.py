"""Give back part of a paid order, and ask until the refund is final.

    python examples/refund.py ORD_1 4.25 USD

Settings are PAYWRIGHT_* names of the environment, as for hosted_checkout.py.
"""

import sys
import time
from decimal import Decimal
from uuid import uuid4

from paywright import Client, GatewayError, OutcomeUnknown, Refund


def main(out_trade_no: str, amount: Decimal, currency: str) -> int:
    out_refund_no = f"REF_{uuid4().hex}"
    with Client.from_env() as client:
        try:
            created = client.refunds.create(
                out_refund_no=out_refund_no, out_trade_no=out_trade_no, refund_amount=amount, refund_currency=currency
            )
        except OutcomeUnknown as error:  # money may have moved: the query below settles it under the same key
            print(error)
        except GatewayError as error:
            print(error)
            return 6
        else:
            print(f"{created.out_refund_no} is {created.status}, the gateway's number is {created.refund_trade_no}")
        refund = settled(client, out_refund_no)
    print(f"{refund.out_refund_no} is {refund.status}")
    return 0


def settled(client: Client, out_refund_no: str, patience: float = 30.0) -> Refund:
    """The refund once its state is final, or as it is when the patience (seconds) is over."""
    until = time.monotonic() + patience
    while True:
        refund = client.refunds.query(out_refund_no=out_refund_no)
        if (refund.status is not None and refund.status.is_final) or time.monotonic() > until:
            return refund
        time.sleep(0.5)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], Decimal(sys.argv[2]), sys.argv[3]))
