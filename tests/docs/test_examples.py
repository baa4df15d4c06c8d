"""The examples are programs: run as such, against a sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.packages import PACKAGES

from paywright_tools.sandbox.testing import RunningSandbox, running_sandbox

TOP = Path(__file__).resolve().parents[2]


def example(name: str, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, TOP / "examples" / name, *arguments],
        env={**os.environ, "PYTHONPATH": PACKAGES, **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("shop")) as running:
        yield running


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
        "effects, each once; 3 deliveries were duplicates",
        "4 RECEIVE",
        "3 SUBSCRIPTION_PAYMENT",
        "nothing wrong",
        "all 21 operations and notifications",
        "the sandbox stopped cleanly",
        "All of it happened as it should.",
    ):
        assert said in done.stdout, done.stdout


def test_a_hosted_order_is_placed_and_can_be_refunded_once_paid(sandbox: RunningSandbox) -> None:
    placed = example("hosted_checkout.py", env=sandbox.env)
    assert placed.returncode == 0, placed.stderr
    key = placed.stdout.splitlines()[1].split()[0]
    assert f"asked again, {key} is PENDING; settled: False" in placed.stdout
    unpaid = example("refund.py", key, "4.25", "USD", env=sandbox.env)
    assert unpaid.returncode != 0 or "REFUND_SUCCESS" not in unpaid.stdout
    sandbox.pay(key)
    refunded = example("refund.py", key, "4.25", "USD", env=sandbox.env)
    assert refunded.returncode == 0, refunded.stderr
    assert "is REFUND_PENDING" in refunded.stdout
    assert refunded.stdout.rstrip().endswith("is REFUND_SUCCESS")


def test_a_hosted_order_that_nobody_takes_was_not_sent(sandbox: RunningSandbox) -> None:
    done = example("hosted_checkout.py", env={**sandbox.env, "PAYWRIGHT_BASE_URL": "http://127.0.0.1:9"})
    assert done.returncode == 3
    assert "This attempt has moved no money" in done.stdout


def test_a_refund_without_arguments_explains_itself() -> None:
    done = example("refund.py")
    assert done.returncode == 1
    assert "refund.py ORD_1 4.25 USD" in done.stderr
