#!/usr/bin/env bash
# larzsubscription 0.1.0, seen on 2026-12-01.
# One would guess: who changes the plan in a free trial is charged nothing; who goes from a monthly to a yearly plan pays a year, less what
# is left of the month.
# What happens: the trial counts as a period that was paid: to go from 9.99 to 49.99 costs 37.14 on its second day, and back is a credit of
# that. Of the yearly price the same part is charged as of the month's: half of it for half a month, and all of it at the end of the month.
# Why it matters: a free trial is charged, or pays out, and a year is paid for one and a half times.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet larzsubscription==0.1.0 || exit 2
venv/bin/python - <<'PY'
from datetime import datetime

from larzsubscription import Plan, Subscription

BASIC, PRO = Plan("basic", "9.99", trial_days=14), Plan("pro", "49.99", trial_days=14)
MONTH, YEAR = Plan("month", "10.00", 30), Plan("year", "100.00", 365)
seen = {}
for first, then in ((BASIC, PRO), (PRO, BASIC)):
    trial = Subscription(first, start=datetime(2026, 1, 1))
    trial.change_plan(then, now=datetime(2026, 1, 2))
    seen[f"{first.name} to {then.name}"] = (trial.status, str(trial.total_billed()))
paid = Subscription(MONTH, start=datetime(2026, 1, 1))
paid.change_plan(YEAR, now=datetime(2026, 1, 16))
paid.renew(now=datetime(2026, 1, 31))
seen["month to year"] = [str(amount) for _, amount, _ in paid.invoices]
print(seen)
assert seen == {
    "basic to pro": ("trialing", "37.14"),
    "pro to basic": ("trialing", "-37.14"),
    "month to year": ["10.00", "45.00", "100.00"],
}, "this has changed"
PY
