#!/usr/bin/env bash
# circuitbreaker 2.1.3, aiobreaker 1.2.0, purgatory 3.0.1, hyx 0.0.2 and pybreaker 1.4.1, seen on 2026-12-01.
# One would guess: when a breaker's time is over, one call tries whether the gateway is there again, and the others are refused meanwhile.
# What happens: of ten calls that come together the first four let all ten through, with asyncio and, for circuitbreaker, with threads;
# each of them fails in the end. pybreaker, with threads, lets one through. Before, while they are open, all let none through.
# Why it matters: a gateway that comes back is met by all that has waited, and ten payments get an unknown outcome instead of one.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet circuitbreaker==2.1.3 aiobreaker==1.2.0 purgatory==3.0.1 hyx==0.0.2 pybreaker==1.4.1 || exit 2
venv/bin/python - <<'PY'
import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import aiobreaker
import circuitbreaker
import hyx.circuitbreaker
import purgatory
import pybreaker

ASYNC = {
    "circuitbreaker": circuitbreaker.circuit(failure_threshold=3, recovery_timeout=1),
    "aiobreaker": aiobreaker.CircuitBreaker(fail_max=3, timeout_duration=timedelta(seconds=1)),
    "purgatory": purgatory.AsyncCircuitBreakerFactory(default_threshold=3, default_ttl=1)("gateway"),
    "hyx": hyx.circuitbreaker.consecutive_breaker(exceptions=OSError, failure_threshold=3, recovery_time_secs=1),
}
THREADS = {
    "pybreaker": pybreaker.CircuitBreaker(fail_max=3, reset_timeout=1),
    "circuitbreaker": circuitbreaker.circuit(failure_threshold=3, recovery_timeout=1),
}


async def of_asyncio(breaker):
    calls = []

    @breaker
    async def pay(seconds):
        calls.append(seconds)
        await asyncio.sleep(seconds)
        raise OSError("no answer")

    for _ in range(3):
        await asyncio.gather(pay(0), return_exceptions=True)
    counts = []
    for wait in (0, 1.5):
        await asyncio.sleep(wait)
        calls.clear()
        await asyncio.gather(*[pay(0.3) for _ in range(10)], return_exceptions=True)
        counts.append(len(calls))
    return counts


def of_threads(breaker):
    calls = []

    @breaker
    def pay(seconds):
        calls.append(seconds)
        time.sleep(seconds)
        raise OSError("no answer")

    counts = []
    with ThreadPoolExecutor(10) as pool:
        for number, seconds, wait in ((3, 0, 0), (10, 0.3, 0), (10, 0.3, 1.5)):
            time.sleep(wait)
            calls.clear()
            for future in [pool.submit(pay, seconds) for _ in range(number)]:
                future.exception()
            counts.append(len(calls))
    return counts[1:]


seen = {name: asyncio.run(of_asyncio(breaker)) for name, breaker in ASYNC.items()}
threads = {name: of_threads(breaker) for name, breaker in THREADS.items()}
print(seen, threads)
assert seen == dict.fromkeys(ASYNC, [0, 10]), "this has changed"
assert threads == {"pybreaker": [0, 1], "circuitbreaker": [0, 10]}, "this has changed"
PY
