"""One run: a new gateway, somebody in the middle who strikes 40 % of all calls, and a shop; at its end the counts."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from urllib3 import HTTPConnectionPool

from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_sandbox.faults.rules import rules_of
from tests.outcomes import schedule
from tests.outcomes.intents import refunds_of, some_intents
from tests.outcomes.naive_shop import Habit, NaiveShop, over_urllib3, through
from tests.outcomes.places import PATIENCE, THREADS, Place, Way, place_of
from tests.outcomes.sample_shop import SampleShop
from tests.outcomes.truth import Tally, judge

__all__ = ["careful", "naive"]


def careful(way: Way, count: int, seed: str, folder: Path) -> Tally:
    """A shop that follows the rules buys `count` things, and refunds what was paid."""
    started, random, tally = time.monotonic(), Random(seed), Tally()
    with place_of(way, seed, folder) as place, ExitStack() as stack:
        clients = [stack.enter_context(place.client(retries)) for retries in (0, 0, 2)]
        database = Path(stack.enter_context(TemporaryDirectory(prefix="paywright-shop-"))) / "shop.db"
        shop = SampleShop(clients, place.middle, tally, database, seed=seed)
        threads = THREADS if way in ("sockets", "tls") else 1
        intents = some_intents(count, random, refusals=way != "sandbox faults")
        schedule.run(shop.stories(intents, jobs=threads + 1), place.middle, place.clock, threads=threads)
        shop.believe(intents)
        refunds = refunds_of(intents, random, refusals=way != "sandbox faults")
        schedule.run(shop.stories(refunds, jobs=threads + 1), place.middle, place.clock, threads=threads)
        intents += refunds
        shop.believe(intents)
        tally.struck.update(place.middle.struck)
        for rule in rules_of(place.sandbox.engine).rules():
            tally.struck[f"of the sandbox: {rule.kind} {rule.when}"] += rule.struck
        tally.calls = place.middle.calls
        _end_all_harm(place)
        shop.finish(intents, place.clock)
        judge(intents, place.sandbox.engine, tally)
    tally.seconds = time.monotonic() - started
    return tally


def naive(habit: Habit, way: Way, count: int, seed: str, folder: Path) -> Tally:
    """A shop of this habit buys `count` things under the same harm."""
    random, tally = Random(seed), Tally()
    with place_of(way, seed, folder) as place, ExitStack() as stack:
        merchant = place.sandbox.engine.settings.merchants[0]
        transport = place.transport()
        if way == "in process":
            post = through(transport)
        else:
            transport.close()
            assert way == "sockets", "hand-written programs are shown there"
            at = urlsplit(place.url)
            pool = HTTPConnectionPool(at.hostname or "", at.port, maxsize=THREADS)
            stack.callback(pool.close)
            post = over_urllib3(pool, PATIENCE)
        shop = NaiveShop(
            habit, post, place.middle, merchant.app_id, merchant.numbers.get("merchant_no"),
            load_private_key(place.sandbox.merchant_private_key.read_text()),
            load_public_key(place.sandbox.gateway_public_key.read_text()),
        )  # fmt: skip
        threads = THREADS if way == "sockets" else 1
        intents = some_intents(count, random, refusals=way != "sandbox faults")
        schedule.run([shop.buy(intent) for intent in intents], place.middle, place.clock, threads=threads)
        refunds = refunds_of(intents, random, refusals=way != "sandbox faults")
        schedule.run([shop.buy(intent) for intent in refunds], place.middle, place.clock, threads=threads)
        judge(intents + refunds, place.sandbox.engine, tally, more_keys=True)
    tally.calls, tally.struck = place.middle.calls, place.middle.struck
    return tally


def _end_all_harm(place: Place) -> None:
    place.middle.rate = 0.0
    rules_of(place.sandbox.engine).drop(None, place.clock.now())
    place.clock.advance(3600)
