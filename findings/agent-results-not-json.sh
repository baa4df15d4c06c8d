#!/usr/bin/env bash
# idempotency 0.1.0, durastep 0.1.0 and idempotent-tools 0.1.1, seen on 2026-12-01.
# One would guess: packages of this year that make an agent's payment happen once keep its result, or refuse one that they cannot keep first.
# What happens: of a payment that gives {"amount": Decimal("10.50")} the first call of idempotency has it, each later call None, without an
# error. durastep raises a TypeError after the payment and has kept nothing: three tries are three payments. idempotent-tools raises it too,
# and says from then on that the call is still in flight. A datetime does the same.
# Why it matters: what is tried again after the error is paid again, or is never known; None reads as "nothing was paid".
# Known to: docs/outcomes.md, of second tries.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet idempotency==0.1.0 durastep==0.1.0 idempotent-tools==0.1.1 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import durastep
import idempotency
import idempotent_tools
from idempotent_tools.backends.sqlite_backend import SQLiteBackend

steps = durastep.SQLiteStore("steps.db")


def in_a_run(function):
    step = durastep.step(function)

    def call(*args):
        with durastep.run("A-1", steps):
            return step(*args)

    return call


GUARDS = {
    "idempotency": idempotency.idempotent(),
    "durastep": in_a_run,
    "idempotent-tools": idempotent_tools.idempotent(backend=SQLiteBackend("tools.db")),
}
seen = {}
for name, guard in GUARDS.items():
    payments = []

    def pay(order):
        payments.append(order)
        return {"amount": Decimal("10.50")}

    guarded, answers = guard(pay), []
    for _ in range(3):
        try:
            answers.append(guarded("A-1"))
        except Exception as error:
            answers.append(type(error).__name__)
    seen[name] = (len(payments), answers)
print(seen)
assert seen == {
    "idempotency": (1, [{"amount": Decimal("10.50")}, None, None]),
    "durastep": (3, ["TypeError", "TypeError", "TypeError"]),
    "idempotent-tools": (1, ["TypeError", "DuplicateInFlightError", "DuplicateInFlightError"]),
}, "this has changed"
PY
