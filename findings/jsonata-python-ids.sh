#!/usr/bin/env bash
# jsonata-python 0.7.1 and jsonata 2.2.2 of npm, seen on 2026-11-30.
# One would guess: the port writes an id and an amount as JSONata itself does: `'ORD-' & id` has the digits of the id.
# What happens: from sixteen digits on it has fifteen of them: 1234567890123456 and 1234567890123457 are both ORD-1.23456789012346e+15, and
# one key for both. `$formatNumber(10.505, '0.00')` is 10.51 in the port, 10.50 in JavaScript.
# Why it matters: orders of one microsecond clock, or ids of other systems, are joined under one key, and the second overwrites the first.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet jsonata-python==0.7.1 || exit 2
npm install --silent --no-fund --no-audit --no-save jsonata@2.2.2 || exit 2
cat >run.py <<'PY'
import json
import subprocess

import jsonata

DATA = {"orders": [{"id": 1234567890123456, "amount": 10.505}, {"id": 1234567890123457, "amount": 1.5}]}
EXPRESSIONS = ["orders.('ORD-' & id)", "$count($keys(orders{$string(id): amount}))", "orders.$formatNumber(amount, '0.00')"]
SCRIPT = """
const jsonata = require('jsonata')
const { data, expressions } = JSON.parse(require('fs').readFileSync(0))
Promise.all(expressions.map((text) => jsonata(text).evaluate(data))).then((all) => console.log(JSON.stringify(all)))
"""
command = ["node", "-e", SCRIPT]
text = json.dumps({"data": DATA, "expressions": EXPRESSIONS})
script = json.loads(subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout)
port = [jsonata.Jsonata(expression).evaluate(DATA) for expression in EXPRESSIONS]
print(port, script, sep="\n")
assert port == [["ORD-1.23456789012346e+15"] * 2, 1, ["10.51", "1.50"]], "this has changed"
assert script == [["ORD-1234567890123456", "ORD-1234567890123457"], 2, ["10.50", "1.50"]], "this has changed"
PY
venv/bin/python run.py
