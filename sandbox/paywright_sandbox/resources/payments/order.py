"""The row of a payment order [2.3], shared by all resources that place, pay, refund or dispute orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow

__all__ = ["PaymentOrder"]


@dataclass(frozen=True, kw_only=True)
class PaymentOrder(
    MerchantRow,
    table="orders",
    unique=("key, merchant",),
    indexes={
        "orders_of_periods": "(period) WHERE period IS NOT NULL",
        "orders_of_plans": "(plan) WHERE plan IS NOT NULL",
        "orders_of_links": "(link) WHERE link IS NOT NULL",
    },
):
    """A payment order. `amount` is decimal text, as the merchant wrote it.

    `key` is `out_trade_no` for comparison; `trade_token` and `trade_no` are the gateway's ids. `method`, `target_org` and
    the masked `card` are the way to pay, and `allowed_cards` the card organisations it takes. `token`, `plan`, `period`
    and `link` are ids of rows. `outcome` is paid, failed or closed once `finished_at` is set.
    """

    key: str = ""
    out_trade_no: str = ""
    trade_token: str = field(default="", metadata=UNIQUE)
    trade_no: str = ""
    integrate: str
    status: str = "PENDING"
    amount: str
    currency: str
    country: str | None = None
    subject: str
    user_id: str
    reference: str | None = None
    front_callback_url: str
    notify_url: str | None = None
    created_at: datetime
    expires_at: datetime
    finished_at: datetime | None = None
    bounced_at: datetime | None = None
    response_code: str | None = None
    response_msg: str | None = None
    method: str | None = None
    target_org: str | None = None
    card: str | None = None
    binds: bool = False
    referral_code: str | None = None
    user_name: str | None = None
    token: int | None = None
    plan: int | None = None
    period: int | None = None
    link: int | None = None
    allowed_cards: str | None = None
    outcome: str | None = None

    @property
    def allowed_orgs(self) -> tuple[str, ...]:
        """The card organisations that the order takes, in capitals; empty if it takes all."""
        return tuple((self.allowed_cards or "").split())
