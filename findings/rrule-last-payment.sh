#!/usr/bin/env bash
# rrule 2.8.1, rrule-temporal 2.2.8 and rrule-rust 3.1.1, seen on 2026-11-30.
# One would guess: a rule ends with the instant of UNTIL, which stands in UTC whenever the start has a zone (RFC 5545).
# What happens: rrule compares UNTIL with the hours of the clock in that zone. East of UTC the last instalments are missing; west of it there
# is one after the end. The other two end as they should.
# Why it matters: a plan of three payments collects two, or four, and differs between the shop's server and its customers' calendars.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save rrule@2.8.1 rrule-temporal@2.2.8 rrule-rust@3.1.1 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { createRequire } from 'module'
import { RRuleTemporal } from 'rrule-temporal'

const require = createRequire(import.meta.url)
const { rrulestr } = require('rrule')
const { RRuleSet } = require('rrule-rust')
const rules = {
  east: 'DTSTART;TZID=Asia/Singapore:20261129T070000\nRRULE:FREQ=DAILY;UNTIL=20261130T230000Z',
  west: 'DTSTART;TZID=America/New_York:20261129T210000\nRRULE:FREQ=DAILY;UNTIL=20261202T000000Z'
}
const count = {
  rrule: (rule) => rrulestr(rule).all().length,
  temporal: (rule) => new RRuleTemporal({ rruleString: rule }).all().length,
  rust: (rule) => RRuleSet.fromString(rule).all().length
}
const seen = {}
for (const [name, rule] of Object.entries(rules)) for (const by in count) seen[`${name}, ${by}`] = count[by](rule)
console.log(seen)
assert.deepStrictEqual(seen, {
  'east, rrule': 2, 'east, temporal': 3, 'east, rust': 3, 'west, rrule': 3, 'west, temporal': 2, 'west, rust': 2
}, 'this has changed')
JS
node run.mjs
