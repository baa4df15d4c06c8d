#!/usr/bin/env bash
# limits 5.8.0 and throttled-py 3.5.0, seen on 2026-12-01.
# One would guess: a call that is refused uses nothing of the limit, so what still fits is let through.
# What happens: with five an hour, a refused call of cost 6 uses them up in the fixed windows of both, and in throttled-py's sliding one:
# the calls of 3 and 2 after it are refused too. The moving window and the sliding counter of limits, and throttled-py's buckets and GCRA
# refuse the first alone. In the fixed windows 3, 3 and 2 let the first through, and refuse the 2 that fits.
# Why it matters: a batch of payouts that is too large stops all the small ones until the window ends, under one strategy and not another.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet limits==5.8.0 throttled-py==3.5.0 || exit 2
venv/bin/python - <<'PY'
import limits
from throttled import RateLimiterType, Throttled, rate_limiter

COSTS = (6, 3, 2)
seen = {}
for strategy in ("FixedWindow", "MovingWindow", "SlidingWindowCounter"):
    limiter = getattr(limits.strategies, f"{strategy}RateLimiter")(limits.storage.MemoryStorage())
    each = limits.parse("5/hour")
    seen[strategy] = [limiter.hit(each, "payouts", cost=cost) for cost in COSTS]
    seen[strategy] += [limiter.hit(each, "others", cost=cost) for cost in (3, 3, 2)]
for strategy in RateLimiterType.choice():
    limiter = Throttled(using=strategy, quota=rate_limiter.per_hour(5, burst=5))
    seen[strategy] = [not limiter.limit("payouts", cost=cost).limited for cost in COSTS]
    seen[strategy] += [not limiter.limit("others", cost=cost).limited for cost in (3, 3, 2)]
print(seen)
uses, moves, lets = [False] * 3 + [True, False, False], [False] * 3 + [True, False, True], [False, True, True] + [True, False, True]
assert seen == {
    "FixedWindow": uses,
    "MovingWindow": lets,
    "SlidingWindowCounter": lets,
    "fixed_window": uses,
    "sliding_window": moves,
    "leaking_bucket": lets,
    "token_bucket": lets,
    "gcra": lets,
}, "this has changed"
PY
