#!/usr/bin/env bash
# ark-trust 0.6.1, kasper-idempotent 0.1.0, idempotency 0.1.0 and idempotent-tools 0.1.1, seen on 2026-12-01.
# One would guess: a call that comes again while the first still runs waits, or is refused; what failed may be called again, or is told.
# What happens: all pay once, but ark-trust answers the second call at once with None, as its result, also if the first then fails.
# After a failure kasper-idempotent says "in progress" for good, as far as no `ttl` is given; with idempotency the second call, which waits,
# waits for its lock in vain, though nobody runs. idempotent-tools refuses the second, and lets a third try.
# Why it matters: an agent is told that a payment was made that is still under way, or that one is under way which nobody makes.
# Known to: docs/outcomes.md: what is not known is asked for.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ark-trust==0.6.1 kasper-idempotent==0.1.0 idempotency==0.1.0 idempotent-tools==0.1.1 || exit 2
venv/bin/python - <<'PY'
import threading

import ark
import idempotency
import idempotent_tools
import kasper_idempotent
from idempotent_tools.backends.sqlite_backend import SQLiteBackend

GUARDS = {
    "ark-trust": ark.IdempotencyGuard().wrap,
    "kasper-idempotent": kasper_idempotent.idempotent(),
    "idempotency": idempotency.idempotent(),
    "idempotent-tools": idempotent_tools.idempotent(backend=SQLiteBackend("tools.db")),
}


def of(guard, fails):
    paid, answers = [], {}
    begun, ends = threading.Event(), threading.Event()

    @guard
    def pay(order):
        paid.append(order)
        begun.set()
        ends.wait(5)
        if fails:
            raise OSError("no answer")
        return "paid"

    def call(number):
        try:
            answers[number] = pay(f"A-{fails}")
        except Exception as error:
            answers[number] = type(error).__name__

    first, second = (threading.Thread(target=call, args=[number]) for number in (1, 2))
    first.start()
    begun.wait(5)
    second.start()
    second.join(1)
    ends.set()
    first.join(30)
    second.join(30)
    call(3)
    return len(paid), answers[1], answers[2], answers[3]


seen = {name: (of(guard, False), of(guard, True)) for name, guard in GUARDS.items()}
for name, (well, failed) in seen.items():
    print(name, well, failed)
assert seen == {
    "ark-trust": ((1, "paid", None, "paid"), (1, "OSError", None, "RuntimeError")),
    "kasper-idempotent": ((1, "paid", "InProgress", "paid"), (1, "OSError", "InProgress", "InProgress")),
    "idempotency": ((1, "paid", "paid", "paid"), (2, "OSError", "LockTimeoutError", "OSError")),
    "idempotent-tools": ((1, "paid", "DuplicateInFlightError", "paid"), (2, "OSError", "DuplicateInFlightError", "OSError")),
}, "this has changed"
PY
