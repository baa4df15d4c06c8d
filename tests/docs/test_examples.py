"""The examples are programs: run as such, against a sandbox."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright.contract import CONTRACT
from paywright_sandbox.resources import RESOURCES
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.docs.pages import environment
from tests.support.packages import TOP
from tests.support.recorded import findings_of


def example(name: str, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, TOP / "examples" / name, *arguments]
    return subprocess.run(command, env=environment(**(env or {})), capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("shop")) as running:
        yield running
        sent = running.log()  # nothing, if this process ran only what calls another address
        assert not sent or findings_of(sent, running.directory) == [], "what the examples sent"


def unsent() -> list[str]:
    """The notifications about what the sandbox does not play yet, which was added to the contract a moment ago."""
    played = {name for resource in RESOURCES for name in resource.handlers}
    about = ((name, CONTRACT.operation(name).about) for name in CONTRACT.operations())
    return [name for name, query in about if query is not None and query[0] not in played]


@pytest.mark.slow
def test_the_demo_does_what_it_says_and_ends_well() -> None:
    done = example("demo.py")
    assert done.returncode == 0, done.stdout + done.stderr
    for said in (
        "DEMO_1 is PENDING",
        "orders.drop_in: APPLY_SUCCESS",
        "paid: True",
        "REFUND_SUCCESS of 4.25 USD",
        "/data/totalAmount: type",
        "bad_signature",
        "ORDER_NOT_EXIST",
        "the plan is FINISH",
        "each was delivered twice, and had one effect",
        "ACKNOWLEDGED at attempt 2",
        "the handler of on_result was told SUCCESS",
        "effects, each once; 3 deliveries were duplicates",
        "4 RECEIVE",
        "3 SUBSCRIPTION_PAYMENT",
        "nothing wrong",
        f"all {len(CONTRACT.operations()) - len(unsent())} operations and notifications",
        "the sandbox stopped cleanly",
        "All of it happened as it should.",
    ):
        assert said in done.stdout, done.stdout


@pytest.mark.slow
def test_a_hosted_order_is_placed_once_however_often_it_is_run(tmp_path: Path) -> None:
    with running_sandbox(tmp_path) as sandbox:
        first = example("hosted_checkout.py", "EX_1", "10.50", "USD", env=sandbox.env)
        assert first.returncode == 0, first.stderr
        assert "send the payer to http" in first.stdout
        assert "EX_1 is PENDING" in first.stdout
        for amount in ("10.50", "11.50"):
            again = example("hosted_checkout.py", "ex_1", amount, "USD", env=sandbox.env)
            assert (again.returncode, again.stdout) == (2, "")
            assert "client.orders.resolve" in again.stderr
            assert "Traceback" not in again.stderr


@pytest.mark.slow
def test_a_paid_order_is_refunded_and_the_refund_is_followed(sandbox: RunningSandbox) -> None:
    assert example("hosted_checkout.py", "EX_2", "10.50", "USD", env=sandbox.env).returncode == 0
    sandbox.pay("EX_2")
    refunded = example("refund.py", "EX_2", "4.25", "USD", env=sandbox.env)
    assert refunded.returncode == 0, refunded.stderr
    assert "REF_EX_2 is REFUND_SUCCESS" in refunded.stdout
    status, order = sandbox.control("GET", "orders/EX_2")
    assert (status, order["refundable"]) == (200, "6.25")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["refund.py", "hosted_checkout.py"])
def test_nobody_sees_a_traceback(name: str, sandbox: RunningSandbox) -> None:
    nowhere = example(name, "EX_4", "10.50", "USD", env={**sandbox.env, "PAYWRIGHT_BASE_URL": "http://127.0.0.1:9"})
    assert (nowhere.returncode, "no money" in nowhere.stderr, "Traceback" in nowhere.stderr) == (1, True, False)
    for arguments, words in (((), f"{name} "), (("EX_4", "10,50", "USD"), "no amount such as 10.50")):
        done = example(name, *arguments, env=sandbox.env)
        assert (done.returncode, words in done.stderr, "Traceback" in done.stderr) == (1, True, False)
