#!/usr/bin/env bash
# human-interval 2.0.1, parse-duration 2.1.9, itty-time 2.0.2, timestring 7.0.0, enhanced-ms 5.0.0 and juration 0.1.1, seen on 2026-12-01.
# One would guess: "1 month" is refused, or 30 days; what is not understood is refused; the sign of "-1 day" is kept.
# What happens: a month is 30, 30.4167 or 30.4375 days; two years of itty-time are more than 24 of its months. In four `1M` is a minute. What is
# not understood is often nothing: "a month" is 0 for human-interval, "1 quarter" a millisecond for itty-time. Three take "-1 day" as a day.
# Why it matters: "renew every month" charges at another hour each time, and soon on another day; "expires in 1 quarter" has expired.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save human-interval@2.0.1 parse-duration@2.1.9 itty-time@2.0.2 timestring@7.0.0 \
  enhanced-ms@5.0.0 juration@0.1.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import * as enhanced from 'enhanced-ms'
import humanInterval from 'human-interval'
import * as itty from 'itty-time'
import juration from 'juration'
import parseDuration from 'parse-duration'
import timestring from 'timestring'
const DAY = 86400000
const libraries = {
  'human-interval': humanInterval, 'parse-duration': parseDuration, itty: itty.ms, timestring: (text) => timestring(text, 'ms'),
  enhanced: enhanced.ms, juration: (text) => juration.parse(text) * 1000,
}
const days = (read, text) => {
  try { const found = read(text) / DAY; return Number.isNaN(found) ? 'none' : Number(found.toFixed(4)) } catch { return 'refused' }
}
const texts = ['1 month', '2 years', '1M', 'a month', '1 quarter', '-1 day']
const seen = Object.fromEntries(Object.entries(libraries).map(([name, read]) => [name, texts.map((text) => days(read, text))]))
console.log(texts, seen)
console.log(itty.ms('1 quarter'))
assert.deepStrictEqual(seen, {
  'human-interval': [30, 730, 'none', 0, 'none', -1],
  'parse-duration': [30.4375, 730.5, 0.0007, 0, 0, -1],
  itty: [30, 730.5, 'none', 'none', 0, -1],
  timestring: [30.4375, 730.5, 0.0007, 'refused', 'refused', 1],
  enhanced: [30.4167, 730, 0.0007, 0, 0, 1],
  juration: [30.4167, 730, 0.0007, 'refused', 'refused', 1],
}, 'this has changed')
assert.strictEqual(itty.ms('1 quarter'), 1, 'this has changed')
JS
node run.mjs
