#!/usr/bin/env bash
# APScheduler 3.11.3 beside croniter 7.0.0, seen on 2026-11-29.
# One would guess: `CronTrigger.from_crontab(text)` reads a crontab's text as cron does.
# What happens: `0 9 * * 1` is Tuesday, as 0 is Monday, and 7 is refused. `0 9 1 * 1`, the first of a month and each Monday for cron, is only
# those first days that are a Tuesday: twelve runs in six years, for 60 or so a year.
# Why it matters: payouts go out a day late, or hardly ever, and nothing is logged. Names of days (`mon`) are read as one means them.
# Known to: nothing here keeps a schedule.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet apscheduler==3.11.3 croniter==7.0.0 || exit 2
cat >run.py <<'PY'
from datetime import datetime, timezone

from apscheduler.triggers.cron import CronTrigger
from croniter import croniter

start = datetime(2026, 11, 1, 12, tzinfo=timezone.utc)


def scheduled(text):
    trigger, times = CronTrigger.from_crontab(text, timezone=timezone.utc), []
    for _ in range(3):
        times.append(trigger.get_next_fire_time(times[-1] if times else None, times[-1] if times else start))
    return [f"{time:%a %Y-%m-%d}" for time in times]


def expected(text):
    dates = croniter(text, start)
    return [f"{dates.get_next(datetime):%a %Y-%m-%d}" for _ in range(3)]


seen = {text: (scheduled(text), expected(text)) for text in ("0 9 * * 1", "0 9 1 * 1", "0 9 * * mon")}
try:
    scheduled("0 9 * * 7")
except ValueError as refused:
    seen["0 9 * * 7"] = str(refused)[-45:]
for text, times in seen.items():
    print(text, times)
mondays = ["Mon 2026-11-02", "Mon 2026-11-09", "Mon 2026-11-16"]
assert seen == {
    "0 9 * * 1": (["Tue 2026-11-03", "Tue 2026-11-10", "Tue 2026-11-17"], mondays),
    "0 9 1 * 1": (["Tue 2026-12-01", "Tue 2027-06-01", "Tue 2028-02-01"], mondays),
    "0 9 * * mon": (mondays, mondays),
    "0 9 * * 7": "last value (7) is higher than the maximum value (6)"[-45:],
}, "this has changed"
PY
venv/bin/python run.py
