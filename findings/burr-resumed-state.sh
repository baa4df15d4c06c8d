#!/usr/bin/env bash
# burr 0.42.0, seen on 2026-12-01.
# One would guess: the state of an application that is resumed from its database is what it was, or the value is refused when it is stored.
# What happens: what is not JSON is stored as its `str`: after the resumption Decimal("10.50") is the text 10.50, so is a datetime; a tuple is
# the text "(1, 2)", a set "{'A-1'}". The next action doubles the amount: 21.00 without an interruption, "10.5010.50" with one.
# Why it matters: the workflow of an agent behaves otherwise after a restart than in all tests; nothing is raised.
# Known to: docs/amounts.md: write amounts as text, and read them as Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet burr==0.42.0 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

from burr.core import ApplicationBuilder, action
from burr.core.persistence import SQLitePersister


@action(reads=[], writes=["amount", "shares", "orders"])
def order(state):
    return state.update(amount=Decimal("10.50"), shares=(1, 2), orders={"A-1"})


@action(reads=["amount"], writes=["total"])
def total(state):
    return state.update(total=state["amount"] * 2)


persister = SQLitePersister.from_values(db_path="state.db", table_name="state")
persister.initialize()


def application(name):
    builder = ApplicationBuilder().with_actions(order, total).with_transitions(("order", "total"))
    builder = builder.with_identifiers(app_id=name, partition_key="shop").with_state_persister(persister)
    return builder.initialize_from(
        persister, resume_at_next_action=True, default_state={}, default_entrypoint="order"
    ).build()


through = application("through")
through.step()
through.step()
application("resumed").step()
resumed = application("resumed")
read = {name: resumed.state[name] for name in ("amount", "shares", "orders")}
resumed.step()
seen = {"read": read, "through": str(through.state["total"]), "resumed": resumed.state["total"]}
print(seen)
assert seen == {
    "read": {"amount": "10.50", "shares": "(1, 2)", "orders": "{'A-1'}"},
    "through": "21.00",
    "resumed": "10.5010.50",
}, "this has changed"
PY
