"""Faults of every kind planted in a capture in three forms: each is found where it was planted, and nothing else is.

The small capture is of `make test-slow`; the one of 100,000 exchanges of `make test-full`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paywright_audit.input.captures.reading import read_input
from paywright_audit.input.records import Exchange
from paywright_audit.judging.judge import judge
from paywright_audit.judging.matching import Matcher
from paywright_audit.judging.signatures import LOST, Keys
from paywright_cli.main import main
from paywright_runtime.signing.keys import load_public_key
from tests.audit.helpers.planted_capture import KINDS, Capture, Found, make_capture

pytestmark = pytest.mark.slow
Property = Callable[[str, object], None]


@pytest.fixture(scope="module")
def small(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return make_capture(secrets, tmp_path_factory.mktemp("small"), 3_000, 6, 1)


@pytest.fixture(scope="module")
def large(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return make_capture(secrets, tmp_path_factory.mktemp("large"), 100_000, 60, 2)


def audit(
    capture: Capture, keys: Path, capsys: pytest.CaptureFixture[str], folder: Path, jobs: int, *, merchant: bool = True
) -> tuple[int, str, dict[str, bytes]]:
    """The exit code, what was printed, and every report that can be written."""
    given = ["--gateway-key", str(keys / "gateway.pub")]
    given += ["--merchant-key", str(keys / "merchant.pub")] * merchant
    folder.mkdir()
    written = [folder / "report.json", folder / "found.jsonl"]
    for file in written:
        given += ["--write", str(file)]
    options = ["--format", "json", "--complete", "--evidence", "1000", "--jobs", str(jobs), *given]
    code = main(["audit", *map(str, capture.files), *options])
    out = capsys.readouterr()
    assert out.err == ""
    return code, out.out, {file.name: file.read_bytes() for file in written}


def said(lines: list[dict[str, Any]]) -> Iterator[tuple[str, str, str, str, str, str, bool]]:
    """Of each finding and note: file, place, operation, part, pointer, code, and which of the two it is."""
    for line in lines:
        if line["type"] in ("finding", "note"):
            names = ("file", "place", "operation", "part", "pointer", "code")
            file, place, operation, part, pointer, code = (line[name] for name in names)
            yield file, place, operation, part, pointer, code, line["type"] == "note"


def due(found: Found) -> tuple[str, str, str, str, str, str, bool]:
    planted = found.planted
    return (found.file, found.place, planted.operation, planted.part, planted.pointer, planted.code, planted.note)


def test_there_are_many_kinds_of_faults_and_each_is_planted(small: Capture) -> None:
    silent = set(KINDS) - {found.planted.kind for found in small.planted}
    # Of some nothing has to be found, but of their signatures something has to be said.
    assert len(KINDS) >= 140
    assert silent == {
        "body lost", "changed though accepted", "notification lost", "parsed and changed", "text changed", "text record changed",
        "truncated", "truncated request", "truncated by length", "packed before signing", "symmetric", "packed on the wire",
        "snap newline", "snap of other bytes", "text that holds",
    }  # fmt: skip


@pytest.mark.parametrize(("size", "least"), [("small", 0), pytest.param("large", 100_000, marks=pytest.mark.full)])
def test_every_fault_is_found_where_it_is_and_nothing_else(
    size: str, least: int, request: pytest.FixtureRequest, secrets: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], record_property: Property,
) -> None:  # fmt: skip
    capture: Capture = request.getfixturevalue(size)
    assert capture.exchanges >= least
    code, out, reports = audit(capture, secrets, capsys, tmp_path / "one", 1)
    lines = [json.loads(line) for line in out.splitlines()]
    unverified = Counter(
        (line["file"], line["place"]) for line in lines if line.get("code") == "signature-unverifiable"
    )
    assert unverified == Counter(
        {
            place: n
            for place, told in capture.verdicts.items()
            if (n := sum(one.state == "unverifiable" for one in told))
        }
    )
    found = Counter(one for one in said(lines) if one[5] != "signature-unverifiable")
    planted = Counter(map(due, capture.planted))
    kinds = {due(one): one.planted.kind for one in capture.planted}
    missed, extra = planted - found, found - planted
    assert not missed, [(kinds[one], one) for one in list(missed)[:20]]
    assert not extra, list(extra)[:20]
    last = lines[-1]
    notes = sum(one.planted.note for one in capture.planted)
    assert (code, last["unreadable"], last["exchanges"]) == (1, 0, capture.exchanges)
    assert (last["findings"], last["notes"]) == (len(capture.planted) - notes, notes + unverified.total())
    told = [one for every in capture.verdicts.values() for one in every]
    states = Counter(one.state for one in told)
    assert last["signatures"] == {name: states[name] for name in ("valid", "invalid", "unverifiable", "absent")}
    assert last["unverifiable"] == Counter(LOST[one.why] for one in told if one.state == "unverifiable")
    record_property("count: exchanges audited with planted faults", capture.exchanges)
    record_property("count: faults planted, and found there", len(capture.planted))
    record_property("count: signatures judged as they were made", states.total())
    for jobs in (2, 3):
        assert audit(capture, secrets, capsys, tmp_path / str(jobs), jobs) == (code, out, reports)


def test_of_every_signature_the_verdict_is_right_at_its_place(small: Capture, secrets: Path) -> None:
    keys = Keys([load_public_key(secrets / "merchant.pub")], [load_public_key(secrets / "gateway.pub")])
    matcher = Matcher()
    wrong = []
    for file in small.files:
        for exchange in read_input(str(file)):
            assert isinstance(exchange, Exchange)
            match = matcher.match(exchange)
            verdicts = judge(exchange, match, keys).signatures if match is not None else []
            expected = small.verdicts[str(file), f"{exchange.place} {exchange.number}"]
            if [verdict[:2] for verdict in verdicts] != [one[1:] for one in expected]:
                wrong.append((file.name, exchange.place, exchange.number, expected, verdicts))
    assert wrong == []


def test_without_a_key_nothing_that_needs_it_is_told(
    small: Capture, secrets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = audit(small, secrets, capsys, tmp_path / "out", 1, merchant=False)
    last = json.loads(out.splitlines()[-1])
    told = [one for every in small.verdicts.values() for one in every]
    without_it = ("absent", "symmetric", "truncated")  # what is told without a key
    untold = [one for one in told if one.whose == "merchant" and one.why not in without_it]
    assert len(untold) > 1000
    assert last["unverifiable"]["no key of that side was given"] == len(untold)
    assert last["signatures"]["valid"] == sum(one.state == "valid" and one.whose == "gateway" for one in told)


def test_the_capture_is_a_function_of_its_seed(secrets: Path, tmp_path: Path) -> None:
    made = []
    for name, processes in (("one", 1), ("two", 2)):
        folder = tmp_path / name
        folder.mkdir()
        capture = make_capture(secrets, folder, 600, 3, processes)
        made.append([file.read_bytes() for file in capture.files if file.suffix != ".gz"])
    assert made[0] == made[1]
