#!/usr/bin/env bash
# exactly-once 0.2.1, agent-once 0.1.0, idempotent-tools 0.1.1 and idempotency 0.1.0, seen on 2026-12-01.
# One would guess: guards that make a key of a call take pay("A-1"), pay(order="A-1") and the same with the default written out as one call,
# and the functions `pay` of two modules as two.
# What happens: of the four only agent-once makes one payment of the three spellings, the others make three. agent-once and idempotent-tools
# know functions by their bare names: after card.pay("A-1") a call of bank.pay("A-1") is not made, and is answered with the card's result.
# Why it matters: an agent's framework calls with keywords, a retry by hand mostly without: paid twice. With two gateways one is not paid.
# Known to: docs/outcomes.md: the key is the caller's.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet exactly-once==0.2.1 agent-once==0.1.0 idempotent-tools==0.1.1 idempotency==0.1.0 || exit 2
venv/bin/python - <<'PY'
import exactly_once
import idempotency
import idempotent_tools
import once
from idempotent_tools.backends.sqlite_backend import SQLiteBackend

GUARDS = {
    "exactly-once": exactly_once.once(exactly_once.Store.sqlite("exactly.db")),
    "agent-once": once.Once(once.SQLiteStore("once.db")).tool,
    "idempotent-tools": idempotent_tools.idempotent(backend=SQLiteBackend("tools.db")),
    "idempotency": idempotency.idempotent(),
}
SOURCE = 'def pay(order, currency="IDR"):\n    calls.append(__name__)\n    return __name__'


def module(name, calls):
    names = {"__name__": name, "calls": calls}
    exec(SOURCE, names)
    return names["pay"]


seen = {}
for name, guard in GUARDS.items():
    calls = []
    pay = guard(module("card", calls))
    pay("A-1"), pay(order="A-1"), pay("A-1", "IDR")
    spellings = len(calls)
    answers = [guard(module(gateway, calls))("A-2") for gateway in ("card", "bank")]
    seen[name] = (spellings, answers)
print(seen)
assert seen == {
    "exactly-once": (3, ["card", "bank"]),
    "agent-once": (1, ["card", "card"]),
    "idempotent-tools": (3, ["card", "card"]),
    "idempotency": (3, ["card", "bank"]),
}, "this has changed"
PY
