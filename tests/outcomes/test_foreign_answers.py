"""Threads and forked children on one client, while connections break: nobody gets the answer of another.

The answers repeat no key, so that nothing but the connection binds them to their requests.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from paywright import Client, Merchant, PaywrightError, SystemClock
from paywright_runtime.signing.keys import KeyPair
from tests.outcomes.fault_proxy import FaultProxy, over_http
from tests.outcomes.harms import ON_SOCKETS, Harm
from tests.outcomes.middle import Middle
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen

FORKS = sys.platform != "win32" and hasattr(os, "fork")


@contextmanager
def shared_client(gateway_keys: KeyPair, merchant: Merchant, rate: float) -> Iterator[tuple[Client, Middle]]:
    gateway = Gateway(gateway_keys)
    marked(gateway)
    middle = Middle(over_http(gateway.base_url), SystemClock(), OWN_ANSWERS, rate=0.0, seed="foreign")
    try:
        # No answer is late but by harm; the proxy itself ends what hangs.
        with FaultProxy(middle) as proxy, Client(base_url=proxy.url, merchant=merchant, timeout=3000) as client:
            assert asked(client, "first") == "own"
            middle.rate = rate
            yield client, middle
    finally:
        gateway.close()


def many(client: Client, who: str, count: int) -> Counter[str]:
    return Counter(asked(client, f"{who}_{number}") for number in range(count))


def in_threads(client: Client, who: str, *, threads: int, each: int) -> Counter[str]:
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(lambda number: many(client, f"{who}_{number}", each), range(threads)), Counter())


def check(counts: Counter[str]) -> None:
    assert counts["foreign"] == 0
    assert set(counts) <= {"own", "error"}, counts
    assert counts["own"] > counts["error"]


@pytest.mark.slow
def test_thirty_two_threads_on_one_client_get_no_foreign_answer(
    gateway_keys: KeyPair, merchant: Merchant, record_property: Callable[[str, object], None]
) -> None:
    with shared_client(gateway_keys, merchant, 0.4) as (client, middle):
        counts = in_threads(client, "thread", threads=32, each=25)
    check(counts)
    assert sum(middle.struck.values()) > 100
    record_property("count: answers to 32 threads that were looked at for being foreign", counts["own"])


def child_of_fork(client: Client, who: str, each: int, begin: int) -> int:
    """An exit code: 0 for no foreign answer, and more own ones than errors.

    It begins when all are forked, and the pipe is closed: locks of OpenSSL that a thread of the gateway holds at a fork, as it
    signs an answer, are never released in the child.
    """
    os.read(begin, 1)
    counts = many(client, who, each)
    return 1 if counts["foreign"] else 2 if set(counts) - {"own", "error"} else 0 if counts["own"] else 3


@pytest.mark.slow
@pytest.mark.skipif(not FORKS, reason="needs fork")
@pytest.mark.parametrize("rate", [0.0, 0.4])
def test_forks_of_a_client_get_no_foreign_answer(gateway_keys: KeyPair, merchant: Merchant, rate: float) -> None:
    with shared_client(gateway_keys, merchant, rate) as (client, _):
        in_threads(client, "warm", threads=8, each=3)  # several connections in the pool
        children = []
        begin, all_forked = os.pipe()
        for number in range(6):
            if (child := os.fork()) == 0:
                code = 4
                try:
                    os.close(all_forked)
                    code = child_of_fork(client, f"child_{number}", 25, begin)
                finally:
                    os._exit(code)
            children.append(child)
        os.close(all_forked)
        counts = in_threads(client, "parent", threads=4, each=15)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    os.close(begin)
    check(counts)
    assert codes == [0] * 6


@pytest.mark.slow
@pytest.mark.skipif(not FORKS, reason="needs fork")
def test_processes_that_multiprocessing_forks_get_no_foreign_answer(gateway_keys: KeyPair, merchant: Merchant) -> None:
    context = multiprocessing.get_context("fork")
    with shared_client(gateway_keys, merchant, 0.3) as (client, _):
        in_threads(client, "warm", threads=4, each=3)

        begin, all_forked = os.pipe()

        def work(number: int) -> None:
            os.close(all_forked)
            os._exit(child_of_fork(client, f"process_{number}", 20, begin))

        processes = [context.Process(target=work, args=(number,)) for number in range(3)]
        for process in processes:
            process.start()
        os.close(all_forked)
        counts = many(client, "parent", 30)
        for process in processes:
            process.join()
    os.close(begin)
    check(counts)
    assert [process.exitcode for process in processes] == [0] * 3


OWN_ANSWERS: tuple[Harm, ...] = tuple(
    harm
    for harm in ON_SOCKETS
    if harm.ending != "swapped" and "stale" not in harm.name and not harm.name.startswith("delayed")
)
"""All that does not play the answer to somebody else: where an answer repeats nothing, only the connection binds it."""


def marked(gateway: Gateway) -> None:
    """Each answer says, in a member that no contract knows, for whom it is."""

    def reply(seen: Seen) -> Reply:
        data = seen.json["data"]
        assert isinstance(data, dict)
        return Reply({"code": "APPLY_SUCCESS", "msg": "", "data": {"tokenList": [], "for": data["userId"]}})

    gateway.reply = reply


def asked(client: Client, who: str) -> str:
    """`own`, `foreign`, the name of an error of the tree, or that of a stranger."""
    try:
        found = client.payment_tokens.list(user_id=who)
    except PaywrightError:
        return "error"
    except Exception as error:
        return f"stranger {type(error).__name__}"
    return "own" if json.loads(found.answer.raw)["data"]["for"] == who else "foreign"
