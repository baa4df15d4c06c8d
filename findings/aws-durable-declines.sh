#!/usr/bin/env bash
# @aws/durable-execution-sdk-js 2.4.0 with its local runner, @aws/durable-execution-sdk-js-testing 1.1.4, seen on 2026-12-01.
# One would guess: a step without a strategy for retries is tried once, or a few times; the result of a `map` has each item that was done.
# What happens: six times: a declined charge is sent six times before the handler sees the error. When one item of a `map` fails, its result
# has no item that is not done yet, with the status STARTED; they go on, and are paid. With `toleratedFailureCount` they are in the result,
# with `maxConcurrency: 1` the later ones are not begun.
# Why it matters: three payouts of four are made, and the handler has a list of none to write to its books.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @aws/durable-execution-sdk-js@2.4.0 @aws/durable-execution-sdk-js-testing@1.1.4 || exit 2
cat >run.cjs <<'JS'
const assert = require('node:assert')
const { setTimeout: sleep } = require('node:timers/promises')
const { withDurableExecution } = require('@aws/durable-execution-sdk-js')
const { LocalDurableTestRunner } = require('@aws/durable-execution-sdk-js-testing')

const once = { retryStrategy: () => ({ shouldRetry: false }) }
const run = async (handler) => {
  const runner = new LocalDurableTestRunner({ handlerFunction: withDurableExecution(handler) })
  return (await runner.run({ payload: {} })).getResult()
}
const charge = async () => {
  let sent = 0
  const told = await run(async (event, context) => {
    try {
      await context.step('charge', async () => { sent += 1; throw new Error('declined') })
    } catch (error) {
      return error.message
    }
  })
  return `${told} after ${sent}`
}
const payouts = async (options) => {
  const paid = []
  const pay = async (order) => {
    await sleep(order === 2 ? 10 : 300)
    if (order === 2) throw new Error('account closed')
    paid.push(order)
    return order
  }
  const result = await run(async (event, context) => {
    const made = await context.map('pay', [1, 2, 3, 4], (child, order) => child.step(`pay ${order}`, () => pay(order), once), options)
    const told = { results: made.getResults(), states: made.all.map(({ status }) => status).join(' ') }
    await sleep(1000)
    return told
  })
  return { ...result, paid }
}
const main = async () => {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: true })
  const declined = await charge()
  await LocalDurableTestRunner.teardownTestEnvironment()
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false })
  const seen = {
    declined,
    payouts: await payouts(),
    tolerated: await payouts({ completionConfig: { toleratedFailureCount: 1 } }),
    'one by one': await payouts({ maxConcurrency: 1 })
  }
  await LocalDurableTestRunner.teardownTestEnvironment()
  console.log(seen)
  assert.deepStrictEqual(seen, {
    declined: 'declined after 6',
    payouts: { results: [], states: 'STARTED FAILED STARTED STARTED', paid: [1, 3, 4] },
    tolerated: { results: [1, 3, 4], states: 'SUCCEEDED FAILED SUCCEEDED SUCCEEDED', paid: [1, 3, 4] },
    'one by one': { results: [1], states: 'SUCCEEDED FAILED', paid: [1] }
  }, 'this has changed')
  process.exit(0)
}
main()
JS
node run.cjs
