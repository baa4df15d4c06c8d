#!/usr/bin/env bash
# cloudevents 10.0.0 of npm, seen on 2026-11-29.
# One would guess: an event has the same data and the same time whether it is sent in binary or in structured mode.
# What happens: data that is a text of JSON arrives parsed in binary mode, and as text in structured mode, where it is put in quotes. The
# time 2026-11-29T10:00:00.123456+08:00 is sent as 02:00:00.123Z in both.
# Why it matters: a handler of webhooks that reads `data.amount` finds nothing once a broker in between changes the mode; a signature over
# the time fails, and events of one millisecond lose their order.
# Known to: the receiver takes bytes as they came.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save cloudevents@10.0.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { CloudEvent, HTTP } = require('cloudevents')

const event = new CloudEvent({
  type: 'paid', source: '/shop', datacontenttype: 'application/json', data: '{"amount":"10.50"}', time: '2026-11-29T10:00:00.123456+08:00',
})
const seen = Object.fromEntries(['binary', 'structured'].map((mode) => {
  const message = HTTP[mode](event)
  return [mode, [HTTP.toEvent(message).data, message.headers['ce-time'] ?? JSON.parse(message.body).time]]
}))
console.log(seen)
const time = '2026-11-29T02:00:00.123Z'
assert.deepStrictEqual(seen, { binary: [{ amount: '10.50' }, time], structured: ['{"amount":"10.50"}', time] }, 'this has changed')
JS
node run.cjs
