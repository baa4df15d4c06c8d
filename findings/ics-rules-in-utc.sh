#!/usr/bin/env bash
# ics 3.12.0, ical-generator 11.1.2 and ts-ics 2.4.6, read by recurring-ical-events 3.8.2, seen on 2026-12-01.
# One would guess: a payment at 03:00 on the 1st of each month, written on a host in Singapore, is on the 1st to who reads it: the zone is
# written, or the rule is moved with the time.
# What happens: the time is written in UTC, 19:00 of the day before, and the rule as it was: BYMONTHDAY=1. To the reader, in Singapore, it
# is due on 1 January, on 2 January again, and on the 2nd of each month. Only ical-generator with `timezone` keeps the 1st.
# Why it matters: one payment is collected twice, and all others a day late; at noon it works, in the tests too.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet recurring-ical-events==3.8.2 icalendar==7.3.2 || exit 2
npm install --silent --no-fund --no-audit --no-save ics@3.12.0 ical-generator@11.1.2 ts-ics@2.4.6 || exit 2
cat >write.mjs <<'JS'
import { writeFileSync } from 'node:fs'
import ical from 'ical-generator'
import { createEvents } from 'ics'
import { generateIcsCalendar } from 'ts-ics'

const start = new Date(2026, 0, 1, 3, 0)
const end = new Date(2026, 0, 1, 4, 0)
const [uid, summary] = ['A-1', 'subscription']
const repeating = { freq: 'MONTHLY', byMonthDay: [1], count: 4 }

const rule = 'FREQ=MONTHLY;BYMONTHDAY=1;COUNT=4'
const written = createEvents([{ uid, title: summary, start: [2026, 1, 1, 3, 0], duration: { hours: 1 }, recurrenceRule: rule }])
writeFileSync('ics.ics', written.value)
for (const timezone of [undefined, 'Asia/Singapore']) {
  const calendar = ical({ name: 'payments', timezone })
  calendar.createEvent({ id: uid, summary, start, end, repeating })
  writeFileSync(timezone ? 'ical-generator, timezone.ics' : 'ical-generator.ics', calendar.toString())
}
const recurrenceRule = { frequency: 'MONTHLY', byMonthday: [1], count: 4 }
const event = { uid, summary, stamp: { date: start }, start: { date: start }, end: { date: end }, recurrenceRule }
writeFileSync('ts-ics.ics', generateIcsCalendar({ version: '2.0', prodId: 'payments', events: [event] }))
JS
cat >run.py <<'PY'
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

seen = {}
for path in sorted(Path().glob("*.ics")):
    calendar = icalendar.Calendar.from_ical(path.read_text())
    events = recurring_ical_events.of(calendar).between(date(2025, 12, 1), date(2026, 12, 1))
    times = [event["DTSTART"].dt for event in events]
    local = [time.astimezone(ZoneInfo("Asia/Singapore")) if time.tzinfo else time for time in times]
    seen[path.stem] = [f"{time:%d.%m. %H:%M}" for time in local]
    print(path.stem, *seen[path.stem])
late = ["01.01. 03:00", "02.01. 03:00", "02.02. 03:00", "02.03. 03:00", "02.04. 03:00"]
right = ["01.01. 03:00", "01.02. 03:00", "01.03. 03:00", "01.04. 03:00"]
assert seen == {"ics": late, "ical-generator": late, "ical-generator, timezone": right, "ts-ics": late}, "this has changed"
PY
TZ=Asia/Singapore node write.mjs
venv/bin/python run.py
