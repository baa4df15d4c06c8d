#!/usr/bin/env bash
# procrastinate 3.10.0, seen on 2026-11-29.
# One would guess: `RetryStrategy(max_attempts=1)` is one attempt and no more, as `max_attempts=1` is with other queues; and a task that
# raises asyncio.CancelledError, which a shutdown and a time limit raise, is at its end.
# What happens: there are two runs: the number is of the retries. A cancelled task is run again too, and then called aborted.
# Why it matters: whoever wrote 1 so that an order is placed once at most has placed two, if the key is made in the task.
# Known to: docs/outcomes.md, "Cancelled and interrupted calls".
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet procrastinate==3.10.0 || exit 2
venv/bin/python - <<'PY'
import asyncio
import logging

from procrastinate import App, RetryStrategy
from procrastinate.testing import InMemoryConnector

logging.disable()
app = App(connector=InMemoryConnector())
runs: list[str] = []


def task(name: str, error: type[BaseException], **retry: int):
    @app.task(name=name, retry=RetryStrategy(**retry))
    async def run() -> None:
        runs.append(name)
        raise error

    return run


TASKS = [
    task("max_attempts=1", ValueError, max_attempts=1),
    task("max_attempts=3", ValueError, max_attempts=3),
    task("max_attempts=1, cancelled", asyncio.CancelledError, max_attempts=1),
]


async def work() -> None:
    async with app.open_async():
        for each in TASKS:
            await each.defer_async()
            await app.run_worker_async(wait=False, install_signal_handlers=False, listen_notify=False)


asyncio.run(work())
seen = {each.name: runs.count(each.name) for each in TASKS}
print(seen)
assert seen == {"max_attempts=1": 2, "max_attempts=3": 4, "max_attempts=1, cancelled": 2}, "this has changed"
PY
