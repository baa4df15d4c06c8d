"""`paywright call` ends with the exit code of its outcome, whatever happens to its output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from paywright_cli.common.exit_codes import CallExit
from paywright_sandbox.testing.served import RunningSandbox
from tests.cli.helpers.calls import ORDER, SUBSCRIPTION, another_key, environment
from tests.support.pairs import one_of

FULL = Path("/dev/full")
needs_full_disk = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")


def shell(
    sandbox: RunningSandbox, operation: str, given: object, rest: str, **env: str
) -> subprocess.CompletedProcess[str]:
    """`paywright call OPERATION` with `rest` behind it, as a shell runs it."""
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m paywright_cli call {operation} {rest}'], input=json.dumps(given),
        capture_output=True, text=True, env=environment(sandbox, env), timeout=600,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    return done


GONE = "a pipe without a reader"
ENDS = ["2>&-", "1>&- 2>&-", GONE, *(["2>/dev/full", "1>/dev/full 2>/dev/full"] if FULL.exists() else [])]


@pytest.mark.parametrize("rest", one_of(3, ENDS))
def test_an_unknown_write_exits_5_where_nothing_is_said(sandbox: RunningSandbox, tmp_path: Path, rest: str) -> None:
    env = {"PAYWRIGHT_GATEWAY_KEY_FILES": another_key(tmp_path)}
    done = ended_with(sandbox, "orders.checkout", {**ORDER, "outTradeNo": f"END_{ENDS.index(rest)}"}, rest, env)
    assert done == 5


def ended_with(sandbox: RunningSandbox, operation: str, given: object, rest: str, env: Mapping[str, str]) -> int:
    """The exit code with the outputs that `rest` names, as a shell redirects them."""
    if rest != GONE:
        return shell(sandbox, operation, given, rest, **env).returncode
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "paywright_cli", "call", operation], input=json.dumps(given).encode(),
            stdout=writing, stderr=writing, env=environment(sandbox, env), timeout=600,
        ).returncode  # fmt: skip
    finally:
        os.close(writing)


@pytest.mark.slow
@pytest.mark.parametrize("raw", ["", "--raw"])
@pytest.mark.parametrize("rest", ["1>&-", pytest.param("1>/dev/full", marks=needs_full_disk)])
def test_a_yes_whose_output_is_lost_exits_8(sandbox: RunningSandbox, rest: str, raw: str) -> None:
    key = f"LOST_{len(rest)}{len(raw)}"
    done = shell(sandbox, "orders.checkout", {**ORDER, "outTradeNo": key}, f"{raw} {rest}")
    assert done.returncode == 8
    for said in ("The gateway accepted", "Money may have moved", key, "orders.query"):
        assert said in done.stderr, done.stderr
    assert shell(sandbox, "orders.query", {"outTradeNo": key}, "").returncode == 0, "it stands at the gateway"


def test_a_yes_without_a_query_whose_output_is_lost_names_none(sandbox: RunningSandbox) -> None:
    done = shell(sandbox, "subscriptions.create", SUBSCRIPTION, "1>&-")
    assert done.returncode == 8, done.stderr
    assert "SUB_END_1" in done.stderr
    assert "no query" in done.stderr


@pytest.mark.parametrize("rest", [GONE, "1>&- 2>&-", pytest.param("1>/dev/full 2>/dev/full", marks=needs_full_disk)])
def test_a_yes_of_which_nothing_can_be_said_still_exits_with_8(sandbox: RunningSandbox, rest: str) -> None:
    assert (
        ended_with(sandbox, "orders.checkout", {**ORDER, "outTradeNo": f"MUTE_{rest.count('>')}{len(rest)}"}, rest, {})
        == 8
    )


def test_a_read_whose_output_is_lost_may_be_repeated(sandbox: RunningSandbox) -> None:
    assert shell(sandbox, "orders.checkout", {**ORDER, "outTradeNo": "READ_LOST"}, "").returncode == 0
    done = shell(sandbox, "orders.query", {"outTradeNo": "READ_LOST"}, "1>&-")
    assert done.returncode == 8
    assert "no money has moved. Repeat it" in done.stderr


def test_with_standard_input_closed_nothing_is_sent(sandbox: RunningSandbox) -> None:
    done = shell(sandbox, "orders.checkout", {}, "0<&-")
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr


def test_help_tells_what_is_tried_again_and_what_each_exit_code_says_of_the_money(sandbox: RunningSandbox) -> None:
    done = shell(sandbox, "--help", {}, "")
    said = " ".join(done.stdout.split())
    assert done.returncode == 0
    assert "A write is tried again only while no byte of its body has left" in said
    assert "PAYWRIGHT_RETRIES" in said
    assert all(f" {code} " in said for code in CallExit)
    assert (
        "137 (SIGKILL) and any other 128 + N say nothing of what was sent: treat a write as unknown, and query it"
        in said
    )
    for part in said.split("no money")[:-1]:
        assert part.endswith(("this call has moved ", "only reads, and has moved "))
