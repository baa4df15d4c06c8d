"""Two processes on one ledger, and processes that are killed: every effect once, nothing acknowledged before it is durable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.receiver.helpers.desk import APP, LONG, period, sign, transfer
from tests.receiver.helpers.folders import ask, make_shop, store
from tests.receiver.helpers.worker import ledger_in

TOP = Path(__file__).resolve().parents[3]
WORKER = Path(__file__).parents[1] / "helpers" / "worker.py"
FOLDERS = ("generated", "runtime", "receiver")


def start(*arguments: object) -> subprocess.Popen[str]:
    path = os.pathsep.join(str(TOP / folder) for folder in FOLDERS)
    return subprocess.Popen(
        [sys.executable, WORKER, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


@pytest.fixture(params=["sqlite", *LONG])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with the service's key, and a shop's tables beside the ledger in one file, or in one database."""
    effects = "CREATE TABLE effects (number TEXT, process INTEGER)"
    return make_shop(request, tmp_path, effects, "CREATE TABLE subjects (subject VARCHAR(99) PRIMARY KEY, state TEXT)")


def line(body: Mapping[str, Any]) -> str:
    raw = json.dumps(body).encode()
    return json.dumps({"raw": b64encode(raw).decode(), "sign": sign(raw)}) + "\n"


# 32 at once


def load_of(count: int) -> tuple[list[str], set[str]]:
    """Deliveries: transfers through two states and periods through two, each 5 times; every tenth transfer is settled a
    second time with another content. Returns them in disorder, and the keys with two contents."""
    random = Random(5)
    bodies: list[dict[str, Any]] = []
    twofold: set[str] = set()
    number = 0
    while 5 * len(bodies) < count:
        if number % 4:
            bodies += [transfer(f"R{number}", status) for status in ("TO_BE_PROVED", "SETTLED")]
            if number % 10 == 1:
                bodies.append(transfer(f"R{number}", "SETTLED", channelTradeNo="OTHER"))
                twofold.add(f"{APP}/RECEIVE/R{number}/SETTLED")
        else:
            bodies += [period(f"SUB{number}", 1, status) for status in ("PENDING", "SUCCESS")]
        number += 1
    lines = [line(body) for body in bodies] * 5
    random.shuffle(lines)
    return lines[:count], twofold


@pytest.mark.slow
@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.full)])
def test_every_key_has_one_effect_in_two_processes(folder: Path, count: int, record_property: Any) -> None:
    lines, twofold = load_of(count)
    for number in (0, 1):
        (folder / f"{number}.jsonl").write_text("".join(lines[number::2]))
    started = time.monotonic()
    workers = [start("load", folder, number, 16) for number in (0, 1)]
    outcomes: Counter[str] = Counter()
    for worker in workers:
        out, err = worker.communicate(timeout=3000)
        assert worker.returncode == 0, err
        found = json.loads(out)
        assert found["left"] == 0, (found, err)
        outcomes.update(found["outcomes"])
    record_property(
        f"count: deliveries over two processes on {store(folder)} in {time.monotonic() - started:.1f} s", count
    )
    assert set(outcomes) <= {"handled", "duplicate", "stale", "conflict", "in_progress"}
    effects = Counter(key for (key,) in ask(folder, "SELECT number FROM effects"))
    assert set(effects.values()) == {1}
    assert outcomes["handled"] == len(effects)
    # Whoever is settled or paid stays so, whatever came late.
    final = {json.loads(b64_body(one))["data"].get("requestNo") for one in lines} - {None}
    assert {state for _, state in ask(folder, "SELECT subject, state FROM subjects")} <= {"SETTLED", "SUCCESS"}
    assert len(ask(folder, "SELECT 1 FROM subjects WHERE state = 'SETTLED'")) == len(final)
    assert len({process for (process,) in ask(folder, "SELECT process FROM effects")}) == 2
    entries = ledger_in(folder).list(most=100_000)
    conflicts = {entry.key for entry in entries if entry.status == "conflict"}
    assert conflicts == twofold
    assert {entry.status for entry in entries} <= {"done", "stale", "conflict"}


