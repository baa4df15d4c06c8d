#!/usr/bin/env bash
# agent-saga 2.3.11, seen on 2026-12-01.
# One would guess: `@auto_proxy`, "one line that protects", leaves a function's call as it is; a compensation is for what was done.
# What happens: each function becomes a coroutine: the call of a plain one, as in its first example, pays nothing and gives something true,
# with a warning at most when that is thrown away. Awaited, a charge that fails is followed by its own compensation: a refund of what was
# not charged.
# Why it matters: a transfer is told as made, and was not; a declined card is refunded.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet agent-saga==2.3.11 || exit 2
venv/bin/python - <<'PY'
import asyncio
import logging
import warnings

from agent_saga import auto_proxy

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
done = []


@auto_proxy
def transfer(order, amount):
    done.append(f"transfer {order}")
    return "paid"


def refund(order, amount):
    done.append(f"refund {order}")


@auto_proxy(compensator=refund)
def charge(order, amount):
    done.append(f"charge {order} declined")
    raise PermissionError("declined")


answer = transfer("A-1", "10.50")
after_transfer, told = list(done), bool(answer)
answer.close()
try:
    asyncio.run(charge("A-2", "10.50"))
except PermissionError as error:
    done.append(str(error))
print(after_transfer, told, type(answer).__name__, done)
assert after_transfer == [] and told and type(answer).__name__ == "coroutine", "this has changed"
assert done == ["charge A-2 declined", "refund A-2", "declined"], "this has changed"
PY
