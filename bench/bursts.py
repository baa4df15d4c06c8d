"""Bursts: many calls at once through one client, beside aiohttp and urllib3 by hand with as many connections; CPU time of this process."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from urllib3 import PoolManager

from bench.call import ORDER, PATH, Sides, by_client, by_hand, signed, verified
from bench.canned import canned
from bench.figures import Figure, Timings, ratio, turns
from paywright import Client, aio
from paywright_runtime.transport.pool import POOL_SIZE
from tests.runtime.helpers.transport_servers import Authority

_TASKS, _THREADS = 512, 64
Call = Callable[[], Awaitable[object]]


@asynccontextmanager
async def _ours(base: str, sides: Sides, ca: Path, pool_size: int = POOL_SIZE) -> AsyncIterator[Call]:
    async with aio.Client(
        base_url=base, merchant=sides.merchant, ca_file=ca, timeout=120, pool_size=pool_size
    ) as client:
        yield lambda: client.orders.checkout(**ORDER)


@asynccontextmanager
async def _aiohttp(base: str, sides: Sides, ca: Path, limit: int) -> AsyncIterator[Call]:
    import aiohttp

    connector = aiohttp.TCPConnector(limit=limit, ssl=ssl.create_default_context(cafile=ca))
    async with aiohttp.ClientSession(connector=connector) as session:

        async def call() -> object:
            body, headers = signed(sides.key)
            async with session.post(base + PATH, data=body, headers=headers) as answer:
                return verified(await answer.read(), answer.headers["sign"], sides.gateway)

        yield call


async def _awaited(base: str, sides: Sides, ca: Path, rounds: int) -> Timings:
    """Return the seconds of each contender's burst in each round but the first, which connects."""
    found: dict[str, list[float]] = {"ours": [], "as many": [], "aiohttp": [], "aiohttp, as many": []}
    async with (
        _ours(base, sides, ca) as few,
        _ours(base, sides, ca, pool_size=_TASKS) as many,
        _aiohttp(base, sides, ca, 100) as theirs,
        _aiohttp(base, sides, ca, _TASKS) as their_many,
    ):
        for number in range(rounds + 1):
            for name, call in zip(found, (few, many, theirs, their_many), strict=True):
                start = process_time()
                await asyncio.gather(*(call() for _ in range(_TASKS)))
                if number:
                    found[name].append(process_time() - start)
    return found


def _threads(base: str, sides: Sides, rounds: int) -> Timings:
    manager = PoolManager()

    def send(body: bytes, headers: dict[str, str]) -> tuple[bytes, str]:
        got = manager.request("POST", base + PATH, body=body, headers=headers, redirect=False, retries=False)
        return got.data, got.headers["sign"]

    with Client(base_url=base, merchant=sides.merchant, timeout=120) as client, ThreadPoolExecutor(_THREADS) as pool:

        def burst(call: Callable[[], object]) -> Callable[[], object]:
            return lambda: [done.result() for done in [pool.submit(call) for _ in range(_TASKS)]]

        calls = {"ours": lambda: by_client(client), "urllib3": lambda: by_hand(send, sides.key, sides.gateway)}
        contenders = {name: burst(call) for name, call in calls.items()}
        return turns(contenders, batches=rounds, batch=1, clock=lambda name: process_time())


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    sides, rounds = Sides(), 2 if quick else 10
    answers = [*sides.many(4 * _TASKS * (rounds + 1))]  # no connection gets one twice, which it might not outlive
    with TemporaryDirectory() as made:
        authority = Authority(Path(made))
        authority.server_context()
        (certificate,) = Path(made).glob("server-*")
        with canned(*answers, certificate=certificate) as port:
            tasks = asyncio.run(_awaited(f"https://127.0.0.1:{port}", sides, authority.file, rounds))
    with canned(*answers) as port:
        threads = _threads(f"http://127.0.0.1:{port}", sides, rounds)
    by = f"{_TASKS} calls awaited at once, TLS"
    return [
        Figure(f"{by}, pool_size={_TASKS}", "aiohttp, as many", ratio(tasks, "as many", "aiohttp, as many"), 1.10),
        Figure(by, "aiohttp, its 100 connections", ratio(tasks, "ours", "aiohttp")),
        Figure(f"{_THREADS} threads", "urllib3, its 10 connections", ratio(threads, "ours", "urllib3"), 0.66),
    ]
