"""A whole signed call that is awaited, against the same call that blocks, both through the client.

Within a running event loop the two take turns call by call against the same loopback server, each over a connection that
stays open; starting the loop is no part of either.
"""

from __future__ import annotations

import gc
from random import Random
from statistics import median
from time import perf_counter
from typing import Final

import anyio

from bench.call import ORDER, Sides, by_client
from bench.canned import canned
from bench.figures import Figure, Timings, ratio
from paywright import Client, Merchant
from paywright.aio import Client as AwaitedClient

BACKENDS: Final = ("asyncio", "trio")


async def by_awaited(client: AwaitedClient) -> object:
    """Do what `bench.call.by_client` does, awaited."""
    order = await client.orders.checkout(**ORDER)
    return order.redirect_url


async def _turns(base_url: str, merchant: Merchant, rounds: int, repeat: int) -> Timings:
    random = Random(1)
    found: dict[str, list[float]] = {"awaited": [], "blocking": []}
    with Client(base_url=base_url, merchant=merchant) as blocking:
        async with AwaitedClient(base_url=base_url, merchant=merchant) as awaited:
            by_client(blocking)
            await by_awaited(awaited)
            gc.collect()
            gc.disable()
            try:
                for _ in range(rounds):
                    spent: dict[str, list[float]] = {name: [] for name in found}
                    for _ in range(repeat):
                        for name in random.sample(list(found), 2):
                            start = perf_counter()
                            if name == "awaited":
                                await by_awaited(awaited)
                            else:
                                by_client(blocking)
                            spent[name].append(perf_counter() - start)
                    for name, times in spent.items():
                        found[name].append(median(times))
                    gc.collect()
            finally:
                gc.enable()
    return found


def run(backend: str, *, quick: bool = False) -> Timings:
    """Seconds a call, per round, of the awaited client and of the one that blocks."""
    sides = Sides()
    with canned(sides.headers, sides.answer) as port:
        rounds, repeat = (7, 40) if quick else (31, 100)
        return anyio.run(_turns, f"http://127.0.0.1:{port}", sides.merchant, rounds, repeat, backend=backend)


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    return [
        Figure(
            f"an awaited call, {backend}",
            "the same call, blocking",
            ratio(run(backend, quick=quick), "awaited", "blocking"),
            1.2,
        )
        for backend in BACKENDS
    ]
