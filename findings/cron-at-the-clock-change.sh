#!/usr/bin/env bash
# croniter 7.0.0, APScheduler 3.11.3 and cronosjs 1.7.1, beside cronsim 2.8, croner 11.0.0 and cron-parser 5.10.5, seen on 2026-11-29.
# One would guess: a job for half past two each day runs once in the night in which 02:30 is twice, an hourly job 25 times.
# What happens: croniter and APScheduler run the daily job twice, at 02:30+02:00 and at 02:30+01:00; cronsim, croner and cron-parser once.
# cronosjs leaves the hourly job out in the repeated hour; the others have it.
# Why it matters: subscriptions are charged twice in one night of October, where the charge has no key of its own; or an hour is not settled.
# Known to: nothing here keeps a schedule; `follow run` may run as often as one likes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet croniter==7.0.0 apscheduler==3.11.3 cronsim==2.8 || exit 2
npm install --silent --no-fund --no-audit --no-save croner@11.0.0 cron-parser@5.10.5 cronosjs@1.7.1 || exit 2
cat >run.py <<'PY'
from datetime import datetime
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim

berlin = ZoneInfo("Europe/Berlin")
start = datetime(2026, 10, 24, 12, tzinfo=berlin)
dates = croniter("30 2 * * *", start)
others = CronSim("30 2 * * *", start)
trigger = CronTrigger(hour=2, minute=30, timezone=berlin)
first = trigger.get_next_fire_time(None, start)
seen = {
    "croniter": [dates.get_next(datetime) for _ in range(2)],
    "APScheduler": [first, trigger.get_next_fire_time(first, first)],
    "cronsim": [next(others) for _ in range(2)],
}
texts = {name: [f"{time:%d %H:%M%z}" for time in times] for name, times in seen.items()}
print(texts)
twice, once = ["25 02:30+0200", "25 02:30+0100"], ["25 02:30+0200", "26 02:30+0100"]
assert texts == {"croniter": twice, "APScheduler": twice, "cronsim": once}, "this has changed"
PY
venv/bin/python run.py
cat >run.mjs <<'JS'
import assert from 'assert'
import { CronExpressionParser } from 'cron-parser'
import { Cron } from 'croner'
import { CronosExpression } from 'cronosjs'

const timezone = 'Europe/Berlin'
const libraries = {
  croner: (text, start, count) => new Cron(text, { timezone, paused: true }).nextRuns(count, start),
  'cron-parser': (text, currentDate, count) => {
    const dates = CronExpressionParser.parse(text, { currentDate, tz: timezone })
    return Array.from({ length: count }, () => dates.next().toDate())
  },
  cronosjs: (text, start, count) => CronosExpression.parse(text, { timezone }).nextNDates(start, count),
}
const seen = Object.fromEntries(Object.entries(libraries).map(([name, next]) => [name, [
  ...next('30 2 * * *', new Date('2026-10-24T12:00:00+02:00'), 2),
  ...next('0 * * * *', new Date('2026-10-25T01:30:00+02:00'), 2),
].map((date) => date.toISOString().slice(8, 16))]))
console.log(seen)
const right = ['25T00:30', '26T01:30', '25T00:00', '25T01:00']
assert.deepStrictEqual(seen, { croner: right, 'cron-parser': right, cronosjs: [...right.slice(0, 3), '25T02:00'] }, 'this has changed')
JS
node run.mjs