def b64_body(one: str) -> bytes:
    from base64 import b64decode

    return b64decode(json.loads(one)["raw"])


# kill -9

SEAMS = (
    "after verifying", "before the claim", "after the claim", "within the handler", "after the effect",
    "before the commit", "after the commit", "before the answer",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "seed"),
    [
        (16, 9),
        *(pytest.param(60, seed, marks=pytest.mark.full, id=f"{seed} of 5 parts of 300") for seed in range(1, 6)),
    ],
)
def test_a_kill_at_any_seam_leaves_one_effect(folder: Path, kills: int, seed: int, record_property: Any) -> None:
    random = Random(seed)
    all_keys: list[str] = []
    struck: set[str] = set()
    for number in range(kills):
        seam, kind = SEAMS[number % len(SEAMS)], ("one", "claimed")[number // len(SEAMS) % 2]
        now = datetime.now(UTC)
        kinds = [transfer(f"R{number}", at=now), period(f"SUB{number}", at=now)]
        if seam == "after the effect":
            kinds.reverse()  # only the handler outside of the transaction has this seam
        keys = {f"{APP}/RECEIVE/R{number}/SETTLED", f"{APP}/SUBSCRIPTION_PAYMENT/SUB{number}/1/SUCCESS"}
        all_keys += sorted(keys)
        # The two kinds take turns in being struck.
        if seam not in ("after the effect",) and random.random() < 0.5:
            kinds.reverse()
        worker = start("kill", folder, seam, kind)
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        worker.stdin.write("".join(map(line, kinds)))
        worker.stdin.close()
        worker.wait(600)
        assert worker.returncode == -9, worker.stderr.read() if worker.stderr else ""
        struck.add(seam)
        for stream in (worker.stdout, worker.stderr):
            if stream is not None:
                stream.close()
        _nothing_false_was_acknowledged(folder)
        # The service sends both again, until they are acknowledged.
        _deliver_all(folder, kinds)
    record_property(f"count: processes killed between two steps of a delivery, on {store(folder)}", kills)
    assert struck == set(SEAMS)
    effects = Counter(key for (key,) in ask(folder, "SELECT number FROM effects"))
    transfers = [one for one in all_keys if "/RECEIVE/" in one]
    assert effects == Counter(transfers)  # exactly once
    assert len(ask(folder, "SELECT 1 FROM subjects")) == len(transfers)
    _outside_is_flagged(
        (folder / "outside").read_text().splitlines(), [one for one in all_keys if one not in transfers]
    )
    assert {entry.status for entry in ledger_in(folder).list(most=100_000)} == {"done"}


def _nothing_false_was_acknowledged(folder: Path) -> None:
    done = {entry.key for entry in ledger_in(folder).list(status="done", most=100_000)}
    acknowledged = (folder / "acknowledged").read_text().split()
    assert set(acknowledged) <= done


def _deliver_all(folder: Path, bodies: Iterable[Mapping[str, Any]]) -> None:
    worker = start("kill", folder, "never", "one")
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"
    until = time.monotonic() + 600
    for body in bodies:
        while True:
            worker.stdin.write(line(body))
            worker.stdin.flush()
            outcome = worker.stdout.readline().strip()
            if outcome in ("handled", "duplicate"):
                break
            # On a busy machine a handler may be idle for longer than its short lease: then the server ends its session.
            assert outcome in ("in_progress", "failed", "ledger_failed"), outcome
            assert time.monotonic() < until
            time.sleep(0.02)
    _, err = worker.communicate(timeout=600)
    assert worker.returncode == 0, err


def _outside_is_flagged(lines: list[str], keys: list[str]) -> None:
    """At least once, and every repetition says that it may be one."""
    seen: Counter[str] = Counter()
    for one in lines:
        name, repeated = one.split()
        seen[name] += 1
        if seen[name] > 1:
            assert repeated == "1", one
    assert set(seen) == set(keys)
    assert max(seen.values()) == 2  # "after the effect" and its like really struck
