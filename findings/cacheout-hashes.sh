#!/usr/bin/env bash
# cacheout 0.17.0, seen on 2026-12-01.
# One would guess: a memoized function is called once for each of its arguments, as with functools.lru_cache.
# What happens: the key is made of the arguments' hashes, and Python has one hash for -1 and -2: after fee(-1) fee(-2) is not called, and
# gets the other's answer, with `typed=True` too; so do ids 2**61 - 1 apart, as 2305843009213693952 and 1. Without it 0 and "" are one.
# Why it matters: a refund of 2 is answered with the fee of a refund of 1, and an order with what another was answered.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet cacheout==0.17.0 || exit 2
venv/bin/python - <<'PY'
import functools

import cacheout

PAIRS = [(-1, -2), (2305843009213693952, 1), (0, ""), (1, "1"), ("A-1", "A-2")]
MEMOS = {
    "functools": functools.lru_cache(None),
    "cacheout": cacheout.Cache().memoize(),
    "typed": cacheout.Cache().memoize(typed=True),
}
seen = {}
for name, memo in MEMOS.items():
    fee = memo(lambda amount: f"fee of {amount!r}")
    seen[name] = [pair for pair in PAIRS if fee(pair[0]) == fee(pair[1])]
print(seen)
assert seen == {
    "functools": [],
    "cacheout": [(-1, -2), (2305843009213693952, 1), (0, "")],
    "typed": [(-1, -2), (2305843009213693952, 1)],
}, "this has changed"
PY
