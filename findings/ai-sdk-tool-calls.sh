#!/usr/bin/env bash
# ai 7.0.173 with zod 4.6.7, seen on 2026-12-01.
# One would guess: a tool's schema may transform, as to cents: the tool gets cents, and the model and the person who approves see the call
# as the model made it. One id of a call is one call.
# What happens: the request for approval and all later prompts have the transformed input: the model wrote 10.5, and reads that it called
# with 1050. Two calls of one id, in one answer or in two, are both executed.
# Why it matters: a person is asked to approve 1050 USD, and a model that refunds "what was paid" asks for a hundred times as much.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save ai@7.0.173 zod@4.6.7 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const call = (input) => ({ type: 'tool-call', toolCallId: 'call-1', toolName: 'pay', input: JSON.stringify(input) })
const end = [{ type: 'text', text: 'done' }]
const run = async (answers, needsApproval = false) => {
  const paid = []
  const prompts = []
  const pay = tool({
    description: 'pays an order',
    inputSchema: z.object({ order: z.string(), amount: z.number().max(100).transform((amount) => Math.round(amount * 100)) }),
    needsApproval,
    execute: async ({ order, amount }) => { paid.push(`${order} ${amount}`); return 'paid' }
  })
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const content = answers[prompts.length]
      prompts.push(prompt)
      const reason = content === end ? 'stop' : 'tool-calls'
      return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] }
    }
  })
  const { content } = await generateText({ model, prompt: 'Pay order A.', tools: { pay }, stopWhen: stepCountIs(3) })
  const asked = content.find(({ type }) => type === 'tool-approval-request')?.toolCall.input
  const read = prompts.at(-1).find(({ role }) => role === 'assistant')?.content[0].input
  return { paid, asked, read }
}
const order = call({ order: 'A', amount: 10.5 })
const seen = {
  'at once': await run([[order], end]),
  'to be approved': await run([[order], end], true),
  'one id in an answer': (await run([[order, order], end])).paid,
  'one id in two answers': (await run([[order], [order], end])).paid
}
console.log(JSON.stringify(seen, null, 1))
const cents = { order: 'A', amount: 1050 }
assert.deepStrictEqual(seen, {
  'at once': { paid: ['A 1050'], asked: undefined, read: cents },
  'to be approved': { paid: [], asked: cents, read: undefined },
  'one id in an answer': ['A 1050', 'A 1050'],
  'one id in two answers': ['A 1050', 'A 1050']
}, 'this has changed')
process.exit(0)
JS
node run.mjs
