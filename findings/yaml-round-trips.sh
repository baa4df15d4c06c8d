#!/usr/bin/env bash
# ruamel.yaml 0.19.1 and yaml 2.9.1 of npm, seen on 2026-11-28.
# One would guess: what a tool for round trips loads and writes without a change stays as it was, as 10.50 does.
# What happens: ruamel.yaml writes 2026_11 as 20_26_11, and 12345678901234567890.12 as 12345678901234567168.00. A Document of yaml writes
# 00123 as 123, and rounds twenty digits.
# Why it matters: a program that changes one line of a price list, a fixture or a file of orders changes ids and amounts on others.
# Known to: no page of ours. A quoted id stays as it is with both.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ruamel-yaml==0.19.1 || exit 2
npm install --silent --no-fund --no-audit --no-save yaml@2.9.1 || exit 2
printf 'price: 10.50\nid: 00123\norder: 2026_11\nlimit: 12345678901234567890.12\n' >orders.yaml
{
  venv/bin/python -c 'import sys, ruamel.yaml; yaml = ruamel.yaml.YAML(); yaml.dump(yaml.load(open("orders.yaml")), sys.stdout)'
  node -e 'console.log(require("yaml").parseDocument(require("fs").readFileSync("orders.yaml", "utf8")).toString())'
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
price: 10.50
id: 00123
order: 20_26_11
limit: 12345678901234567168.00
price: 10.50
id: 123
order: 2026_11
limit: 12345678901234567000

SEEN
