#!/usr/bin/env bash
# pyrate-limiter 4.5.1 and limits 5.8.0, seen on 2026-12-01.
# One would guess: `try_acquire(name)` counts for that name, as the package has per-key limits and says so.
# What happens: all names are counted together: after two calls of shop A, with two an hour, shop B is refused, or waits an hour if it may
# block, which is the default. For limits by name one writes a class of one's own. limits counts each key for itself.
# Why it matters: one customer's rush stops the refunds of all; with `Limiter` by default the worker hangs instead of being refused.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyrate-limiter==4.5.1 limits==5.8.0 || exit 2
venv/bin/python - <<'PY'
import inspect

import limits
from pyrate_limiter import Duration, Limiter, Rate

limiter = Limiter(Rate(2, Duration.HOUR))
pyrate = [limiter.try_acquire(shop, blocking=False) for shop in ("A", "A", "A", "B")]
other = limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())
each = limits.parse("2/hour")
by_limits = [other.hit(each, shop) for shop in ("A", "A", "A", "B")]
blocks = inspect.signature(Limiter.try_acquire).parameters["blocking"].default
print(pyrate, by_limits, blocks)
assert pyrate == [True, True, False, False], "this has changed"
assert by_limits == [True, True, False, True] and blocks is True, "this has changed"
PY
