#!/usr/bin/env bash
# redun 0.44.1, seen on 2026-12-01.
# One would guess: results of tasks are kept, failures are not: a task that timed out runs again at the next run of the workflow.
# What happens: so it is while the failure ends the workflow. Where it was caught, its recovery is kept: later runs of the same workflow never
# call the task again, and give the old recovery at once. Two equal refunds in a workflow are one call.
# Why it matters: a payment whose answer was lost is never asked about again, and the workflow says each time that it did.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet redun==0.44.1 setuptools==80.9.0 || exit 2
cat >run.py <<'PY'
from redun import Scheduler, catch, task

redun_namespace = "shop"
ran = []


@task()
def pay(order):
    ran.append(order)
    raise TimeoutError("no answer")


@task()
def later(error):
    return "ask later"


@task()
def caught():
    return catch(pay("A"), TimeoutError, later)


@task()
def refund(order, amount):
    ran.append(order)
    return amount


@task()
def two():
    return [refund("B", 10), refund("B", 10)]


def runs(workflow):
    scheduler, counts = Scheduler(), []
    for _ in range(2):
        ran.clear()
        try:
            scheduler.run(workflow())
        except TimeoutError:
            pass
        counts.append(len(ran))
    return counts


seen = {"ends the workflow": runs(lambda: pay("C")), "caught": runs(caught), "two equal": runs(two)}
print(seen)
assert seen == {"ends the workflow": [1, 1], "caught": [1, 0], "two equal": [1, 0]}, "this has changed"
PY
venv/bin/python run.py 2>/dev/null
