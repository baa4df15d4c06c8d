#!/usr/bin/env bash
# agenda 6.2.6 and @agendajs/redis-backend 3.0.7 with Redis 7.0.15 of Debian 12 on Node.js 20, seen on 2026-12-01.
# One would guess: a time in words that it does not understand is refused.
# What happens: `every('every month')` and `every('first day of the month')` run the job again and again, some ten times a second;
# `schedule('end of the month')` and `schedule('on the 15th')` run it at once; `every('tomorrow')` never runs. Nothing is said.
# Why it matters: a subscription is charged ten times a second, and today what is due at the end of the month.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 redis-server=5:7.0.15-1~deb12u10 redis-tools=5:7.0.15-1~deb12u10 liblua5.1-0=5.1.5-9 \
  lua-cjson=2.1.0+dfsg-2.2 lua-bitop=1.0.2-7 libjemalloc2=5.3.0-1 liblzf1=3.6-3 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
npm install --silent --no-fund --no-audit --no-save agenda@6.2.6 @agendajs/redis-backend@3.0.7 || exit 2
LD_LIBRARY_PATH="$folder/usr/lib/x86_64-linux-gnu" usr/bin/redis-server --port 0 --unixsocket "$folder/socket" --save '' >log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.mjs <<'JS'
import assert from 'assert'
import { setTimeout as sleep } from 'timers/promises'
import { RedisBackend } from '@agendajs/redis-backend'
import { Agenda } from 'agenda'

const agenda = new Agenda({ backend: new RedisBackend({ connectionString: `unix://${process.cwd()}/socket` }), processEvery: 100 })
const runs = {}
const ask = async (method, when) => {
  agenda.define(`${method} ${when}`, async () => { runs[`${method} ${when}`]++ })
  runs[`${method} ${when}`] = 0
  await agenda[method](when, `${method} ${when}`)
}
await agenda.start()
for (const when of ['every month', 'first day of the month', 'month', 'tomorrow']) await ask('every', when)
for (const when of ['end of the month', 'on the 15th', 'in 1 month']) await ask('schedule', when)
await sleep(3000)
const seen = Object.fromEntries(Object.entries(runs).map(([asked, count]) => [asked, count > 5 ? 'again and again' : count]))
console.log(runs, seen)
assert.deepStrictEqual(seen, {
  'every every month': 'again and again',
  'every first day of the month': 'again and again',
  'every month': 1,
  'every tomorrow': 0,
  'schedule end of the month': 1,
  'schedule on the 15th': 1,
  'schedule in 1 month': 0,
}, 'this has changed')
process.exit(0)
JS
node run.mjs
