#!/usr/bin/env bash
# croniter-rs 0.2.0, pychronotab 1.0.7 and croniter 7.0.0, seen on 2026-12-01.
# One would guess: what takes croniter's place by "just change the import" gives the times that croniter gives.
# What happens: croniter-rs forgets the zone of the start: the next run is a time without offset, and as seconds it is eight hours late for
# Singapore. In pychronotab `0 9 1 * 1` is only the first days that are Mondays, one in the rest of 2026 for 60, and 1-7, which is every
# day, has no Sunday; 7 alone is refused.
# Why it matters: a payout runs eight hours late on a host in UTC, or not on Sundays, after a change of one import.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet croniter-rs==0.2.0 pychronotab==1.0.7 croniter==7.0.0 || exit 2
venv/bin/python - <<'PY'
from datetime import datetime
from zoneinfo import ZoneInfo

import croniter
import croniter_rs
import pychronotab

START = datetime(2026, 1, 15, 10, 30, tzinfo=ZoneInfo("Asia/Singapore"))
seen = {}
for module in (croniter, croniter_rs, pychronotab):
    daily = module.croniter("0 9 * * *", START)
    monday_or_first = module.croniter("0 9 1 * 1", START)
    every_day = module.croniter("0 9 * * 1-7", START)
    days = [monday_or_first.get_next(datetime) for _ in range(80)]
    seen[module.__name__] = (
        daily.get_next(datetime).isoformat(),
        module.croniter("0 9 * * *", START).get_next(float) - START.timestamp(),
        sum(day.year == 2026 for day in days),
        sorted({every_day.get_next(datetime).strftime("%a") for _ in range(14)} ^ {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}),
    )
print(seen)
assert seen == {
    "croniter": ("2026-01-16T09:00:00+08:00", 81000.0, 60, []),
    "croniter_rs": ("2026-01-16T09:00:00", 109800.0, 60, []),
    "pychronotab": ("2026-01-16T09:00:00+08:00", 81000.0, 1, ["Sun"]),
}, "this has changed"
PY
