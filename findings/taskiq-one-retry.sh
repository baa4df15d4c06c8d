#!/usr/bin/env bash
# taskiq 0.13.0 and tenacity 9.2.1, seen on 2026-11-29.
# One would guess: `max_retries=1` of taskiq is one run and one retry; `stop_after_delay(1)` of tenacity makes no call after a second.
# What happens: with max_retries=1 a task runs once, and with 2 twice: it counts runs, in SmartRetryMiddleware too. tenacity looks at the
# clock before it sleeps, and calls again two seconds after the first.
# Why it matters: a task that may be repeated never is; a write goes out after the time in which it was wanted.
# Known to: docs/queues.md has neither; its example for tenacity counts attempts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet taskiq==0.13.0 tenacity==9.2.1 || exit 2
cat >run.py <<'PY'
import asyncio
import logging
import time

import tenacity
from taskiq import InMemoryBroker, SimpleRetryMiddleware, SmartRetryMiddleware

logging.disable(logging.CRITICAL)


async def runs(middleware, most):
    broker, seen = InMemoryBroker().with_middlewares(middleware), []

    @broker.task(retry_on_error=True, max_retries=most)
    async def place():
        seen.append(most)
        raise ValueError

    await broker.startup()
    await place.kiq()
    await asyncio.sleep(1)
    await broker.shutdown()
    return len(seen)


async def all_runs():
    return [await runs(kind(), most) for kind in (SimpleRetryMiddleware, lambda: SmartRetryMiddleware(default_delay=0)) for most in (1, 2)]


counted, calls = asyncio.run(all_runs()), []


def call():
    calls.append(time.monotonic())
    raise ValueError


try:
    tenacity.Retrying(stop=tenacity.stop_after_delay(1), wait=tenacity.wait_fixed(2))(call)
except tenacity.RetryError:
    pass
late = [round(at - calls[0]) for at in calls]
print(counted, late)
assert (counted, late) == ([1, 2, 1, 2], [0, 2]), "this has changed"
PY
venv/bin/python run.py
