#!/usr/bin/env bash
# @opentelemetry/sdk-metrics 2.12.1 with @opentelemetry/api 1.9.1 on Node.js 20, seen on 2026-11-29.
# One would guess: a counter with `valueType: INT` refuses an amount that is not whole; one NaN is left out, as a negative amount is.
# What happens: it cuts each: 10.50 and 0.60 are 10, and tells only a logger that a program has to set. One NaN makes a counter NaN until
# the process ends, and tells nobody.
# Why it matters: the sum of payments on a dashboard is too low by each one's cents.
# Known to: docs/watching.md: ours have no amounts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.1 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const { DiagLogLevel, ValueType, diag } = require('@opentelemetry/api')
const metrics = require('@opentelemetry/sdk-metrics')

const said = []
const log = (...words) => said.push(words.join(' ').match(/for (\w+)/)[1])
diag.setLogger({ error: log, warn: log, info: () => {}, debug: () => {}, verbose: () => {} }, DiagLogLevel.ALL)
const exporter = new metrics.InMemoryMetricExporter(metrics.AggregationTemporality.CUMULATIVE)
const reader = new metrics.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
const meter = new metrics.MeterProvider({ readers: [reader] }).getMeter('shop')
const whole = meter.createCounter('whole', { valueType: ValueType.INT })
for (const amount of [10.5, 0.6]) whole.add(amount)
const spoilt = meter.createCounter('spoilt')
for (const amount of [10.5, NaN, 1]) spoilt.add(amount)
;(async () => {
  await reader.forceFlush()
  const seen = exporter.getMetrics()[0].scopeMetrics[0].metrics.map((metric) => metric.dataPoints[0].value)
  console.log(seen, said)
  assert.deepStrictEqual([seen, said], [[10, NaN], ['whole', 'whole']], 'this has changed')
  process.exit(0)
})()
JS
node run.cjs
