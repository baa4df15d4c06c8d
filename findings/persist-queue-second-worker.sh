#!/usr/bin/env bash
# persist-queue 1.1.0, seen on 2026-11-30.
# One would guess: of two workers at one SQLiteAckQueue, an item that one has taken, and not yet acknowledged, is not given to the other.
# What happens: whoever opens the file makes all that is taken ready again, as after a crash, so the second worker gets the first one's
# item while that is at work. With `auto_resume=False` it gets the next.
# Why it matters: a second worker is started, or one restarted, and each order that is under way is placed a second time.
# Known to: [Place orders from a task queue](../docs/queues.md): the key is made before the task.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet persist-queue==1.1.0 || exit 2
cat >worker.py <<'PY'
import sys

import persistqueue

folder, way = sys.argv[1:]
print(persistqueue.SQLiteAckQueue(folder, auto_resume=way == "resumes").get(block=False))
PY
cat >run.py <<'PY'
import subprocess
import sys

import persistqueue

seen = {}
for way in ("resumes", "does not"):
    queue = persistqueue.SQLiteAckQueue(way)
    for order in ("first", "second"):
        queue.put(order)
    mine = queue.get()
    seen[way] = (mine, subprocess.check_output([sys.executable, "worker.py", way, way], text=True).strip())
print(seen)
assert seen == {"resumes": ("first", "first"), "does not": ("first", "second")}, "this has changed"
PY
venv/bin/python run.py
