#!/usr/bin/env bash
# cron-schedule 6.0.0, croner 11.0.0 and cron 4.4.0, seen on 2026-12-01.
# One would guess: what a library of crontabs does not know, such as 5L for the last Friday, it refuses, as it refuses L and MONDAY.
# What happens: cron-schedule takes the digits in front and leaves out the rest: 5L is each Friday, 1#1 each Monday, 15W the 15th though
# it is a Sunday, `1/3` of months January alone, `5/10` of days the 5th alone, `1;15` the 1st, 9pm is nine in the morning. croner knows
# L, # and W, cron reads `1/3` as January, April, July and October; what they do not know they refuse.
# Why it matters: a monthly payout runs each week, one of each quarter once a year; a schedule that is moved says nothing.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save cron-schedule@6.0.0 croner@11.0.0 cron@4.4.0 luxon@3.7.2 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { CronTime } from 'cron'
import { parseCronExpression } from 'cron-schedule'
import { Cron } from 'croner'
import { DateTime } from 'luxon'

const start = new Date('2027-01-01T00:00:00Z')
const end = new Date('2028-01-01T00:00:00Z')
const libraries = {
  'cron-schedule': (text) => parseCronExpression(text).getNextDates(400, start),
  croner: (text) => new Cron(text, { timezone: 'UTC' }).nextRuns(400, start),
  cron: (text) => {
    const rule = new CronTime(text, 'UTC')
    const days = []
    for (let day = DateTime.fromJSDate(start, { zone: 'UTC' }); day < end; days.push(day)) day = rule.getNextDateFrom(day, 'UTC')
    return days
  }
}
for (const text of ['0 9 * * 5L', '0 9 * * 1#1', '0 9 15W 8 *', '0 9 1 1/3 *', '0 9 5/10 * *', '0 9 1;15 * *', '0 9pm 1 * *', '0 9 L * *']) {
  const told = Object.entries(libraries).map(([name, days]) => {
    try {
      const year = days(text).filter((day) => day < end).map((day) => new Date(day).toISOString())
      return `${name} ${year.length} from ${year[0].slice(5, 13)}`
    } catch {
      return `${name} refuses`
    }
  })
  console.log(`${text}: ${told.join(', ')}`)
}
JS
TZ=UTC node run.mjs | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
0 9 * * 5L: cron-schedule 53 from 01-01T09, croner 12 from 01-29T09, cron refuses
0 9 * * 1#1: cron-schedule 52 from 01-04T09, croner 12 from 01-04T09, cron refuses
0 9 15W 8 *: cron-schedule 1 from 08-15T09, croner 1 from 08-16T09, cron refuses
0 9 1 1/3 *: cron-schedule 1 from 01-01T09, croner refuses, cron 4 from 01-01T09
0 9 5/10 * *: cron-schedule 12 from 01-05T09, croner refuses, cron 36 from 01-05T09
0 9 1;15 * *: cron-schedule 12 from 01-01T09, croner refuses, cron refuses
0 9pm 1 * *: cron-schedule 12 from 01-01T09, croner refuses, cron refuses
0 9 L * *: cron-schedule refuses, croner 12 from 01-31T09, cron refuses
SEEN
