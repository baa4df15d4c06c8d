#!/usr/bin/env bash
# luxon-business-days 3.0.1, moment-business-days 1.2.0 and date-fns 4.4.0, seen on 2026-11-30.
# One would guess: a business day is one from Monday to Friday, until holidays are given.
# What happens: so in the others. luxon-business-days leaves out holidays of the United States: after 25 November 2026 comes the 27th, before
# 26 May the 22nd; but not 3 July, on which Independence Day is kept in 2026, nor Juneteenth.
# Why it matters: a date of payout or a term outside of that country is a day late, on a few days of the year.
# Known to: the SDK counts no business days.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save luxon-business-days@3.0.1 luxon@3.7.2 moment-business-days@1.2.0 moment@2.31.0 \
  date-fns@4.4.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { addBusinessDays, format } = require('date-fns')
const { DateTime } = require('luxon-business-days')
const moment = require('moment-business-days')

const CASES = [['2026-11-25', 1], ['2026-05-26', -1], ['2026-07-02', 1], ['2026-06-18', 1]]
const seen = {
  luxon: CASES.map(([day, days]) => DateTime.fromISO(day).plusBusiness({ days }).toISODate()),
  moment: CASES.map(([day, days]) => moment(day, 'YYYY-MM-DD').businessAdd(days).format('YYYY-MM-DD')),
  'date-fns': CASES.map(([day, days]) => format(addBusinessDays(new Date(`${day}T12:00`), days), 'yyyy-MM-dd')),
}
console.log(seen)
const plain = ['2026-11-26', '2026-05-25', '2026-07-03', '2026-06-19']
assert.deepStrictEqual(seen, {
  luxon: ['2026-11-27', '2026-05-22', '2026-07-03', '2026-06-19'], moment: plain, 'date-fns': plain,
}, 'this has changed')
JS
node run.cjs
