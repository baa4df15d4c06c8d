#!/usr/bin/env bash
# huey 3.5.4, seen on 2026-11-28.
# One would guess: a task that raises `CancelExecution` is at its end: it is cancelled, and `retries` are for failures.
# What happens: it is run again like any other failure, until its retries are used up. Only `CancelExecution(retry=False)` ends it.
# Why it matters: a task that places an order, and cancels itself since its outcome is unknown, places it again, under a new key if
# the key is made in the task.
# Known to: docs/outcomes.md, "Cancelled and interrupted calls".
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps huey==3.5.4 || exit 2
venv/bin/python -W ignore - <<'PY'
import logging

from huey import MemoryHuey
from huey.exceptions import CancelExecution

logging.disable()
huey = MemoryHuey(immediate=True)
runs: list[str] = []


@huey.task(retries=2)
def cancelled() -> None:
    runs.append("CancelExecution()")
    raise CancelExecution


@huey.task(retries=2)
def ended() -> None:
    runs.append("CancelExecution(retry=False)")
    raise CancelExecution(retry=False)


cancelled()
ended()
seen = {name: runs.count(name) for name in ("CancelExecution()", "CancelExecution(retry=False)")}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'CancelExecution()': 3,
    'CancelExecution(retry=False)': 1,
}, "this has changed"
PY
