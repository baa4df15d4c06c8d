#!/usr/bin/env bash
# beaker 1.14.1 and cashews 7.6.0, seen on 2026-12-01.
# One would guess: a cached function has an answer of its own for each of its arguments.
# What happens: the key is a text of them. In beaker, with blanks between, ("A", "B") and ("A B",) are one, and so are None and "None",
# 1 and "1". In cashews None and "" are one, 1 and "1", True and "true". The second caller gets the first one's answer.
# Why it matters: who gives no customer is answered with what customer "" has; a search by two words is that by one word and a state.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet beaker==1.14.1 cashews==7.6.0 || exit 2
venv/bin/python - <<'PY'
import asyncio
import functools

import cashews
from beaker.cache import CacheManager

PAIRS = {
    "A B": (("A", "B"), ("A B",)),
    "None and ''": ((None,), ("",)),
    "None and 'None'": ((None,), ("None",)),
    "1 and '1'": ((1,), ("1",)),
    "True and 'true'": ((True,), ("true",)),
}


def of_beaker(answer):
    def orders(customer, state="any"):
        return answer(customer, state)

    return CacheManager(type="memory").cache("orders")(orders)


def of_cashews(answer):
    async def orders(customer, state="any"):
        return answer(customer, state)

    cache = cashews.Cache()
    cache.setup("mem://")
    cached = cache(ttl="1h")(orders)
    return lambda *args: loop.run_until_complete(cached(*args))


loop = asyncio.new_event_loop()
CACHES = {"functools": functools.lru_cache(None), "beaker": of_beaker, "cashews": of_cashews}
seen = {}
for name, cached in CACHES.items():
    seen[name] = []
    for pair, (one, other) in PAIRS.items():
        orders = cached(lambda *args: repr(args))
        if orders(*one) == orders(*other):
            seen[name].append(pair)
print(seen)
assert seen == {
    "functools": [],
    "beaker": ["A B", "None and 'None'", "1 and '1'"],
    "cashews": ["None and ''", "1 and '1'", "True and 'true'"],
}, "this has changed"
PY
