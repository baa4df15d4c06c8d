#!/usr/bin/env bash
# date-fns-tz 3.2.0 and spacetime 7.15.0 on Node.js 20, seen on 2026-11-29.
# One would guess: 24:00 of ISO 8601 is the end of its day, as for Date, luxon and parseISO of date-fns; or it is refused, as by Temporal.
# What happens: for date-fns-tz, `toDate` and what is built on it, it is the beginning: a day early. For spacetime it is 23:00.
# Why it matters: what is valid until 2026-11-29T24:00:00Z has expired a day before.
# Known to: the gateway's times have no 24:00.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save date-fns@4.4.0 date-fns-tz@3.2.0 luxon@3.7.2 spacetime@7.15.0 \
  temporal-polyfill@1.0.8 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { parseISO } = require('date-fns')
const { formatInTimeZone, toDate } = require('date-fns-tz')
const { DateTime } = require('luxon')
const spacetime = require('spacetime')
const { Temporal } = require('temporal-polyfill')

const text = '2026-11-29T24:00:00Z'
const seen = {
  Date: new Date(text).toISOString(),
  luxon: DateTime.fromISO(text).toUTC().toISO(),
  'date-fns': parseISO(text).toISOString(),
  'date-fns-tz': [toDate(text).toISOString(), formatInTimeZone(text, 'UTC', 'yyyy-MM-dd HH:mm')],
  spacetime: spacetime(text).iso(),
}
console.log(seen)
assert.throws(() => Temporal.Instant.from(text), RangeError)
assert.deepStrictEqual(seen, {
  Date: '2026-11-30T00:00:00.000Z',
  luxon: '2026-11-30T00:00:00.000Z',
  'date-fns': '2026-11-30T00:00:00.000Z',
  'date-fns-tz': ['2026-11-29T00:00:00.000Z', '2026-11-29 00:00'],
  spacetime: '2026-11-29T23:00:00.000Z',
}, 'this has changed')
JS
node run.cjs
