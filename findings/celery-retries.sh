#!/usr/bin/env bash
# Celery 5.7.0 with its broker in memory, seen on 2026-11-29.
# One would guess: `expires` says until when a task may begin, so one that has begun can retry after it; with `retry_backoff=True` the first
# retry comes after a second; `self.retry()` in an `except` ends with the error that it stands in.
# What happens: the retry is revoked as expired, and the task ends without its work. Some retries come at once: the wait is drawn from 0 on
# (`retry_jitter`); the end is MaxRetriesExceededError.
# Why it matters: an order is never placed, though its task was to be repeated; or it is asked for again before the first call is through.
# Known to: docs/queues.md.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet celery==5.7.0 || exit 2
cat >run.py <<'PY'
import logging
import time

from celery import Celery
from celery.contrib.testing.worker import start_worker

logging.disable(logging.CRITICAL)
app = Celery("shop", broker="memory://", backend="cache+memory://")
app.conf.worker_hijack_root_logger = False
runs = {"expiring": [], "backing off": []}


@app.task(bind=True)
def expiring(self):
    runs["expiring"].append(time.monotonic())
    raise self.retry(countdown=3)


@app.task(autoretry_for=(ValueError,), retry_backoff=True, max_retries=1)
def backing_off():
    runs["backing off"].append(time.monotonic())
    raise ValueError


@app.task(bind=True, max_retries=0)
def plain(self):
    try:
        raise LookupError
    except LookupError:
        self.retry()


with start_worker(app, pool="solo", perform_ping_check=False):
    late, end = expiring.apply_async(expires=2), plain.apply_async()
    for _ in range(12):
        backing_off.apply_async()
    time.sleep(6)
    seen = [len(runs["expiring"]), late.state, type(end.result).__name__]
first = runs["backing off"][0]
soon = [at for at in runs["backing off"][12:] if at - first < 0.9]
print(seen, f"{len(soon)} of 12 retries came within a second")
assert seen == [1, "REVOKED", "MaxRetriesExceededError"] and soon, "this has changed"
PY
venv/bin/python run.py
