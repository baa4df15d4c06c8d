#!/usr/bin/env bash
# bree 9.2.9 with its @breejs/later 4.2.0, seen on 2026-12-01.
# One would guess: a job with the interval "every day" runs each day, one of "every 90 mins" each 90 minutes, or the words are refused.
# What happens: "every day" runs on the first of each month, "every month" and "every week" once a year, "every hour" each day. "every 90
# mins" is each hour, "every 36 hours" each day, "every 45 mins" 45 and 15 minutes by turns; "every 10 days" runs on the 31st and the day
# after, "every 2 weeks" a week after itself at new year. Nothing is said. Without "every", "90 mins" is 90 minutes.
# Why it matters: a daily run of captures or payouts is made monthly, and a charge of each 36 hours daily.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save bree@9.2.9 @breejs/later@4.2.0 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const Bree = require('bree')
const later = require('@breejs/later')
later.date.UTC()
const hour = 3600000
const told = (time) => (time % (24 * hour) === 0 ? `${time / hour / 24} days` : `${time / 60000} min`)
const seen = {}
for (const interval of [
  'every day', 'every week', 'every month', 'every hour', 'every 90 mins', 'every 36 hours', 'every 45 mins', 'every 10 days', 'every 2 weeks',
  '90 mins'
]) {
  const bree = new Bree({ root: false, logger: false, jobs: [{ name: 'charge', path: 'module.exports = 1', interval }] })
  await bree.init()
  const [job] = bree.config.jobs
  if (typeof job.interval === 'number') {
    seen[interval] = told(job.interval)
    continue
  }
  const times = later.schedule(job.interval).next(5, new Date('2026-12-02T00:00:00Z')).slice(1)
  seen[interval] = times.slice(1).map((time, place) => told(time - times[place])).join(', ')
}
console.log(seen)
assert.deepStrictEqual(seen, {
  'every day': '28 days, 31 days, 30 days',
  'every week': '364 days, 364 days, 364 days',
  'every month': '366 days, 365 days, 365 days',
  'every hour': '1 days, 1 days, 1 days',
  'every 90 mins': '60 min, 60 min, 60 min',
  'every 36 hours': '1 days, 1 days, 1 days',
  'every 45 mins': '15 min, 45 min, 15 min',
  'every 10 days': '10 days, 1 days, 10 days',
  'every 2 weeks': '14 days, 7 days, 14 days',
  '90 mins': '90 min'
}, 'this has changed')
JS
node run.mjs
