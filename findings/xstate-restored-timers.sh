#!/usr/bin/env bash
# xstate 5.33.3, seen on 2026-12-01.
# One would guess: an actor that is restored of a kept snapshot waits anew, or for the rest of the time, for an `after` of its state, as it
# calls anew the promise that was running.
# What happens: the promise is called anew, the timer is not set: an order that was open at the restart never expires. One that is sent its
# way into the state again expires. `getPersistedSnapshot()` has no word of the timer.
# Why it matters: every deploy leaves orders whose payment link, hold of stock or deadline of capture never ends.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save xstate@5.33.3 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { createActor, createMachine, fromPromise } from 'xstate'

let calls = 0
const order = createMachine({
  initial: 'open',
  states: {
    open: { after: { 200: 'expired' }, on: { CHARGE: 'charging', TOUCH: { target: 'open', reenter: true } } },
    charging: { invoke: { src: fromPromise(async () => { calls += 1; await sleep(200) }), onDone: 'paid' } },
    expired: {},
    paid: {}
  }
})
const restored = (actor) => {
  const kept = JSON.stringify(actor.getPersistedSnapshot())
  actor.stop()
  return createActor(order, { snapshot: JSON.parse(kept) }).start()
}
const state = (actor) => actor.getSnapshot().value

const running = createActor(order).start()
const open = restored(createActor(order).start())
const touched = restored(createActor(order).start())
touched.send({ type: 'TOUCH' })
const begun = createActor(order).start()
begun.send({ type: 'CHARGE' })
const charging = restored(begun)
await sleep(1500)
const seen = { running: state(running), restored: state(open), 'restored and entered again': state(touched), charging: state(charging), calls }
console.log(seen)
assert.deepStrictEqual(seen, {
  running: 'expired', restored: 'open', 'restored and entered again': 'expired', charging: 'paid', calls: 2
}, 'this has changed')
JS
node run.mjs
