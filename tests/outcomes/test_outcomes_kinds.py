"""Each kind of harm by itself, through a real proxy: it does what its label says, and the client says what it may know."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count

import pytest

from paywright import Client, GatewayError, Merchant, NoAnswer, NotSent, OutcomeUnknown, UnreadableAnswer
from paywright_runtime.client.settings import merchant_from
from paywright_runtime.clock import FixedClock
from paywright_sandbox.init import make_folder
from paywright_sandbox.testing.handle import SandboxHandle
from paywright_sandbox.testing.served import running_sandbox
from tests.outcomes.fault_proxy import FaultProxy, over_http
from tests.outcomes.harms import ON_TLS, Harm, Reach
from tests.outcomes.middle import Middle
from tests.runtime.helpers.transport_servers import Authority
from tests.sandbox.helpers.place import place as place_order

HARMLESS = {"100 and 103 before 200"}  # the client must not make trouble of it
NUMBERS = count()
LONG = 3000.0  # the proxy ends what hangs


@pytest.fixture(scope="module")
def clock() -> FixedClock:
    return FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory, clock: FixedClock) -> Iterator[SandboxHandle]:
    folder = tmp_path_factory.mktemp("kinds")
    make_folder(folder)
    policies = {"largest-amount": "5000", "initial-balance": "1000000.00", "unshown-notifications": "off"}
    with running_sandbox(folder, policies=policies, clock=clock, wall=clock) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> tuple[Authority, Authority]:
    return Authority(tmp_path_factory.mktemp("own")), Authority(tmp_path_factory.mktemp("another"))


def place(client: Client, key: str) -> str:
    """What the caller may believe."""
    try:
        place_order(client, key)
    except (NotSent, OutcomeUnknown) as error:
        named, believed = error.key, "not sent" if isinstance(error, NotSent) else "unknown"
    else:
        return "placed"
    assert named == key
    return believed


def ask(client: Client, key: str) -> str:
    """What a query of an order that is there says."""
    try:
        found = client.orders.query(out_trade_no=key)
    except (NoAnswer, NotSent, UnreadableAnswer):
        return "nothing"
    except GatewayError as error:
        return error.code
    assert found.out_trade_no == key
    return "found"


def is_there(sandbox: SandboxHandle, key: str) -> bool:
    with sandbox.engine.store.transaction() as state:
        return state.one("SELECT id FROM orders WHERE out_trade_no = ?", key) is not None


@pytest.mark.parametrize("harm", [harm for harm in ON_TLS if harm.ending != "refused"], ids=lambda harm: harm.name)
def test_a_kind_of_harm_does_what_it_says_and_the_client_says_what_it_may_know(
    sandbox: SandboxHandle, clock: FixedClock, authorities: tuple[Authority, Authority], harm: Harm
) -> None:
    tls = harm.ending.startswith("tls") or harm.name.startswith("TLS")
    own, another = authorities
    merchant, _ = merchant_from(Merchant, sandbox.env)
    middle = Middle(over_http(sandbox.base_url), clock, (harm,), rate=0.0, seed=harm.name)
    contexts = {"tls": own.server_context(), "stranger": another.server_context()} if tls else {}
    ca_file = own.file if tls else None
    before = f"KIND_{next(NUMBERS)}"
    with FaultProxy(middle, **contexts) as proxy:

        def new_client(timeout: float = LONG) -> Client:
            return Client(
                base_url=proxy.url, merchant=merchant, timeout=timeout, retries=0, clock=clock, ca_file=ca_file
            )

        def struck(timeout: float) -> tuple[str, str, bool, str]:
            """Places an order under harm, and queries the one before; what came of it."""
            key = f"KIND_{next(NUMBERS)}"
            with new_client(timeout) as client:
                believed = place(client, key)
                return key, believed, is_there(sandbox, key), ask(client, before)

        with new_client() as client:  # so that there are earlier answers to play again
            assert (place(client, before), ask(client, before), ask(client, "NOBODY")) == (
                "placed", "found", "ORDER_NOT_EXIST",
            )  # fmt: skip
        middle.rate = 1.0
        reaches = harm.reach in (Reach.ONCE, Reach.TWICE)
        key, believed, there, said = struck(0.4 if harm.ending in ("hang", "drip") else LONG)
        if there != reaches or not middle.struck[harm.name]:
            # The machine was so busy that the call was over before the harm was done.
            key, believed, there, said = struck(LONG)
        assert middle.struck[harm.name] >= 1
        if harm.name in HARMLESS:
            # By a connection of its own: the proxy may close the first one at the very moment it is used again.
            with new_client() as another_client:
                assert (believed, ask(another_client, before)) == ("placed", "found")
    assert there == reaches
    assert believed != "placed" or there
    assert believed != "not sent" or harm.reach is Reach.NEVER
    assert believed == "not sent" or not tls
    assert said in ("found", "nothing") or "stale" in harm.name
    for seconds in (119, 1200):
        clock.advance(seconds)
        middle.let_arrive()
    assert is_there(sandbox, key) == (harm.reach in (Reach.ONCE, Reach.TWICE, Reach.LATER))
