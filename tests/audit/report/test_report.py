"""What becomes of findings: weights, baselines, samples, values; the same for one process and for several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paywright_audit.judging.findings import GroupKey
from paywright_audit.judging.values import Showing, shown_value
from paywright_audit.running import tasks
from paywright_cli.main import main
from tests.audit.helpers.records import Scribe
from tests.audit.helpers.sessions import random_session
from tests.support.keys import key_pair

CARD = "4444333322221111"


@pytest.fixture
def scribe(keys: Path) -> Scribe:
    """A capture with an error, a warning and a note."""
    made = Scribe(keys)
    made.call("orders.checkout", {"outTradeNo": "O1", "currency": "US"}, {"outTradeNo": "O1", "new": CARD})
    made.call("orders.query", {"outTradeNo": "O1"}, at=10)
    made.records[1]["response"]["status"] = 502
    return made


def run(scribe: Scribe, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, Any, Any]:
    file = folder / "log.jsonl"
    file.write_bytes(scribe.bytes())
    code = main(["audit", str(file), "--format", "json", *scribe.options(), *options])
    out = capsys.readouterr()
    assert code in (0, 1), out.err
    *lines, last = map(json.loads, out.out.splitlines())
    return code, lines, last


def test_severities_decide_what_fails(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, last = run(scribe, tmp_path, capsys)
    assert [(line["type"], line["severity"], line["code"]) for line in lines] == [
        ("finding", "error", "format"),
        ("note", "note", "unknown-field"),
        ("finding", "warning", "http-status"),
    ]
    assert (code, last["errors"], last["warnings"], last["notes"], last["findings"]) == (1, 1, 1, 1, 2)
    config = tmp_path / "audit.toml"
    config.write_text('[severity]\nformat = "warning"\n"orders.query http-status" = "note"\n')
    assert run(scribe, tmp_path, capsys, "--config", str(config))[0] == 1
    assert run(scribe, tmp_path, capsys, "--config", str(config), "--fail-on", "error")[0] == 0
    assert run(scribe, tmp_path, capsys, "--config", str(config))[2]["findings"] == 1


@pytest.mark.parametrize(
    ("entries", "severity"),
    [
        ({}, "error"),
        ({"format": "note"}, "note"),
        ({"orders.checkout format": "note"}, "note"),
        ({"orders.checkout format": "note", "format": "warning"}, "note"),
        ({"format": "warning", "orders.checkout format": "note"}, "note"),
        ({"orders.query format": "note", "format": "warning"}, "warning"),
        ({"orders.checkout http-status": "note"}, "error"),
    ],
)
def test_the_entry_of_an_operation_comes_before_that_of_its_code(
    entries: dict[str, str], severity: str, scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "audit.toml"
    config.write_text("\n".join(["[severity]", *(f'"{name}" = "{value}"' for name, value in entries.items())]))
    _, lines, _ = run(scribe, tmp_path, capsys, "--config", str(config))
    assert [line["severity"] for line in lines if line["code"] == "format"] == [severity]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[severity]\nformt = 'note'", "Did you mean format"),
        ("[severity]\nformat = 'bad'", "one of error, warning, note"),
        ("[severity]\n'orders.chekout format' = 'note'", "orders.checkout"),
        ("[other]", "there is no 'other'"),
        ("severity = 5", "there is a table [severity]"),
        ("not toml", "it is not TOML"),
        pytest.param("#" * ((1 << 20) + 1), "there is a table [severity]", id="too long"),
    ],
)
def test_a_wrong_configuration_is_2(text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "audit.toml"
    config.write_text(text)
    assert main(["audit", "x", "--config", str(config)]) == 2
    assert words in capsys.readouterr().err


def test_only_new_findings_fail(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = tmp_path / "baseline.json"
    assert run(scribe, tmp_path, capsys, "--write-baseline", str(base))[0] == 1
    code, lines, last = run(scribe, tmp_path, capsys, "--baseline", str(base))
    assert (code, last["known"], last["failing"], {line["new"] for line in lines}) == (0, 2, 0, {False})
    assert GroupKey("no-json", "", "", "").id == "- - - no-json"  # stored by earlier versions
    scribe.call("refunds.create", {"outRefundNo": "R" * 65}, {"outRefundNo": "R" * 65}, at=20)
    code, lines, last = run(scribe, tmp_path, capsys, "--baseline", str(base))
    assert (code, [line["pointer"] for line in lines if line["new"]]) == (1, ["/data/outRefundNo", "/data/outRefundNo"])
    base.write_text("[]")
    assert main(["audit", "x", "--baseline", str(base)]) == 2


def test_counts_are_exact_evidence_bounded(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scribe.records *= 40

    for jobs in ("1", "2"):
        _, lines, last = run(scribe, tmp_path, capsys, "--evidence", "5", "--jobs", jobs)
        (group,) = [group for group in last["groups"] if group["id"].endswith("format")]
        assert (group["count"], group["shown"]) == (40, 5)
        found = [line["place"] for line in lines if line["code"] == "format"]
        assert found == ["line 1", "line 3", "line 5", "line 7", "line 9"]


@pytest.mark.slow
def test_one_process_and_several_write_the_same_report(
    scribe: Scribe, keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "CHUNK", 1 << 16)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    session = random_session(keys, 150)
    again = Scribe(keys)
    again.call("refunds.create", {"outRefundNo": "R1"}, {"outRefundNo": "R1"})
    again.call("refunds.create", {"outRefundNo": "R1"}, {"outRefundNo": "R1"}, at=20)
    first.write_bytes(session + b"broken\n\n" + scribe.bytes() + again.bytes() + session)
    second.write_bytes(scribe.bytes() * 20 + session)
    made = []
    for number, workers in enumerate(("1", "2", "3")):
        report = tmp_path / f"{number}.json"
        options = ["--jobs", workers, "--write", str(report), "--format", "json", *scribe.options()]
        assert main(["audit", str(first), str(second), str(tmp_path / "absent"), *options]) == 3
        made.append((capsys.readouterr().out, report.read_text()))
    assert made[0] == made[1] == made[2]
    document = json.loads(made[0][1])
    assert document["v"] == 1
    assert {group["code"] for group in document["groups"]} >= {"placed-again", "format", "http-status"}
    assert document["totals"]["unreadable"] == 2


def test_wrong_signatures_are_one_error_a_side(keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The key was another one, or the capture changed all of them: no message by itself is held against its sender."""
    made = Scribe(keys)
    for number in range(3):
        made.call("orders.checkout", {"outTradeNo": f"O{number}"}, {"outTradeNo": f"O{number}"}, at=10 * number)
    log, document, found = (tmp_path / name for name in ("log.jsonl", "report.json", "found.jsonl"))
    log.write_bytes(made.bytes())
    other = tmp_path / "other.pub"
    other.write_text(key_pair(2).public_pem)
    options = [*made.options()[:2], "--gateway-key", str(other)]
    assert main(["audit", str(log), "--write", str(document), "--write", str(found), *options]) == 1
    out = capsys.readouterr().out
    assert "in 3 messages of the gateway no signature holds: another key, or a capture that altered or hides it" in out
    groups = {one["id"]: one for one in json.loads(document.read_text())["groups"]}
    told = {(one["code"], one["severity"], one["by"]) for one in groups.values()}
    assert {("no-signature-holds", "error", ""), ("signature-invalid", "note", "gateway")} == told
    rows = [json.loads(line) for line in found.read_text().splitlines()]
    assert len(rows) == 3
    assert all(row["severity"] == groups[row["group"]]["severity"] for row in rows)


