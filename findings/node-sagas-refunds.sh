#!/usr/bin/env bash
# node-sagas 0.0.6, seen on 2026-12-01.
# One would guess: when a step fails, the steps that were done before it are undone; each of them, though one cannot be.
# What happens: the step that failed is undone too: what was not charged is refunded. After a compensation that fails, the earlier steps are
# not undone, and the error that began it is gone: SagaCompensationFailed has the second one's message alone.
# Why it matters: a declined charge becomes a refund; stock that was held stays held because an e-mail could not be sent.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save node-sagas@0.0.6 || exit 2
cat >run.cjs <<'JS'
const assert = require('node:assert')
const { SagaBuilder } = require('node-sagas')

const saga = async (steps) => {
  const done = []
  let builder = new SagaBuilder()
  for (const [name, fails] of steps) {
    const act = (what) => async () => {
      done.push(what)
      if (fails === what) throw new Error(`${what} failed`)
    }
    builder = builder.step(name).invoke(act(name)).withCompensation(act(`undo ${name}`))
  }
  try {
    await builder.build().execute({})
  } catch (error) {
    done.push(`${error.constructor.name}: ${error.message}`)
    assert.strictEqual(error.cause, undefined)
  }
  return done
}
const main = async () => {
  const seen = [
    await saga([['reserve'], ['charge', 'charge'], ['ship']]),
    await saga([['reserve'], ['charge'], ['mail', 'undo mail'], ['ship', 'ship']])
  ]
  console.log(seen)
  assert.deepStrictEqual(seen, [
    ['reserve', 'charge', 'undo charge', 'undo reserve', 'SagaExecutionFailed: charge failed'],
    ['reserve', 'charge', 'mail', 'ship', 'undo ship', 'undo mail', 'SagaCompensationFailed: undo mail failed']
  ], 'this has changed')
}
main()
JS
node run.cjs
