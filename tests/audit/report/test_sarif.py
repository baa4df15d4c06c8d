"""The SARIF report: valid, exact, the same result for the same group in every run, and nothing hostile in it that acts.

The official schema may not be redistributed under this project's licence. `SHAPE` says what it says of the
objects that are written here; whoever has a copy names it in TEST_SARIF_SCHEMA.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest

from paywright_audit.judging.findings import RULES, VALIDATORS, Severity
from paywright_audit.report.model import Evidence, Group, Judged, Report, Totals, Unread
from paywright_audit.report.rule_words import words_of
from paywright_audit.report.sarif import write_sarif
from paywright_audit.settings.config import known_codes
from tests.audit.helpers.records import Scribe
from tests.audit.helpers.reports import options, spoiled, written
from tests.audit.helpers.sessions import random_session

CAPS = pytest.CaptureFixture[str]


def run(folder: Path, capsys: CAPS, raw: bytes, *more: str, name: str = "seen.jsonl") -> tuple[int, dict[str, Any]]:
    code, text = written(folder, capsys, raw, "sarif", *more, name=name)
    assert text.isascii()
    log = json.loads(text)
    jsonschema.Draft202012Validator(SHAPE).validate(log)
    (found,) = log["runs"]
    return code, found


def test_a_session_without_fault_has_no_result(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    code, found = run(tmp_path, capsys, random_session(keys, 30), *options(keys))
    assert code == 0
    assert found["results"] == found["tool"]["driver"]["rules"] == []
    assert found["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_a_result_says_rule_place_and_count(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    scribe = Scribe(keys)
    for number in range(3):
        scribe.call("orders.checkout", {"outTradeNo": f"O{number}", "currency": "US"}, {"outTradeNo": f"O{number}"})
    code, found = run(tmp_path, capsys, b"\n" + scribe.bytes(), *options(keys), name="a b%é#.jsonl")
    (result,) = found["results"]
    assert code == 1
    assert (result["ruleId"], result["level"], result["occurrenceCount"]) == ("format", "error", 3)
    assert result["properties"]["contract"].startswith("spec/orders.yaml:")
    assert result["properties"]["contract"] in result["message"]["text"]
    assert result["partialFingerprints"] == {"paywrightGroup/v1": "orders.checkout request /data/currency format"}
    assert "baselineState" not in result
    assert result["suppressions"] == []
    places = [one["physicalLocation"] for one in (*result["locations"], *result["relatedLocations"])]
    assert [place["region"]["startLine"] for place in places] == [2, 3, 4]
    (artifact,) = found["artifacts"]
    assert all(place["artifactLocation"] == {**artifact["location"], "index": 0} for place in places)
    uri = urlsplit(artifact["location"]["uri"])
    assert uri.scheme == "file"
    assert unquote(uri.path) == str(tmp_path / "a b%é#.jsonl")
    (rule,) = found["tool"]["driver"]["rules"]
    assert rule["id"] == "format"
    assert rule["help"]["text"].startswith(VALIDATORS["format"])


def test_a_rule_of_the_contract_is_told_in_its_words_and_lines(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    scribe = Scribe(keys)
    scribe.call("refunds.create", {"outTradeNo": None, "tradeToken": None})
    _, found = run(tmp_path, capsys, scribe.bytes(), *options(keys))
    (rule,) = [one for one in found["tool"]["driver"]["rules"] if one["id"] == "which-order"]
    (line,) = rule["properties"]["contract"]
    assert line.startswith("spec/refunds.yaml:")
    assert "need outTradeNo or tradeToken" in rule["shortDescription"]["text"]
    assert line in rule["help"]["text"]


def test_every_code_that_a_finding_can_have_has_words() -> None:
    for code in known_codes():
        words = words_of(code)
        assert "The code" not in words.short
        assert len(set(words.lines)) == len(words.lines)
    assert VALIDATORS.keys().isdisjoint(RULES)
    assert words_of("unheard-of").short == "The code unheard-of."


def test_baseline_and_suppressions_are_told(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    scribe = Scribe(keys)
    scribe.call("orders.checkout", {"outTradeNo": "O1", "currency": "US"}, {"outTradeNo": "O1", "new": "x"})
    base, config = tmp_path / "base.json", tmp_path / "audit.toml"
    config.write_text('[[suppress]]\nrule = "unknown-field"\nreason = "release 9"\nuntil = 2026-12-31\n')
    more = (*options(keys), "--config", str(config), "--today", "2026-01-01")
    run(tmp_path, capsys, scribe.bytes(), *more, "--write-baseline", str(base))
    scribe.call("refunds.create", {"outRefundNo": "R" * 65}, {"outRefundNo": "R" * 65}, at=20)
    _, found = run(tmp_path, capsys, scribe.bytes(), *more, "--baseline", str(base))
    states = {one["ruleId"]: (one["baselineState"], one["suppressions"]) for one in found["results"]}
    assert states["format"] == ("unchanged", [])
    assert states["max"] == ("new", [])
    assert states["unknown-field"][1] == [
        {"kind": "external", "status": "accepted", "justification": "release 9", "properties": {"until": "2026-12-31"}}
    ]


def test_what_could_not_be_read_is_a_notification(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    code, found = run(tmp_path, capsys, spoiled(random_session(keys, 40)), *options(keys))
    (invocation,) = found["invocations"]
    assert code == 3
    assert invocation["executionSuccessful"] is False
    assert [one["level"] for one in invocation["toolExecutionNotifications"]] == ["error", "error"]
    assert len(found["results"]) > 50
    assert {one["ruleId"] for one in found["results"]} == {one["id"] for one in found["tool"]["driver"]["rules"]}
    assert all(found["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] for one in found["results"])


def test_the_same_report_is_the_same_bytes_however_many_processes(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    raw = spoiled(random_session(keys, 40))
    made = [written(tmp_path, capsys, raw, "sarif", *options(keys), "--jobs", jobs) for jobs in ("1", "1", "2")]
    assert made[0] == made[1] == made[2]


def report(group: Group, *files: str) -> Report:
    totals = Totals(1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1)
    judged = Judged(2, 2, 2, 2, 1, 1, 0, (), ())
    return Report(
        "paywright 1", files, totals, judged, {}, {}, {}, (group,), (), (), (), (), 60, (), (), "nothing", Severity.ERROR,
    )  # fmt: skip


def group(file: str, place: str, text: str) -> Group:
    evidence = Evidence(file, place, "", f"/{text}", f"{text} is wrong", text, (0, 0, 0))
    named = "id", "echo", Severity.ERROR, "", "o", "request", "/?"
    return Group(*named, 1, True, 0, None, "", f"{text}!", "spec/a.yaml:1", (evidence,))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{0} {}", "{{0}} {{}}"),
        ("[here](http://evil.example)", "[here] (http://evil.example)"),
        ("\x1b[31m", "\\u{{1b}}[31m"),
        ("\u202ex", "\\u{{202e}}x"),
    ],
)
def test_texts_of_others_are_neither_placeholders_nor_links_nor_invisible(text: str, shown: str) -> None:
    log = json.loads(write_sarif(report(group("f.jsonl", "line 1", text), "f.jsonl")))
    message = log["runs"][0]["results"][0]["message"]["text"]
    assert f", /?: {shown}! (spec/a.yaml:1) First shown at line 1: /{shown}: {shown} is wrong [{shown}]" in message


@pytest.mark.parametrize(
    ("file", "location"),
    [
        ("log.jsonl", {"uri": "log.jsonl"}),
        ("./logs/a:b.jsonl", {"uri": "./logs/a%3Ab.jsonl"}),
        ("/var/a b", {"uri": "file:///var/a%20b"}),
        ("standard input", {"description": {"text": "standard input"}}),
    ],
)
def test_a_file_is_told_as_an_address(file: str, location: dict[str, object]) -> None:
    log = json.loads(write_sarif(report(group(file, "entry 3", "x"), file)))
    (place,) = log["runs"][0]["results"][0]["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {**location, "index": 0}}
    assert log["runs"][0]["artifacts"][0]["location"] == location


def test_more_unreadable_places_than_are_kept_are_counted() -> None:
    one = report(group("f", "line 1", "x"), "f")
    found = replace(one, totals=replace(one.totals, unreadable=50), unreadable=(Unread("f", "line 2", "is cut"),) * 20)
    log = json.loads(write_sarif(found))
    notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert len(notes) == 21
    assert notes[-1]["message"]["text"] == "and 30 more places could not be read"


@pytest.mark.full
def test_the_official_schema_agrees(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    named = os.environ.get("TEST_SARIF_SCHEMA")
    if not named:
        pytest.skip("no copy of the schema of SARIF 2.1.0: name one in TEST_SARIF_SCHEMA")
    schema = json.loads(Path(named).read_text(encoding="utf-8"))
    _, text = written(tmp_path, capsys, spoiled(random_session(keys, 100)), "sarif", *options(keys), "--reveal")
    jsonschema.validators.validator_for(schema)(schema).validate(json.loads(text))


_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_BAG: Final = {"type": "object"}


def _object(due: str = "", **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": due.split(), "additionalProperties": False}


def _list(of: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": of, **more}


def _one(*values: str) -> dict[str, Any]:
    return {"enum": list(values)}


_MESSAGE: Final = _object("text", text=_TEXT)
_LEVEL: Final = _one("none", "note", "warning", "error")
_ARTIFACT: Final = _object(uri={"type": "string", "format": "uri-reference"}, index=_COUNT, description=_MESSAGE)
_PHYSICAL: Final = _object(
    "artifactLocation", artifactLocation=_ARTIFACT, region=_object(startLine={"type": "integer", "minimum": 1})
)
_LOCATION: Final = _object(
    id=_COUNT,
    physicalLocation=_PHYSICAL,
    logicalLocations=_list(_object(name=_TEXT, fullyQualifiedName=_TEXT, kind=_TEXT), uniqueItems=True),
    message=_MESSAGE,
)
_RULE: Final = _object(
    "id", id=_TEXT, shortDescription=_MESSAGE, help=_MESSAGE, defaultConfiguration=_object(level=_LEVEL), properties=_BAG,
)  # fmt: skip
_RESULT: Final = _object(
    "message", ruleId=_TEXT, ruleIndex=_COUNT, level=_LEVEL, message=_MESSAGE,
    occurrenceCount={"type": "integer", "minimum": 1},
    partialFingerprints={"type": "object", "additionalProperties": _TEXT},
    suppressions=_list(
        _object(
            "kind", kind=_one("inSource", "external"), status=_one("accepted", "underReview", "rejected"),
            justification=_TEXT, properties=_BAG,
        ),
        uniqueItems=True,
    ),
    baselineState=_one("new", "unchanged", "updated", "absent"), locations=_list(_LOCATION),
    relatedLocations=_list(_LOCATION, uniqueItems=True), properties=_BAG,
)  # fmt: skip
_NOTIFICATION: Final = _object("message", level=_LEVEL, message=_MESSAGE, locations=_list(_LOCATION, uniqueItems=True))
_RUN: Final = _object(
    "tool",
    tool=_object(
        "driver",
        driver=_object("name", name=_TEXT, version=_TEXT, shortDescription=_MESSAGE, rules=_list(_RULE, uniqueItems=True)),
    ),
    columnKind=_one("utf16CodeUnits", "unicodeCodePoints"),
    invocations=_list(
        _object("executionSuccessful", executionSuccessful={"type": "boolean"}, toolExecutionNotifications=_list(_NOTIFICATION)),
    ),
    artifacts=_list(_object(location=_ARTIFACT, roles=_list(_one("analysisTarget", "standardStream"), uniqueItems=True)), uniqueItems=True),
    results=_list(_RESULT),
    properties=_BAG,
)  # fmt: skip
SHAPE: Final = _object(
    "version runs", **{"$schema": {"type": "string", "format": "uri"}, "version": _one("2.1.0"), "runs": _list(_RUN)}
)
