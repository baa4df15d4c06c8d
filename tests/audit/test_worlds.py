"""Worlds without a fault are not accused, whatever became of them when they were captured."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_audit import AuditSettings, Report, Severity, audit_files
from tests.audit.helpers.operators import ALL, LOSSLESS, composed
from tests.audit.helpers.worlds import Capture, Record, World, body_of, make_world, put_body
from tests.support.pairs import one_of

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


@pytest.mark.parametrize(
    ("name", "complete"),
    [*one_of(2, product(ALL, [False])), *(pytest.param(name, True, marks=pytest.mark.slow) for name in LOSSLESS)],
)
def test_a_world_without_fault_is_not_accused(world: World, tmp_path: Path, name: str, complete: bool) -> None:
    report = audited(world, ALL[name](world.capture, Random(name)), tmp_path, complete=complete)
    assert accusations(report) == []
    assert not report.totals.unreadable


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


def recorded(world: World, words: str, answered: bytes) -> Record:
    """The first exchange of the world whose URL or request has these words, with this in its answer."""
    return next(
        record
        for records in world.capture.values()
        for record in records
        if words in record["url"] + body_of(record, "request").decode() and answered in body_of(record, "response")
    )


def placed(world: World, **changed: object) -> list[Record]:
    """An order that the gateway made, and its request a minute later, with a time and a signature of its own."""
    first = recorded(world, "Hosted_Checkout", b"APPLY_SUCCESS")
    return [first, later(world, first, 60, lambda body: {**body, "data": {**body["data"], **changed}})]


def in_capitals(world: World) -> list[Record]:
    key = json.loads(body_of(placed(world)[0], "request"))["data"]["outTradeNo"]
    return placed(world, outTradeNo=key.swapcase())


def inquired(world: World, **shown: object) -> list[Record]:
    """An inquiry of a paid order, and one a minute later that is answered otherwise."""
    first = recorded(world, "paymentOrderQry", b'"SUCCESS"')
    again = later(world, first, 60, lambda body: body)
    answer = json.loads(body_of(first, "response"))
    put_body(again, "response", {**answer, "data": {**answer["data"], **shown}}, world.signers["gateway"])
    return [first, again]


def refunded(world: World, amount: str, currency: str | None = None) -> list[Record]:
    """An inquiry of a paid order, and a refund of it that the gateway makes."""
    first, refund = inquired(world)
    paid = json.loads(body_of(first, "response"))["data"]["trade"]
    data = {
        "outRefundNo": "PLANTED_1",
        "outTradeNo": json.loads(body_of(first, "request"))["data"]["outTradeNo"],
        "refundAmount": float(paid["amount"]) + 1 if amount == "more" else float(amount),
        "refundCurrency": currency or paid["currency"],
    }
    refund["url"] = refund["url"].replace(
        CONTRACT.operation("orders.query").path, CONTRACT.operation("refunds.create").path
    )
    put_body(refund, "request", {**json.loads(body_of(refund, "request")), "data": data}, world.signers["merchant"])
    answer = CONTRACT.example("refunds.create.response")
    answer["data"].update({name: value for name, value in data.items() if name in answer["data"]})
    put_body(refund, "response", answer, world.signers["gateway"])
    return [first, refund]


PLANTED: dict[str, tuple[str, Callable[[World], list[Record]]]] = {
    "an order is placed again": ("placed-again", placed),
    "its key is used for another": ("key-reused", lambda world: placed(world, subject="Another")),
    "its key is used in another case": ("key-reused", in_capitals),
    "a paid order is shown as pending": ("state-moved-back", lambda world: inquired(world, status="PENDING")),
    "a paid order is shown as failed": ("state-moved-back", lambda world: inquired(world, status="FAILED")),
    "an inquiry is answered with another order": ("echo", lambda world: inquired(world, outTradeNo="ANOTHER_1")[1:]),
    "more is refunded than was paid": ("refund-exceeds-paid", lambda world: refunded(world, "more")),
    "another currency is refunded": ("refund-currency", lambda world: refunded(world, "1", "CHF")),
}
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
@pytest.mark.parametrize("every", [2, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_fault_is_an_error_wherever_its_evidence_is_left(
    world: World, tmp_path: Path, what: str, every: int
) -> None:
    code, plant = PLANTED[what]
    evidence = plant(world)
    capture = added(world, evidence[-1])
    left = 0
    chosen = [*ALL.items()][[*PLANTED].index(what) % every :: every]
    for number, (name, operator) in enumerate(chosen):
        here = tmp_path / f"{number}"
        here.mkdir()
        seen = operator(capture, Random(name))
        found = {group.code for group in audited(world, seen, here).groups if group.severity is Severity.ERROR}
        apart = name.startswith("a clock") or name in ("seen masked", "seen with lost bodies")
        if all(whole(record, seen) for record in evidence) and not apart:
            left += 1
            assert code in found, name
        assert found <= {code, *ALSO.get(code, ())}, name
    assert left > len(chosen) // 4
