#!/usr/bin/env bash
# nunjucks 3.2.4, twig 3.0.0 and Jinja2 3.1.6, seen on 2026-11-29.
# One would guess: an amount of two decimals stays as it is when it is rounded to two, up or down; two filters of one engine round alike.
# What happens: `round(2, 'floor')` takes a cent off 573 of the 9,999 amounts below 100, such as 19.99, and 'ceil' puts one on as many,
# such as 1.1. twig's `round(2)` gives 1.01 for 1.005, its `number_format(2)` 1.00. In Jinja2 a Decimal is safe from both.
# Why it matters: an invoice of 19.99 says 19.98, and its lines do not add up.
# Known to: the templates of the generator have no amounts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet jinja2==3.1.6 || exit 2
npm install --silent --no-fund --no-audit --no-save nunjucks@3.2.4 twig@3.0.0 || exit 2
cat >run.cjs <<'JS'
const assert = require('assert')
const nunjucks = require('nunjucks')
const { twig } = require('twig')

const engines = { nunjucks: (data, values) => nunjucks.renderString(data, values), twig: (data, values) => twig({ data }).render(values) }
const seen = Object.fromEntries(Object.entries(engines).map(([name, render]) => {
  const wrong = (how) => Array.from({ length: 9999 }, (_, index) => (index + 1) / 100)
    .filter((amount) => render(`{{ amount|round(2, '${how}') }}`, { amount }) !== String(amount)).length
  return [name, [render("{{ 19.99|round(2, 'floor') }} {{ 1.1|round(2, 'ceil') }}", {}), wrong('floor'), wrong('ceil')]]
}))
seen.filters = engines.twig('{{ 1.005|round(2) }} {{ 1.005|number_format(2) }}', {})
console.log(seen)
assert.deepStrictEqual(seen, { nunjucks: ['19.98 1.11', 573, 573], twig: ['19.98 1.11', 573, 573], filters: '1.01 1.00' }, 'this has changed')
JS
node run.cjs
cat >run.py <<'PY'
from decimal import Decimal

from jinja2 import Environment

render = Environment().from_string("{{ amount|round(2, 'floor') }}").render
seen = [render(amount=19.99), render(amount=Decimal("19.99")), sum(render(amount=n / 100) != str(n / 100) for n in range(1, 10000))]
print(seen)
assert seen == ["19.98", "19.99", 573], "this has changed"
PY
venv/bin/python run.py
