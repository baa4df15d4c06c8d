#!/usr/bin/env bash
# local-crontab 0.1.8 and crontzconvert 1.1.1, seen on 2026-12-01.
# One would guess: what rewrites a crontab of a zone for UTC gives the same instants, or refuses what cron cannot say.
# What happens: local-crontab moves the hour alone. 03:00 on the 1st in Singapore is 19:00 UTC on the 1st, a day late; Monday stays Monday;
# 09:30 in India is 03:00 UTC, an hour early. crontzconvert moves days, but with 07:00 of a Monday 09:00 is moved to Sunday too, each
# quarter from 09:00 on in India begins at 08:30, and 20:00 on the 31st in Bogota is that on the last day of each month.
# Why it matters: payouts and the day's closing run a day late or an hour early each time, on servers that know only UTC.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save local-crontab@0.1.8 crontzconvert@1.1.1 || exit 2
cat >run.js <<'JS'
const assert = require('node:assert')
const { localCrontabToUtcCrontabs } = require('local-crontab')
const { convert } = require('crontzconvert')

const first = (text, zone) => localCrontabToUtcCrontabs(text, zone).join(' and ')
const second = (text, zone) => convert(`0 ${text}`, zone, 'UTC').replace(/^0 /, '')
const lines = [
  ['0 3 1 * *', 'Asia/Singapore'], ['0 3 15 * *', 'Asia/Singapore'], ['0 3 * * 1', 'Asia/Singapore'], ['30 9 * * *', 'Asia/Kolkata'],
  ['0 7,9 * * 1', 'Asia/Singapore'], ['*/15 9 * * *', 'Asia/Kolkata'], ['0 20 31 * *', 'America/Bogota']
]
const seen = Object.fromEntries(lines.map(([text, zone]) => [`${text} ${zone}`, [first(text, zone), second(text, zone)]]))
console.log(seen)
assert.deepStrictEqual(seen, {
  '0 3 1 * * Asia/Singapore': ['0 19 1 * *', '0 19 L * *'],
  '0 3 15 * * Asia/Singapore': ['0 19 15 * *', '0 19 14 * *'],
  '0 3 * * 1 Asia/Singapore': ['0 19 * * 1', '0 19 * * 0'],
  '30 9 * * * Asia/Kolkata': ['0 3 * * *', '0 4 * * *'],
  '0 7,9 * * 1 Asia/Singapore': ['0 1,23 * * 1', '0 1,23 * * 0'],
  '*/15 9 * * * Asia/Kolkata': ['*/15 3 * * *', '*/15 3 * * *'],
  '0 20 31 * * America/Bogota': ['0 1 31 * *', '0 1 1 * *']
}, 'this has changed')
JS
node run.js