def test_the_document_says_what_was_seen(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    run(scribe, tmp_path, capsys, "--write", str(file))
    document = json.loads(file.read_text())
    assert document["operations"] == {"orders.checkout": 1, "orders.query": 1}
    (group,) = [one for one in document["groups"] if one["code"] == "format"]
    assert group["contract"].startswith("spec/orders.yaml:")
    assert group["evidence"][0]["place"] == "line 1"
    assert main(["audit", "x", "--write", str(tmp_path / "x.pdf")]) == 2


def test_values_are_shown_but_never_cards(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def values(*options: str) -> dict[str, str | None]:
        return {line["code"]: line.get("value") for line in run(scribe, tmp_path, capsys, *options)[1]}

    assert values() == {"format": None, "unknown-field": None, "http-status": None}
    assert values("--values") == {"format": "US", "unknown-field": "****", "http-status": None}
    assert values("--reveal") == {"format": "US", "unknown-field": "****", "http-status": None}


def test_a_value_stands_behind_its_finding(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(scribe.bytes())

    def lines(*options: str) -> list[str]:
        main(["audit", str(file), *scribe.options(), *options])
        return [line for line in capsys.readouterr().out.splitlines() if line.startswith(str(file))]

    bare, shown = lines(), lines("--values")
    assert not any(line.endswith("]") for line in bare)
    assert [line.removeprefix(found) for line, found in zip(shown, bare, strict=True)] == [" [US]", "", " [****]"]


@pytest.mark.parametrize(
    ("value", "redaction", "redacted", "revealed"),
    [
        ("USD", None, "USD", "USD"),
        ("a@b.example", "pii", "****", "a@b.example"),
        ("sig", "secret", "****", "****"), ("444433", "pan", "****", "****"),
        (f"card {CARD} of 4444 3333 2222 1111", None, "card **** of ****", "card **** of ****"),
        ("４４４４３３３３２２２２１１１１", None, "****", "****"),
        (f"99{CARD}00", None, "99****", "99****"),
        ("5555-_-5555./5555~|4444", None, "****", "****"),
        ("11110000111100001", None, "11110000111100001", "11110000111100001"),
        ("\x1b[31mred\x00", None, "[31mred", "[31mred"),
        ("4444\x003333\x1b2222\u200b1111", None, "****", "****"),
        ({"cardNumber": CARD}, None, "an object of 1 members", "an object of 1 members"),
        ([1, 2], None, "an array of 2 elements", "an array of 2 elements"),
        (int(CARD), None, "****", "****"), (True, None, "true", "true"), ("x" * 80, None, "x" * 80, "x" * 80),
        ("x" * 81, None, "x" * 77 + "...", "x" * 77 + "..."),
    ],
)  # fmt: skip
def test_what_a_value_looks_like(value: object, redaction: str | None, redacted: str, revealed: str) -> None:
    assert shown_value(value, redaction, Showing.NOTHING) is None
    assert shown_value(value, redaction, Showing.REDACTED) == redacted
    assert shown_value(value, redaction, Showing.REVEALED) == revealed
