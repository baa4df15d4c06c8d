#!/usr/bin/env bash
# dictdiffer 0.10.0, jsondiff 2.2.1, deepdiff 9.1.0 and jsonpatch 1.48, seen on 2026-11-30.
# One would guess: 0 and false are different values of JSON, and what compares two documents tells them apart.
# What happens: dictdiffer and jsondiff find no difference in `"paid": 0` and `"paid": false`, or 1 and true. deepdiff finds it in a
# member, but not in a list. jsonpatch finds both. dictdiffer takes 12345678901234567 and 1.2345678901234568e+16 for equal, too.
# Why it matters: of two answers that a change of the program made, the one that a typed reader refuses passes the comparison.
# Known to: the audit keeps what each text says, and its kind.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet dictdiffer==0.10.0 jsondiff==2.2.1 deepdiff==9.1.0 jsonpatch==1.48 jsonpointer==3.12 pyyaml==6.0.4 || exit 2
cat >run.py <<'PY'
import json

import deepdiff
import dictdiffer
import jsondiff
import jsonpatch

PAIRS = {
    "member": ('{"paid": 0}', '{"paid": false}'), "list": ('{"paid": [0, 1]}', '{"paid": [false, true]}'),
    "digits": ('{"id": 12345678901234567}', '{"id": 1.2345678901234568e+16}'), "text": ('{"paid": 0}', '{"paid": "0"}'),
}
TOOLS = {
    "dictdiffer": lambda one, other: list(dictdiffer.diff(one, other)), "jsondiff": jsondiff.diff, "deepdiff": deepdiff.DeepDiff,
    "jsonpatch": lambda one, other: jsonpatch.make_patch(one, other).patch,
}
seen = {tool: [name for name, pair in PAIRS.items() if not differs(*map(json.loads, pair))] for tool, differs in TOOLS.items()}
print("taken for equal:", seen)
assert seen == {
    "dictdiffer": ["member", "list", "digits"], "jsondiff": ["member", "list"], "deepdiff": ["list"], "jsonpatch": [],
}, "this has changed"
PY
venv/bin/python run.py
