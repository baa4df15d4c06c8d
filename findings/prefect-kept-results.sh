#!/usr/bin/env bash
# prefect 3.9.1, seen on 2026-12-01.
# One would guess: `persist_result=True` keeps what a task returned; each call of the task runs it, as without.
# What happens: a second call with the same arguments in a flow run is not run, and returns what the first one did. Without
# `persist_result` both run.
# Why it matters: two refunds of 10 for one order, both meant, are one; and turning results on, to be able to look at them, does that.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet prefect==3.9.1 || exit 2
cat >run.py <<'PY'
from prefect import flow, task

ran = []


def refund(order, amount):
    ran.append((order, amount))
    return len(ran)


plain = task(refund)
kept = task(refund, persist_result=True)


@flow
def day():
    return [plain("A", 10), plain("A", 10), kept("A", 10), kept("A", 10), kept("A", 11)]


numbers = day()
print(numbers, ran)
assert numbers == [1, 2, 3, 3, 4], "this has changed"
assert len(ran) == 4, "this has changed"
PY
export PREFECT_HOME="$folder/home" PREFECT_LOGGING_LEVEL=CRITICAL PREFECT_SERVER_ALLOW_EPHEMERAL_MODE=true DO_NOT_TRACK=1
venv/bin/python run.py
