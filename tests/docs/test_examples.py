"""The examples are programs: run as such, against a sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright.contract import CONTRACT
from paywright_sandbox.resources import RESOURCES
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.support.packages import PACKAGES
from tests.support.recorded import findings_of

TOP = Path(__file__).resolve().parents[2]


def example(name: str, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, TOP / "examples" / name, *arguments],
        env={**os.environ, "PYTHONPATH": PACKAGES, **(env or {})},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("shop")) as running:
        yield running
        assert findings_of(running.log(), running.directory) == [], "what the examples sent"


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


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "shop.db")


@pytest.mark.slow
def test_a_hosted_order_is_placed_once_however_often_it_is_run(sandbox: RunningSandbox, database: str) -> None:
    first = example("hosted_checkout.py", database, "EX_1", "10.50", "USD", env=sandbox.env)
    assert first.returncode == 0, first.stderr
    assert "send the payer to http" in first.stdout
    assert "EX_1 is PENDING; settled: False" in first.stdout
    again = example("hosted_checkout.py", database, "ex_1", "10.50", "USD", env=sandbox.env)
    assert again.stdout == first.stdout
    other = example("hosted_checkout.py", database, "EX_1", "11.50", "USD", env=sandbox.env)
    assert other.returncode != 0
    assert "asks for something else already" in other.stderr


@pytest.mark.slow
def test_a_paid_order_is_refunded_once_however_often_it_is_run(sandbox: RunningSandbox, database: str) -> None:
    assert example("hosted_checkout.py", database, "EX_2", "10.50", "USD", env=sandbox.env).returncode == 0
    sandbox.pay("EX_2")
    for _ in range(3):
        refunded = example("refund.py", database, "EX_2", "4.25", "USD", env=sandbox.env)
        assert refunded.returncode == 0, refunded.stderr
        assert refunded.stdout.rstrip().endswith("REF_EX_2 is REFUND_SUCCESS")
    assert refundable(sandbox, "EX_2") == "6.25"
    second = example("refund.py", database, "EX_2", "1.00", "USD", "REF_EX_2_second", env=sandbox.env)
    assert second.returncode == 0, second.stderr
    assert refundable(sandbox, "EX_2") == "5.25"


@pytest.mark.slow
def test_two_refunds_at_once_are_one(sandbox: RunningSandbox, database: str) -> None:
    assert example("hosted_checkout.py", database, "EX_3", "10.50", "USD", env=sandbox.env).returncode == 0
    sandbox.pay("EX_3")
    both = [
        subprocess.Popen(
            [sys.executable, TOP / "examples" / "refund.py", database, "EX_3", "4.25", "USD"],
            env={**os.environ, "PYTHONPATH": PACKAGES, **sandbox.env}, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in both:
        out, _ = process.communicate(timeout=600)
        assert process.returncode == 0, out
    assert refundable(sandbox, "EX_3") == "6.25"


def refundable(sandbox: RunningSandbox, key: str) -> object:
    status, order = sandbox.control("GET", f"orders/{key}")
    assert status == 200
    return order["refundable"]


def test_an_order_that_nobody_takes_was_not_sent_and_can_be_sent_later(sandbox: RunningSandbox, database: str) -> None:
    arguments = (database, "EX_4", "10.50", "USD")
    lost = example("hosted_checkout.py", *arguments, env={**sandbox.env, "PAYWRIGHT_BASE_URL": "http://127.0.0.1:9"})
    assert lost.returncode == 3
    assert "no money has moved" in lost.stdout
    assert example("hosted_checkout.py", *arguments, env=sandbox.env).returncode == 0


@pytest.mark.slow
def test_the_shop_runs_by_itself(sandbox: RunningSandbox, database: str) -> None:
    def shop(*words: str) -> str:
        done = example("shop.py", database, *words, env=sandbox.env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert shop("order", "EX_5", "10.50", "USD").startswith("order EX_5 accepted PENDING http")
    sandbox.pay("EX_5")
    assert shop("refund", "REF_5", "EX_5", "4.25", "USD") == "refund REF_5 accepted REFUND_PENDING\n"
    assert shop("exchange", "EXC_5", "100.00", "EUR", "USD").startswith("exchange EXC_5 accepted")
    assert shop("settle") == ""
    assert [line.split()[1] for line in shop("list").splitlines()] == ["EX_5", "REF_5", "EXC_5"]


@pytest.mark.parametrize("name", ["shop.py", "refund.py", "hosted_checkout.py"])
def test_a_program_without_arguments_explains_itself(name: str) -> None:
    done = example(name)
    assert done.returncode == 1
    assert f"{name} shop.db" in done.stderr
