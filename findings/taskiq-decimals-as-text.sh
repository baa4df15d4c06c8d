#!/usr/bin/env bash
# taskiq 0.13.0, seen on 2026-11-28.
# One would guess: a Decimal given to a task is refused by the default serializer, which is JSON, as dramatiq and saq refuse it; or it
# arrives as a Decimal.
# What happens: it arrives as text, and `amount * 2` is "1.101.10". It is a Decimal only if the task's argument is annotated with
# that; and then a text that is no number is handed on as it is, without an error.
# Why it matters: a refund that is computed of the text fails late, or is compared and added as text.
# Known to: the SDK takes Decimal and int as amounts, and refuses text before anything is sent.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps taskiq==0.13.0 taskiq-dependencies==1.5.7 pycron==3.3.0 pydantic==2.14.4 pydantic-core==2.50.5 annotated-types==0.8.0 \
  typing_extensions==4.16.0 typing-inspection==0.4.5 anyio==4.16.0 idna==3.20 packaging==26.4 aiohttp==3.14.5 \
  aiohappyeyeballs==2.7.1 aiosignal==1.4.0 attrs==26.1.0 frozenlist==1.8.0 multidict==7.2.1 propcache==0.5.4 yarl==1.25.1 || exit 2
venv/bin/python -W ignore - <<'PY'
import asyncio
from decimal import Decimal

from taskiq import InMemoryBroker

broker = InMemoryBroker()


@broker.task
async def plain(amount):
    return [type(amount).__name__, str(amount * 2)]


@broker.task
async def annotated(amount: Decimal):
    return [type(amount).__name__, str(amount * 2)]


async def main() -> dict[str, object]:
    await broker.startup()
    made = {}
    for task, amount in ((plain, Decimal("1.10")), (annotated, Decimal("1.10")), (annotated, "abc")):
        result = await (await task.kiq(amount)).wait_result(timeout=10)
        made[f"{task.task_name.rpartition(':')[2]} of {amount!r}"] = result.return_value
    return made


seen = asyncio.run(main())
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    "plain of Decimal('1.10')": ['str', '1.101.10'],
    "annotated of Decimal('1.10')": ['Decimal', '2.20'],
    "annotated of 'abc'": ['str', 'abcabc'],
}, "this has changed"
PY
