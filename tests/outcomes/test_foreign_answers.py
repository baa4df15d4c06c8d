"""Threads on one client, while connections break: nobody gets the answer of another.

The answers repeat no key, so that nothing but the connection binds them to their requests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from paywright import Client, Merchant, PaywrightError, SystemClock
from paywright_runtime.signing.keys import KeyPair
from tests.outcomes.fault_proxy import FaultProxy, over_http
from tests.outcomes.harms import ON_SOCKETS, Harm
from tests.outcomes.middle import Middle
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen


@pytest.mark.slow
def test_thirty_two_threads_on_one_client_get_no_foreign_answer(
    gateway_keys: KeyPair, merchant: Merchant, record_property: Callable[[str, object], None]
) -> None:
    gateway = Gateway(gateway_keys)
    marked(gateway)
    middle = Middle(over_http(gateway.base_url), SystemClock(), OWN_ANSWERS, rate=0.4, seed="foreign")
    try:
        # No answer is late but by harm; the proxy itself ends what hangs.
        with (
            FaultProxy(middle) as proxy,
            Client(base_url=proxy.url, merchant=merchant, timeout=3000) as client,
            ThreadPoolExecutor(32) as pool,
        ):
            counts = Counter(pool.map(lambda number: asked(client, f"user_{number}"), range(32 * 25)))
    finally:
        gateway.close()
    assert counts["foreign"] == 0
    assert set(counts) <= {"own", "error"}, counts
    assert counts["own"] > counts["error"]
    assert sum(middle.struck.values()) > 100
    record_property("count: answers to 32 threads that were looked at for being foreign", counts["own"])


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
