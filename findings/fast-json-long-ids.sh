#!/usr/bin/env bash
# ssrjson 0.0.24 and orjson 3.13.0 beside json of Python 3.11, seen on 2026-11-29.
# One would guess: what stands in the place of `json` reads an id of twenty digits as it does, or refuses it.
# What happens: up to 18446744073709551615 so; from there on it is a float: 20261129000000000001 is 2.0261129e+19, and is written as
# that. `dumps` of both refuses the int itself.
# Why it matters: two orders are one, and it begins with the numbers of one merchant or one year; tests with shorter ones see nothing.
# Known to: the SDK reads the digits.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ssrjson==0.0.24 orjson==3.13.0 || exit 2
cat >run.py <<'PY'
import json

import orjson
import ssrjson

numbers = (18446744073709551615, 20261129000000000001, 20261129000000000002)
seen = {module.__name__: [module.loads(str(number)) for number in numbers] for module in (json, orjson, ssrjson)}
print(seen)
rounded = [numbers[0], 2.0261129e19, 2.0261129e19]
assert seen == {"json": list(numbers), "orjson": rounded, "ssrjson": rounded}, "this has changed"
for module in (orjson, ssrjson):
    try:
        module.dumps(numbers[1])
    except (TypeError, ValueError) as refused:
        print(module.__name__, refused)
    else:
        raise AssertionError("this has changed")
PY
venv/bin/python run.py
