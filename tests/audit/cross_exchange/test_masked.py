"""Values are hidden, one after another and wherever they stand: nobody is accused of what cannot be seen."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import pytest

from paywright_audit import AuditSettings, Severity, audit_files
from paywright_runtime.signing.keys import load_public_key
from tests.audit.helpers.planted_across import ACROSS, GOOD
from tests.audit.helpers.planted_capture import make_stranger
from tests.audit.helpers.planted_story import Story
from tests.audit.helpers.planted_writing import pen

Place = tuple[str | int, ...]
MARKS = ("***", "[REDACTED]")
UNKNOWN = ("unknown-value", "other-version")
SIDES = ("request", "response")


@pytest.fixture(scope="module")
def secrets(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(copytree(keys / "keys", tmp_path_factory.mktemp("masked") / "keys"))
    make_stranger(folder)
    return folder


def records_of(stories: Sequence[Callable[[Story], None]], secrets: Path) -> list[Any]:
    """The exchanges of stories, whose bodies are JSON values."""
    records = []
    for number, tell in enumerate(stories):
        story = Story(number, Random(number))
        tell(story)
        for draft in story.drafts:
            draft.form = "records"
            records.append(json.loads(pen(secrets).write(draft)))
    for record in records:
        for side in parts(record):
            record[side]["body"] = json.loads(b64decode(record[side]["body"]["base64"]))
    return sorted(records, key=lambda one: str(one["at"]))


@pytest.fixture
def errors(secrets: Path, tmp_path: Path) -> Callable[[list[Any], bool], set[tuple[str, str]]]:
    sides = {f"{whose}_keys": [load_public_key(secrets / f"{whose}.pub")] for whose in ("merchant", "gateway")}

    def found(records: list[Any], complete: bool) -> set[tuple[str, str]]:
        lines = deepcopy(records)
        for record in lines:
            for side in parts(record):
                raw = json.dumps(record[side]["body"], separators=(",", ":"), ensure_ascii=False).encode()
                record[side]["body"] = {"base64": b64encode(raw).decode()}
        file = tmp_path / "captured.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        report = audit_files([file], AuditSettings(complete=complete, **sides))  # type: ignore[arg-type]
        # Notes say what cannot be known now; but none says that the contract lacks what is hidden.
        told = [one for one in report.groups if one.severity is not Severity.NOTE or one.code in UNKNOWN]
        return {(one.code, one.operation) for one in told}

    return found


def parts(record: Any) -> list[str]:
    return [side for side in SIDES if record[side] is not None]


def places(value: object, path: Place = ()) -> Iterator[Place]:
    """Every value but those of headers' names."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))
    elif "headers" not in path or path[-1] == 1:
        yield path


def hide(record: Any, place: Place, mark: str) -> None:
    for step in place[:-1]:
        record = record[step]
    record[place[-1]] = mark


def hideable(record: Any) -> list[Place]:
    return [
        (side, *place)
        for side in parts(record)
        for place in places({"headers": record[side]["headers"], "body": record[side]["body"]})
    ]


def told(stories: Sequence[Callable[[Story], None]], quick: bool) -> list[Any]:
    """Each story as a whole capture and as a part of one; of `quick` ones every other is left to the slow tests."""
    return [
        pytest.param(story, complete, marks=() if quick and number % 2 == complete else pytest.mark.slow)
        for number, story in enumerate(stories)
        for complete in (False, True)
    ]


@pytest.mark.parametrize(("story", "complete"), [*told([story for story, _ in GOOD], True), *told(ACROSS, False)])
def test_one_hidden_value_adds_no_fault(
    story: Callable[[Story], None], secrets: Path, errors: Any, complete: bool
) -> None:
    records = records_of([story], secrets)
    known, wrong = errors(records, complete), {}
    assert story in ACROSS or known == set()
    # A key was used twice, whatever is hidden of what for.
    known |= {("placed-again", operation) for code, operation in known if code == "key-reused"}
    for number, record in enumerate(records):
        for at, place in enumerate(hideable(record)):
            left = deepcopy(records)
            hide(left[number], place, MARKS[at % 2])
            if found := errors(left, complete) - known:
                wrong[record["url"], place] = found
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("complete", [False, True])
def test_a_member_that_is_hidden_everywhere_accuses_nobody(secrets: Path, errors: Any, complete: bool) -> None:
    def name(record: Any, place: Place) -> str:
        inside = (
            record[place[0]]["headers"][place[2]][0]
            if place[1] == "headers"
            else [one for one in place if isinstance(one, str)][-1]
        )
        return str(inside)

    captured, wrong = records_of([story for story, _ in GOOD], secrets), {}
    for hidden in sorted({name(record, place) for record in captured for place in hideable(record)}):
        records = deepcopy(captured)
        for record in records:
            for place in hideable(record):
                if name(record, place) == hidden:
                    hide(record, place, MARKS[len(hidden) % 2])
        if found := errors(records, complete):
            wrong[hidden] = found
    assert wrong == {}
