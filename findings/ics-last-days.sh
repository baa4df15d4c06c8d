#!/usr/bin/env bash
# ts-ics 2.4.6, ical.js 2.2.1, rrule-temporal 2.2.8 and python-dateutil 4.0.0, seen on 2026-12-01.
# One would guess: readers of iCalendar rules agree on the days of payments: BYMONTHDAY=-1 is a month's last day, and what a month or a year
# does not have is left out of it.
# What happens: in ts-ics -1 is the day before the last, a monthly payment of 31 January is on the 28th for good from February on, and
# the second Tuesday that the rule begins with is not there. In ical.js a yearly payment of 29 February is on 1 March for good, and the
# last of the days 28 to 31 that a month has is each of them from March on. The other two agree.
# Why it matters: one writes the calendar of a subscription and another collects: a day early, a month's end missed, or four times.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet python-dateutil==4.0.0 || exit 2
npm install --silent --no-fund --no-audit --no-save ts-ics@2.4.6 ical.js@2.2.1 rrule-temporal@2.2.8 || exit 2
cat >rules.json <<'JSON'
[
  ["20260131T090000Z", "FREQ=MONTHLY;COUNT=4"],
  ["20260131T090000Z", "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4"],
  ["20260113T090000Z", "FREQ=MONTHLY;BYDAY=2TU;COUNT=4"],
  ["20240229T090000Z", "FREQ=YEARLY;COUNT=2"],
  ["20260131T090000Z", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;COUNT=4"]
]
JSON
cat >run.py <<'PY'
import json

from dateutil.rrule import rrulestr

for start, rule in json.load(open("rules.json")):
    print("dateutil", rule, *[day.strftime("%y%m%d") for day in rrulestr(f"DTSTART:{start}\nRRULE:{rule}")])
PY
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs'
import ICAL from 'ical.js'
import { convertIcsRecurrenceRule, extendByRecurrenceRule } from 'ts-ics'
import { RRuleTemporal } from 'rrule-temporal'

const short = (text) => text.slice(2, 10).replaceAll('-', '')
const readers = {
  'ts-ics': (start, rule) => extendByRecurrenceRule(convertIcsRecurrenceRule(undefined, { value: rule }), { start: new Date(start) })
    .map((day) => day.toISOString()),
  'ical.js': (start, rule) => {
    const days = []
    const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromString(start))
    for (let day = iterator.next(); day; day = iterator.next()) days.push(day.toString())
    return days
  },
  'rrule-temporal': (start, rule) => new RRuleTemporal({ rruleString: `DTSTART:${start.replace(/[-:]/g, '')}\nRRULE:${rule}` }).all()
    .map((day) => day.toString())
}
for (const [start, rule] of JSON.parse(readFileSync('rules.json'))) {
  const iso = start.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')
  for (const [name, days] of Object.entries(readers)) console.log(name, rule, ...days(iso, rule).map(short))
}
JS
export TZ=UTC
{
  venv/bin/python run.py
  node run.mjs
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
dateutil FREQ=MONTHLY;COUNT=4 260131 260331 260531 260731
dateutil FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4 260131 260228 260331 260430
dateutil FREQ=MONTHLY;BYDAY=2TU;COUNT=4 260113 260210 260310 260414
dateutil FREQ=YEARLY;COUNT=2 240229 280229
dateutil FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;COUNT=4 260131 260228 260331 260430
ts-ics FREQ=MONTHLY;COUNT=4 260131 260228 260328 260428
ical.js FREQ=MONTHLY;COUNT=4 260131 260331 260531 260731
rrule-temporal FREQ=MONTHLY;COUNT=4 260131 260331 260531 260731
ts-ics FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4 260227 260330 260429 260530
ical.js FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4 260131 260228 260331 260430
rrule-temporal FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4 260131 260228 260331 260430
ts-ics FREQ=MONTHLY;BYDAY=2TU;COUNT=4 260210 260310 260414 260512
ical.js FREQ=MONTHLY;BYDAY=2TU;COUNT=4 260113 260210 260310 260414
rrule-temporal FREQ=MONTHLY;BYDAY=2TU;COUNT=4 260113 260210 260310 260414
ts-ics FREQ=YEARLY;COUNT=2 240229 250228
ical.js FREQ=YEARLY;COUNT=2 240229 250301
rrule-temporal FREQ=YEARLY;COUNT=2 240229 280229
ts-ics FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;COUNT=4 260330 260429 260430 260530
ical.js FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;COUNT=4 260131 260228 260328 260329
rrule-temporal FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;COUNT=4 260131 260228 260331 260430
SEEN
