#!/usr/bin/env bash
# larzstate 0.1.0, seen on 2026-12-01.
# One would guess: a workflow that failed, and whose completed steps were compensated, begins anew when it is run again, or is refused.
# What happens: it goes on with the step that failed, as if nothing had been undone: reserve, a failed charge, release, then charge alone,
# and it is "completed". If the compensation itself fails, nobody is told: `compensated` is True, as when it went well.
# Why it matters: the customer is charged for what was given back to the shelf.
# Known to: docs/outcomes.md: a failed order gets a new number.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet larzstate==0.1.0 || exit 2
venv/bin/python - <<'PY'
from larzstate import FileStore, Workflow, WorkflowFailed


def runs(name, releases):
    done, down = [], [True]
    workflow = Workflow(name, store=FileStore(name))

    @workflow.step()
    def reserve(order):
        done.append("reserve")

    @reserve.compensate
    def release(order):
        done.append("release")
        if not releases:
            raise OSError("no answer")

    @workflow.step()
    def charge(order):
        done.append("charge")
        if down[0]:
            raise OSError("no answer")

    try:
        workflow.run("A-1", {})
    except WorkflowFailed as error:
        done.append(error.compensated)
    down[0] = False
    return [*done, workflow.run("A-1", {}).status, *done[4:]]


seen = {name: runs(name, name == "released") for name in ("released", "not")}
print(seen)
expected = ["reserve", "charge", "release", True, "completed", "charge"]
assert seen == {"released": expected, "not": expected}, "this has changed"
PY
