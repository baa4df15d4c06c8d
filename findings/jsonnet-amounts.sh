#!/usr/bin/env bash
# jsonnet 0.22.0, gojsonnet 0.22.0 and rjsonnet 0.5.6 of PyPI, seen on 2026-11-30.
# One would guess: a number that a Jsonnet file has is the number in the JSON made of it, whichever of the three makes it.
# What happens: 19.99 is 19.989999999999998 in the two official ones, as 8,504 of the 9,999 amounts below 100; in a text made of it too. In
# Rust it is 19.99. `std.manifestYamlDoc` of the Go one writes 19.99, that of the C++ one 19.989999999999998.
# Why it matters: price lists, limits and fees of a deployment are made so; a check for two decimals refuses them, and the same file gives
# another list after the tool was changed.
# Known to: the contract is YAML, read without a template.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet jsonnet==0.22.0 gojsonnet==0.22.0 rjsonnet==0.5.6 || exit 2
venv/bin/python - <<'PY'
import json
from decimal import Decimal

import _gojsonnet
import _jsonnet
import rjsonnet

price = '{number: 19.99, text: "%s" % 19.99, yaml: std.manifestYamlDoc(19.99)}'
amounts = "[" + ", ".join(f"{cents / 100:.2f}" for cents in range(1, 10_000)) + "]"
seen = {}
for made in (_jsonnet, _gojsonnet, rjsonnet):
    read = json.loads(made.evaluate_snippet("price", price), parse_float=str)
    numbers = json.loads(made.evaluate_snippet("amounts", amounts), parse_float=Decimal)
    others = sum(number != Decimal(cents) / 100 for cents, number in enumerate(numbers, 1))
    seen[made.__name__] = [*read.values(), others]
    print(made.__name__, seen[made.__name__])
assert seen == {
    "_jsonnet": ["19.989999999999998", "19.989999999999998", "19.989999999999998", 8504],
    "_gojsonnet": ["19.989999999999998", "19.989999999999998", "19.99", 8504],
    "rjsonnet": ["19.99", "19.99", "19.99", 0],
}, "this has changed"
PY
