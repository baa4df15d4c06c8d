#!/usr/bin/env bash
# celery-saga 0.1.1, celery 5.7.0 and fakeredis 2.40.0, seen on 2026-12-01.
# One would guess: two runs with one `idempotency_key` are one, and what failed is undone, whether its steps ran one by one or side by side.
# What happens: as long as no worker has begun the first, the second is another: two charges, with either backend. Of two parallel steps
# each keeps the whole record at its end, without what the other wrote: with Redis one is for good as it was before, and never undone.
# Why it matters: a second click while the workers are busy pays twice; after a failure the stock is given back, or the money, not both.
# Known to: docs/outcomes.md: the order number is the key.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet celery-saga==0.1.1 celery==5.7.0 fakeredis==2.40.0 || exit 2
venv/bin/python - <<'PY'
import logging
import threading
import time

import fakeredis
from celery import Celery
from celery.contrib.testing.worker import start_worker
from celery_saga import Saga, StepResponse, saga_step, set_default_backend
from celery_saga.backends import MemorySagaBackend, RedisSagaBackend

logging.disable(logging.CRITICAL)
app = Celery("shop", broker="memory://", backend="cache+memory://")
app.set_default()
done, together = [], threading.Barrier(2)
beside = [False]


def step(name):
    @app.task(name=f"undo_{name}")
    def undo(what):
        done.append(f"undo {name}")

    @saga_step(compensate=f"undo_{name}")
    @app.task(name=name)
    def run(**order):
        if beside[0]:
            together.wait(30)
        done.append(name)
        return StepResponse(output={}, compensation_data={"what": name})

    return run


@app.task(name="ship")
def ship(**order):
    raise OSError("no answer")


charge, reserve = step("charge"), step("reserve")


def work(until):
    with start_worker(app, pool="threads", concurrency=4, perform_ping_check=False, loglevel="CRITICAL"):
        ends = time.monotonic() + 60
        while not until() and time.monotonic() < ends:
            time.sleep(0.1)
        time.sleep(3)
    seen = sorted(done)
    done.clear()
    return seen


twice = {}
for backend in (MemorySagaBackend(), RedisSagaBackend(fakeredis.FakeRedis())):
    set_default_backend(backend)
    saga = Saga("order").add_step(charge)
    for _ in range(2):
        saga.run(order="A-1", idempotency_key="A-1")
    twice[type(backend).__name__] = work(lambda: len(done) == 2)
beside[0] = True
failing = Saga("order").add_parallel(charge, reserve).add_step(ship, no_compensation=True)
result = failing.run(order="A-2")
undone = work(lambda: len(done) == 3)
states = sorted(step.status.value for step in backend.load(result.saga_id).steps[:2])
print(twice, undone, states)
assert twice == {"MemorySagaBackend": ["charge", "charge"], "RedisSagaBackend": ["charge", "charge"]}, "this has changed"
assert undone[:2] == ["charge", "reserve"] and len(undone) == 3, "this has changed"
assert states in (["compensated", "pending"], ["compensated", "running"]), "this has changed"
PY
