"""Worlds without a fault are not accused, whatever became of them when they were captured."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from paywright_audit import AuditSettings, Report, Severity, audit_files
from tests.audit.helpers.operators import ALL, LOSSLESS, composed
from tests.audit.helpers.worlds import Capture, Record, World, body_of, make_world, put_body

Property = Callable[[str, object], None]
BLAMES_NOBODY = ("http-status",)
"""Warnings that state what the capture shows, of a proxy as well as of the gateway."""


@pytest.fixture(scope="module")
def world(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(keys, tmp_path_factory.mktemp("world"), 240, 4)


def audited(world: World, capture: Capture, folder: Path, **settings: object) -> Report:
    files = []
    for name, records in capture.items():
        if records:
            file = folder / name
            file.write_bytes(b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in records))
            files.append(file)
    return audit_files(files, AuditSettings(require=(), **world.keys, **settings))  # type: ignore[arg-type]


def accusations(report: Report) -> list[str]:
    return [
        f"{group.severity} {group.code} {group.operation} {one.file} {one.place}: {one.message}"
        for group in report.groups
        if group.severity is not Severity.NOTE and group.code not in BLAMES_NOBODY
        for one in group.evidence or ()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_a_world_without_fault_is_not_accused(world: World, tmp_path: Path, name: str) -> None:
    capture = ALL[name](world.capture, Random(name))
    report = audited(world, capture, tmp_path)
    assert accusations(report) == []
    assert not report.totals.unreadable


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSLESS)
def test_nor_is_one_that_is_captured_whole_and_said_to_be(world: World, tmp_path: Path, name: str) -> None:
    assert accusations(audited(world, LOSSLESS[name](world.capture, Random(name)), tmp_path, complete=True)) == []


def compose(world: World, folder: Path, number: int, seed: int) -> None:
    random = Random(seed)
    for place in range(number):
        names = random.sample(sorted(ALL), random.randrange(2, 5))
        here = folder / f"{place}"
        here.mkdir()
        report = audited(world, composed(ALL[name] for name in names)(world.capture, random), here)
        assert accusations(report) == [], names


@pytest.mark.slow
def test_nor_is_one_after_several_operators(world: World, tmp_path: Path, record_property: Property) -> None:
    compose(world, tmp_path, 15, 1)
    record_property("count: compositions of operators on worlds without a fault", 15)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(200))
def test_the_same_of_two_hundred_worlds(keys: Path, tmp_path: Path, seed: int, record_property: Property) -> None:
    made = make_world(keys, tmp_path / "world", 500, seed)
    for number, (name, operator) in enumerate(ALL.items()):
        here = tmp_path / f"{number}"
        here.mkdir()
        assert accusations(audited(made, operator(made.capture, Random(seed)), here)) == [], name
    (tmp_path / "drawn").mkdir()
    compose(made, tmp_path / "drawn", 10, seed)
    record_property("count: operators and compositions on worlds without a fault", len(ALL) + 10)


# One fault is planted. What is left of it after a capture says what has to be found.


def placed_again(world: World) -> tuple[Capture, list[Record], str]:
    """An order that the gateway had made is placed again, with a new time."""
    first = next(
        record
        for records in world.capture.values()
        for record in records
        if b"Hosted_Checkout" in body_of(record, "request") and b"APPLY_SUCCESS" in body_of(record, "response")
    )
    again = later(world, first, 60, lambda body: body)
    return added(world, again), [first, again], "placed-again"


def reused(world: World) -> tuple[Capture, list[Record], str]:
    """Its key is used for something else."""
    _, (first, _), _ = placed_again(world)
    again = later(world, first, 60, lambda body: {**body, "data": {**body["data"], "subject": "Another"}})
    return added(world, again), [first, again], "key-reused"


def moved_back(world: World) -> tuple[Capture, list[Record], str]:
    """An inquiry shows a paid order as pending, a minute after another showed it as paid."""
    first = next(
        record
        for records in world.capture.values()
        for record in records
        if "paymentOrderQry" in record["url"] and b'"SUCCESS"' in body_of(record, "response")
    )
    again = later(world, first, 60, lambda body: body)
    answer = json.loads(body_of(first, "response"))
    answer["data"]["status"] = "PENDING"
    put_body(again, "response", answer, world.signers["gateway"])
    return added(world, again), [first, again], "state-moved-back"


PLANTED = (placed_again, reused, moved_back)
ALSO = {"state-moved-back": ("notification-disagrees",), "key-reused": ("placed-again",)}
"""What a fault is too, against another exchange than the one that shows it best."""


def later(world: World, record: Record, seconds: float, change: Callable[[Any], Any]) -> Record:
    """The same exchange so much later, signed anew."""
    again = json.loads(json.dumps(record))
    at = (datetime.fromisoformat(record["at"]) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
    again["at"], again["source"] = at, "planted"
    if again["response"] is not None:  # the answer of another second
        again["response"]["headers"] = [pair for pair in again["response"]["headers"] if pair[0] != "date"]
    body = change(json.loads(body_of(record, "request")))
    put_body(again, "request", {**body, "requestTime": at}, world.signers["merchant"])
    return again  # type: ignore[no-any-return]


def added(world: World, record: Record) -> Capture:
    name, records = next(iter(world.capture.items()))
    return {**world.capture, name: sorted([*records, record], key=lambda one: str(one["at"]))}


def whole(record: Record, capture: Capture) -> bool:
    """Whether a capture has an exchange with both bodies, and all that was said of it at its time."""
    return any(
        one.get("at") == record["at"] and all(one[side] == record[side] for side in ("request", "response"))
        for records in capture.values()
        for one in records
    )


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_fault_is_an_error_wherever_its_evidence_is_left(
    world: World, tmp_path: Path, plant: Callable[[World], tuple[Capture, list[Record], str]]
) -> None:
    capture, evidence, code = plant(world)
    left = 0
    for number, (name, operator) in enumerate(ALL.items()):
        here = tmp_path / f"{number}"
        here.mkdir()
        seen = operator(capture, Random(name))
        found = {group.code for group in audited(world, seen, here).groups if group.severity is Severity.ERROR}
        apart = name.startswith("a clock") or name in ("seen masked", "seen with lost bodies")
        if all(whole(record, seen) for record in evidence) and not apart:
            left += 1
            assert code in found, name
        assert found <= {code, *ALSO.get(code, ())}, name
    assert left > len(ALL) // 3
