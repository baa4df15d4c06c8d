#!/usr/bin/env bash
# dayjs 1.11.23, date-fns-tz 3.2.0, moment-timezone 0.6.6 and chrono-node 2.10.3 on Node.js 20, seen on 2026-11-29.
# One would guess: a time that says its offset is that instant, whichever zone it shall be shown in, and on any host.
# What happens: `dayjs.tz(text, zone)` reads 10:00+08:00 as 02:00 in the zone: in New York 07:00 UTC. `fromZonedTime(text, zone)` of
# date-fns-tz takes what the host's clock shows then, so that hosts in UTC and in Shanghai get two instants, both wrong. chrono drops the Z
# of a time with nine decimals of a second and takes it as the host's. moment.tz keeps the instant.
# Why it matters: an order's expiry is hours off, on some hosts only, and a payment that came in time is late.
# Known to: the SDK's times are instants with an offset.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save dayjs@1.11.23 date-fns@4.4.0 date-fns-tz@3.2.0 moment@2.31.0 moment-timezone@0.6.6 \
  chrono-node@2.10.3 || exit 2
cat >run.cjs <<'JS'
const dayjs = require('dayjs')
dayjs.extend(require('dayjs/plugin/utc'))
dayjs.extend(require('dayjs/plugin/timezone'))
const { fromZonedTime } = require('date-fns-tz')
const moment = require('moment-timezone')
const chrono = require('chrono-node')

const [text, zone] = ['2026-11-29T10:00:00+08:00', 'America/New_York']
console.log(JSON.stringify({
  instant: new Date(text).toISOString(),
  moment: moment.tz(text, zone).toISOString(),
  dayjs: dayjs.tz(text, zone).toISOString(),
  'date-fns-tz': fromZonedTime(text, zone).toISOString(),
  chrono: chrono.parseDate('2026-11-29T10:00:00.123456789Z').toISOString().slice(0, 19),
}))
JS
TZ=UTC node run.cjs | tee utc
TZ=Asia/Shanghai node run.cjs | tee shanghai
right='"instant":"2026-11-29T02:00:00.000Z","moment":"2026-11-29T02:00:00.000Z"'
dayjs='"dayjs":"2026-11-29T07:00:00.000Z"'
[ "$(cat utc)" = "{$right,$dayjs,\"date-fns-tz\":\"2026-11-29T07:00:00.000Z\",\"chrono\":\"2026-11-29T10:00:00\"}" ]
[ "$(cat shanghai)" = "{$right,$dayjs,\"date-fns-tz\":\"2026-11-29T15:00:00.000Z\",\"chrono\":\"2026-11-29T02:00:00\"}" ]
