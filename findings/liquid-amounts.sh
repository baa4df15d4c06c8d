#!/usr/bin/env bash
# python-liquid 2.3.6 and liquidjs 10.30.1, seen on 2026-11-29.
# One would guess: a Decimal is a number to the filters, and `10 | divided_by: 4` is 2 in each Liquid, as both are whole.
# What happens: to the filters of python-liquid a Decimal is 0: 10.50 plus 0.01 is 0, and so are `times`, `round` and `sum`, while `==`
# and the output see 10.50; the text "10.50" is a number to them. 10 by 4 is 2 in python-liquid and 2.5 in liquidjs.
# Why it matters: a total on an invoice or in a mail to the payer is 0; two shops of one template say two amounts.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet python-liquid==2.3.6 || exit 2
npm install --silent --no-fund --no-audit --no-save liquidjs@10.30.1 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

from liquid import Environment

values = {"a": Decimal("10.50"), "b": Decimal("0.01"), "items": [Decimal("10.50"), Decimal("0.25")], "text": "10.50"}
templates = ("{{ a }}", "{{ a | plus: b }}", "{{ a | times: 3 }}", "{{ items | sum }}", "{{ text | plus: '0.01' }}", "{{ 10 | divided_by: 4 }}")
seen = [Environment().from_string(text).render(**values) for text in templates]
print(seen)
assert seen == ["10.50", "0", "0", "0", "10.51", "2"], "this has changed"
PY
venv/bin/python run.py
cat >run.cjs <<'JS'
const assert = require('assert')
const { Liquid } = require('liquidjs')

const seen = ["{{ '10.50' | plus: '0.01' }}", '{{ 10 | divided_by: 4 }}'].map((text) => new Liquid().parseAndRenderSync(text))
console.log(seen)
assert.deepStrictEqual(seen, ['10.51', '2.5'], 'this has changed')
JS
node run.cjs
