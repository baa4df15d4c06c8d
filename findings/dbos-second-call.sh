#!/usr/bin/env bash
# dbos 3.4.0 on SQLite, seen on 2026-11-29.
# One would guess: in a block `with SetWorkflowID("order-1")` each call has that id: the second returns what the first did, or is refused.
# What happens: the first call uses it up. Those after it in the block get ids by chance, so that they run, and run again whenever the
# block does; nothing says so.
# Why it matters: a job that charges and then books in one block, and is repeated after a crash, does the first once and the second twice.
# Known to: [Unknown outcomes](../docs/outcomes.md): a key goes with each order, and no block has one.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet dbos==3.4.0 sqlalchemy==2.1.9 || exit 2
venv/bin/python - <<'PY'
from dbos import DBOS, SetWorkflowID

DBOS(config={"name": "shop", "system_database_url": "sqlite:///shop.db", "log_level": "CRITICAL"})
runs: list[str] = []


@DBOS.workflow()
def pay(what: str) -> str:
    runs.append(what)
    return what


DBOS.launch()
for _ in range(2):
    with SetWorkflowID("order-1"):
        returned = [pay("ticket"), pay("fee")]
DBOS.destroy()
print(returned, runs)
assert (returned, runs) == (["ticket", "fee"], ["ticket", "fee", "fee"]), "this has changed"
PY
