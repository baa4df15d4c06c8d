#!/usr/bin/env bash
# @mastra/core 1.71.0 on Node.js 20, seen on 2026-12-01.
# One would guess: an approval resumes the payment that it is for; a condition that cannot be computed fails the run; of two branches whose
# conditions hold one is taken; what a step gives is checked against its `outputSchema`, as its input is against its own.
# What happens: of three payments in a `foreach` that wait for approval at once, one `resume` pays all three. A condition that throws counts
# as no: the branch with the approval is left out, and the next step pays. Two branches that hold are both run. The output is not checked.
# Why it matters: money goes out that nobody approved, and the run is a success.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @mastra/core@1.71.0 zod@4.6.7 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { Mastra } from '@mastra/core'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import { z } from 'zod'

const any = z.any()
const step = (id, execute, outputSchema = any) => createStep({ id, inputSchema: any, outputSchema, execute })
const workflow = () => createWorkflow({ id: 'pay', inputSchema: any, outputSchema: any })
const begin = async (pay, inputData) => {
  const run = await new Mastra({ workflows: { pay: pay.commit() }, logger: false }).getWorkflow('pay').createRun()
  return [run, await run.start({ inputData })]
}
const seen = {}

const paid = []
const [run, waiting] = await begin(workflow().foreach(step('approve', async ({ inputData, resumeData, suspend }) => {
  if (!resumeData) return await suspend({ order: inputData })
  paid.push(`${inputData} approved for ${resumeData.order}`)
  return inputData
}), { concurrency: 3 }), ['A', 'B', 'C'])
const resumed = await run.resume({ step: 'approve', resumeData: { order: 'A' } })
seen.foreach = [waiting.status, resumed.status, ...paid]

const branches = async (order, ...conditions) => {
  const done = []
  const branch = conditions.map(([name, condition]) => [condition, step(name, async () => { done.push(name) })])
  const [, result] = await begin(workflow().branch(branch).then(step('pay', async () => { done.push('pay') })), order)
  return [result.status, ...done]
}
const large = ['approve', async ({ inputData }) => inputData.total.amount > 1000]
const some = ['notify', async ({ inputData }) => inputData.total.amount > 0]
seen.large = await branches({ total: { amount: 5000 } }, large)
seen['condition throws'] = await branches({ amount: 5000 }, large)
seen['both hold'] = await branches({ total: { amount: 5000 } }, large, some)

const [, output] = await begin(workflow().then(step('price', async () => ({ amount: 'ten' }), z.object({ amount: z.number() }))), {})
seen.output = [output.status, JSON.stringify(output.result)]
console.log(seen)
assert.deepStrictEqual(seen, {
  foreach: ['suspended', 'success', 'A approved for A', 'B approved for A', 'C approved for A'],
  large: ['success', 'approve', 'pay'],
  'condition throws': ['success', 'pay'],
  'both hold': ['success', 'approve', 'notify', 'pay'],
  output: ['success', '{"amount":"ten"}']
}, 'this has changed')
process.exit(0)
JS
node run.mjs
