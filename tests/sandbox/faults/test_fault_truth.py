"""Whatever breaks: our client never calls an order placed that is not there, nor one absent that is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright import Client, GatewayError, OutcomeUnknown, PaywrightError
from paywright_runtime.clock import FixedClock
from paywright_sandbox.faults.vocabulary import ENDS_WHOLE, KINDS
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from tests.sandbox.helpers.place import place
from tests.support.examples import examples


def believed_of(client: Client, key: str) -> str:
    """What the caller may believe afterwards: placed, refused, or unknown.

    "Placed before" is no more than unknown: its code names no key, so it may be the answer to another request.
    """
    try:
        place(client, key)
    except OutcomeUnknown:
        return "unknown"
    except GatewayError:
        return "refused"
    return "placed"


def there(sandbox: InProcessSandbox) -> list[str]:
    with sandbox.engine.store.transaction() as state:
        return [str(row["out_trade_no"]) for row in state.all("SELECT out_trade_no FROM orders ORDER BY id")]


rules = st.fixed_dictionaries(
    {"kind": st.sampled_from(sorted(KINDS)), "when": st.sampled_from(["before", "after"])},
    optional={"times": st.integers(1, 3), "skip": st.integers(0, 2), "probability": st.sampled_from(["0.3", "0.8"])},
).map(lambda rule: rule | {"when": "after"} if rule["kind"] in ENDS_WHOLE else rule)


@pytest.mark.slow
@examples(60)
@given(planted=st.lists(rules, max_size=4), keys=st.lists(st.sampled_from(["A", "B", "C", "D"]), max_size=12))
def test_what_a_caller_may_believe_is_true(
    made_once: Path, clock: FixedClock, planted: list[dict[str, object]], keys: list[str]
) -> None:
    with in_process_sandbox(made_once, clock=clock) as sandbox, sandbox.client(timeout=600) as client:
        for rule in planted:
            sandbox.fault(**rule)  # type: ignore[arg-type]  # kind is text
        for key in keys:
            before = there(sandbox)
            believed = believed_of(client, f"ORD_{key}")
            after = there(sandbox)
            if believed == "placed":
                # It is there; a stale answer may say so of the order that an earlier call placed.
                assert f"ORD_{key}" in after
            elif believed == "refused":
                assert after == before
            assert len(set(after)) == len(after)
        sandbox.control("DELETE", "faults")
        for key in sorted(set(keys)):
            try:
                client.orders.query(out_trade_no=f"ORD_{key}")
                known = True
            except PaywrightError as error:
                known = not (isinstance(error, GatewayError) and error.code == "ORDER_NOT_EXIST")
            assert known == (f"ORD_{key}" in there(sandbox))
