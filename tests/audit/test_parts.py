"""The audit as three functions: what they come to does not depend on how exchanges and rows are cut and ordered."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from random import Random
from shutil import copytree

import pytest

from paywright_audit import (
    AuditInput,
    AuditSettings,
    Exchange,
    OtherVersion,
    Part,
    Round,
    Unreadable,
    audit_files,
    audit_rows,
    json_lines,
    judge,
    key_of,
    merge,
    merge_partials,
    read_input,
    relate,
    text_lines,
)
from paywright_audit.cross_exchange.rules.timing import CaptureFacts
from paywright_audit.report.document import write_json
from paywright_audit.report.model import Report
from paywright_audit.report.sarif import write_sarif
from paywright_runtime.signing.keys import load_public_key
from tests.audit.helpers.planted_capture import Capture, make_capture, make_stranger

POLICY = AuditSettings(today=date(2026, 1, 1)).policy()


@pytest.fixture(scope="module")
def secrets(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(copytree(keys / "keys", tmp_path_factory.mktemp("parts") / "keys"))
    make_stranger(folder)
    return folder


@pytest.fixture(scope="module")
def capture(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return make_capture(secrets, tmp_path_factory.mktemp("cut"), 1_200, 7, 1)


@pytest.fixture(scope="module")
def given(secrets: Path, capture: Capture) -> AuditInput:
    return settings_of(secrets).input([str(file) for file in capture.files])


def settings_of(secrets: Path) -> AuditSettings:
    merchant, gateway = (load_public_key(secrets / f"{side}.pub") for side in ("merchant", "gateway"))
    return AuditSettings(merchant_keys=[merchant], gateway_keys=[gateway], today=date(2026, 1, 1), evidence=3)


def placed(capture: Capture) -> list[Exchange | Unreadable]:
    found = []
    for file in capture.files:
        for one in read_input(str(file)):
            one.file = str(file)
            found.append(one)
    return found


def shown(report: Report) -> str:
    return "\n".join([write_json(report), *json_lines(report)])


def cut(records: Sequence[Exchange | Unreadable], random: Random) -> list[list[Exchange | Unreadable]]:
    """The records in another order, in parts of any size."""
    shuffled = list(records)
    random.shuffle(shuffled)
    places = sorted({0, len(shuffled), *random.sample(range(len(shuffled)), random.randrange(1, 12))})
    return [shuffled[start:end] for start, end in pairwise(places)]


def shuffled(parts: Sequence[Part], random: Random) -> list[Part]:
    """The parts in another order, and the rows of all of them in another order and other parts."""
    rows = [row for part in parts for row in part.rows]
    random.shuffle(rows)
    at = sorted(random.randrange(len(rows) + 1) for _ in parts[1:])
    pieces = [rows[start:end] for start, end in pairwise([0, *at, len(rows)])]
    made = [Part(part.partial, piece) for part, piece in zip(parts, pieces, strict=True)]
    random.shuffle(made)
    return made


def compare(capture: Capture, given: AuditInput, orders: int, due: str) -> None:
    records = placed(capture)
    for seed in range(orders):
        random = Random(seed)
        if seed % 20 == 0:
            parts = [judge(some, given) for some in cut(records, random)]
        assert shown(audit_rows(shuffled(parts, random), given.settings, POLICY)) == due


@pytest.fixture(scope="module")
def of_files(capture: Capture, secrets: Path) -> Report:
    return audit_files(capture.files, settings_of(secrets))


@pytest.mark.slow
def test_any_order_and_cut_gives_the_same_report_as_the_files(
    capture: Capture, given: AuditInput, of_files: Report, record_property: Callable[[str, object], None]
) -> None:
    compare(capture, given, 20, shown(of_files))
    record_property("count: random orders and cuts of rows with the same report", 20)


@pytest.mark.full
def test_the_same_of_two_hundred_and_twenty_orders_and_cuts(
    capture: Capture, given: AuditInput, of_files: Report, record_property: Callable[[str, object], None]
) -> None:
    compare(capture, given, 220, shown(of_files))
    record_property("count: random orders and cuts of rows with the same report", 220)


@pytest.mark.slow
def test_where_the_input_has_no_places_any_order_and_cut_gives_the_same_report(
    capture: Capture, given: AuditInput, of_files: Report
) -> None:
    """As for a table: no file, no line. What is found is ordered by what the exchanges say."""
    records = [*placed(capture), Unreadable("", "it is no record")]
    for one in records:
        one.file, one.place, one.number, one.offset = "", "", 0, 0
    settings = given.settings._replace(names=())
    reports = []
    for seed in range(5):
        random = Random(seed)
        parts = [judge(some, given) for some in cut(records, random)]
        reports.append(audit_rows(shuffled(parts, random), settings, POLICY))
    assert len(set(map(shown, reports))) == 1
    assert reports[0].files == ()
    lines = list(text_lines(reports[0]))
    assert sum(line.startswith("2025-") for line in lines) == 40
    assert all("physicalLocation" not in line for line in write_sarif(reports[0]).splitlines())
    assert {(one.file, one.place) for group in reports[0].groups for one in group.evidence} == {("", "")}
    assert {one.id: one.count for one in reports[0].groups} == {one.id: one.count for one in of_files.groups}


def test_a_partial_result_of_another_release_is_refused(given: AuditInput) -> None:
    pickled = pickle.dumps(judge([], given).partial)
    assert pickle.loads(pickled).exchanges == 0
    from paywright_runtime.version import VERSION

    other = pickled.replace(VERSION.encode(), b"9" * len(VERSION))
    assert other != pickled
    with pytest.raises(OtherVersion, match="one release"):
        pickle.loads(other)


def test_rows_of_several_keys_are_refused(capture: Capture, given: AuditInput) -> None:
    rows = [row for row in judge(placed(capture), given).rows if key_of(row).round is Round.SUBJECT]
    with pytest.raises(ValueError, match="one key at a time"):
        relate(rows, given.settings, CaptureFacts())


def test_the_order_of_merging_makes_no_difference(capture: Capture, given: AuditInput) -> None:
    partials = [judge(some, given).partial for some in cut(placed(capture), Random(5))]
    due = shown(merge(partials, given.settings, POLICY))
    half = len(partials) // 2
    nested = [merge_partials(partials[half:], given.settings), merge_partials(partials[:half][::-1], given.settings)]
    assert shown(merge(nested, given.settings, POLICY)) == due


def test_all_findings_are_returned_if_they_are_asked_for(capture: Capture, given: AuditInput) -> None:
    part: Part = judge(placed(capture), given, findings=True)
    counts = sum(group.count for group in part.partial.groups.values())
    assert len(part.findings) == counts > 50
    assert {one.place.file for one in part.findings} == set(map(str, capture.files))
    assert judge(placed(capture), given).findings == ()
