"""The row of a subscription plan [2.5]."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from paywright_sandbox.engine.state.tables import UNIQUE, TableRow

__all__ = ["BillingPlan"]


@dataclass(frozen=True, kw_only=True)
class BillingPlan(TableRow, table="plans", unique=("merchant, request_id",)):
    """A subscription plan. `subscription_no` is the gateway's number; amounts are decimal text.

    A period takes `count` of `unit` (D, W, M or Y). The first `promotion` periods cost `promotion_amount`; `trial_days`
    come before them. `prices` is JSON as received. `begun` counts the periods that have begun, `failing` the next charges
    that have to fail. Its way to pay is known once it is activated.
    """

    merchant: str
    request_id: str
    subscription_no: str = field(metadata=UNIQUE)
    status: str
    user_id: str
    callback_url: str
    subject: str
    description: str | None = None
    total: int
    unit: str
    count: int
    amount: str
    currency: str
    first_at: datetime | None = None
    trial_days: int
    trial_amount: str | None = None
    promotion: int
    promotion_amount: str | None = None
    prices: bytes | None = None
    created_at: datetime
    activated_at: datetime | None = None
    opens_at: datetime | None = None
    ended_at: datetime | None = None
    method: str | None = None
    target_org: str | None = None
    card: str | None = None
    token: int | None = None
    begun: int = 0
    failing: int = 0
