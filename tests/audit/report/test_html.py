"""The HTML report: one file that needs nothing else, says what the audit found, and lets nothing hostile act in it."""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_audit.judging.values import Showing
from paywright_audit.report.html import write_html
from paywright_audit.report.model import Evidence, Report
from paywright_audit.running.jobs import audit_files
from paywright_audit.settings.audit_settings import AuditSettings
from tests.audit.helpers.records import Scribe
from tests.audit.helpers.reports import HOSTILE, Page, options, spoiled, written
from tests.audit.helpers.sessions import random_session
from tests.support.examples import examples

CAPS = pytest.CaptureFixture[str]
EMPTY = b'{"log": {"version": "1.2", "entries": []}}'
# fmt: off
TAGS = {
    "html", "head", "meta", "title", "link", "style", "body", "a", "header", "p", "b", "nav", "ul", "li", "main", "div",
    "h1", "h2", "h3", "span", "bdi", "section", "details",
    "summary", "table", "caption", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd", "code", "pre", "mark", "abbr", "strong", "input", "label",
    "footer",
}
# fmt: on
SECTIONS = {"signatures", "findings", "coverage", "settings"}


@pytest.fixture(scope="module")
def report(keys: Path, public: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Of a session that went wrong in every way, half of it in a baseline."""
    file = tmp_path_factory.mktemp("spoiled") / 'a <b>"x"&.jsonl'
    file.write_bytes(spoiled(random_session(keys, 120), rounds=2))
    asked = AuditSettings(showing=Showing.REVEALED, **public)
    files = (str(file), "-absent-")
    known = {group.id: group.count for group in audit_files(files, asked).groups[::2]}
    return audit_files(files, replace(asked, baseline=known))


def test_a_session_without_fault_is_a_page_that_says_so(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    code, text = written(tmp_path, capsys, random_session(keys, 60), "html", *options(keys))
    page = Page(text)
    assert code == 0
    assert "No findings Everything judged obeys the contract." in page.words
    assert page.values("id") >= SECTIONS
    assert "unreadable" not in page.values("id")
    assert re.search(r"orders\.query \d+", page.words)
    assert re.search(r"valid \d+ are valid for the bytes .* invalid 0 are invalid", page.words)


def test_a_finding_is_told_with_its_place_time_line_and_value(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    scribe = Scribe(keys)
    scribe.call("orders.checkout", {"outTradeNo": "O1", "currency": "US"}, {"outTradeNo": "O1"})
    scribe.call("orders.query", {"outTradeNo": "O1"}, at=700, answer={"outTradeNo": "O1"}, signed=False)
    code, text = written(tmp_path, capsys, scribe.bytes(), "html", "--values", *options(keys))
    words = Page(text).words
    assert code == 1
    assert words.count("2 findings 2 errors make the audit fail.") == 1
    assert re.search(
        r"By rule .* Rule Severity By Found What to do signature-invalid error gateway 1 .* format error merchant 1 Write",
        words,
    )
    assert "Judged: 4 of 4 bodies, 4 of 4 signatures, 2 of 2 exchanges by their time." in words
    assert re.search(
        r"format orders.checkout request /data/currency by the merchant × times: 1 currency must be 3 uppercase letters \[4.1\] "
        r"See the contract at spec/orders.yaml:\d+ ?\. What to do: Write it in the format of the contract. "
        r"Where it was found Place Time Value line 1 2025-06-01 12:00:00 US",
        words,
    )
    assert re.search(r"signature-invalid orders.query response @header/sign .* line 2 2025-06-01 12:11:40", words)
    assert "invalid 1 are invalid: errors" in words
    hidden = Page(written(tmp_path, capsys, scribe.bytes(), "html", *options(keys))[1]).words
    assert "Values shown none" in hidden
    assert "12:00:00 US" not in hidden


@pytest.mark.slow
def test_what_is_new_is_told_from_what_is_known(report: Report) -> None:
    page = Page(write_html(report))
    new = sum(group.new for group in report.groups)
    assert page.words.count(" new × ") == new
    assert page.words.count(" known × ") == len(report.groups) - new
    assert "only-new" in page.values("id")
    assert f"{report.totals.unreadable} places; everything else was judged" in page.words
    assert "-absent-" in page.words


@pytest.mark.slow
def test_findings_of_no_operation_stand_under_words_that_say_so(report: Report) -> None:
    groups = [replace(group, operation=None) for group in report.groups]
    words = Page(write_html(replace(report, groups=tuple(groups)))).words
    assert "None" not in words
    assert words.count("no operation") > Page(write_html(report)).words.count("no operation")


@pytest.mark.slow
def test_a_page_asks_for_nothing_and_runs_nothing(report: Report) -> None:
    text = write_html(report)
    page = Page(text)
    assert {tag for tag, _ in page.tags} <= TAGS
    names = {name for _, attributes in page.shape for name in attributes}
    assert not [name for name in names if name.startswith("on") or name in ("style", "src", "srcset", "action")]
    targets = page.values("href")
    assert {target[:5] for target in targets if target[:1] != "#"} == {"data:"}
    assert {target[1:] for target in targets if target[:1] == "#"} <= page.values("id")
    ids = [value for _, attributes in page.tags for name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    (policy,) = (value for value in page.values("content") if value.startswith("default-src"))
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{allowed}'; ")
    assert "url(" not in style
    assert "@import" not in style


def test_what_is_hostile_is_text_and_shows_itself(report: Report) -> None:
    text = write_html(report)
    assert all(one.isprintable() or one == "\n" for one in text)
    words = Page(text).words
    assert HOSTILE[0] in words
    assert HOSTILE[1] in words
    assert "{{ 7 * 7 }}" in words
    named = write_html(replace(report, files=("\x1b[1m\u202ex",)))
    assert "\\u{1b}[1m\\u{202e}x" in Page(named).words


def _with(value: Any, text: str) -> Any:
    """A report in which every text of others begins with `text`."""
    if is_dataclass(value) and not isinstance(value, type):
        kept = ("at", "showing", "severity", "fail_on", "code")
        changed = {
            field.name: _with(getattr(value, field.name), text) for field in fields(value) if field.name not in kept
        }
        return replace(value, **changed)
    if isinstance(value, tuple):
        return tuple(_with(one, text) for one in value)
    return f"{text}|{value}" if isinstance(value, str) and value else value


@examples(25)
@given(text=st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=40)))
def test_no_text_of_others_changes_the_shape_of_a_page(report: Report, text: str) -> None:
    few = replace(report, groups=report.groups[:6] + report.groups[-6:])
    plain, hostile = write_html(_with(few, "x")), write_html(_with(few, text))
    assert Page(hostile).shape == Page(plain).shape
    assert all(one.isprintable() or one == "\n" for one in hostile)
    hostile.encode()


@pytest.mark.slow
def test_the_same_report_is_the_same_bytes_however_many_processes(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    raw = spoiled(random_session(keys, 60))
    made = [written(tmp_path, capsys, raw, "html", *options(keys), "--jobs", jobs) for jobs in ("1", "1", "2")]
    assert made[0] == made[1] == made[2]


def test_long_texts_and_much_evidence_stay_within_bounds(report: Report) -> None:
    group = report.groups[0]
    piece = Evidence("f", "line 1", "", "/" + "k" * 65536, "m" * 65536, "v" * 65536, (0, 0, 0))
    one = write_html(replace(report, groups=(replace(group, count=9, evidence=(piece,) * 9),)))
    assert len(one) < 250_000
    assert "kkk … and 64,537 more characters" in one
    many = tuple(
        replace(group, id=str(number), pattern=f"/{number}", count=10**6, evidence=(replace(piece, pointer="/x"),) * 90)
        for number in range(500)
    )
    short = [replace(each, evidence=tuple(replace(e, message="m", value="v") for e in each.evidence)) for each in many]
    text = write_html(replace(report, groups=tuple(short)))
    assert text.count("20 of 1,000,000, in the order of time") == 500
    assert len(text) < 4_000_000


@pytest.mark.parametrize(
    ("raw", "code", "words"),
    [
        (EMPTY, 4, "Nothing of the contract"),
        (EMPTY, 4, "Signatures None was required."),
        (EMPTY, 4, "Findings There are none, and no notes either."),
        (b"{broken\n", 3, "What could not be read 1 place; everything else was judged."),
    ],
)
def test_an_empty_capture_is_a_page_too(raw: bytes, code: int, words: str, tmp_path: Path, capsys: CAPS) -> None:
    done, text = written(tmp_path, capsys, raw, "html")
    assert done == code
    assert words in Page(text).words


def test_without_evidence_groups_are_told_all_the_same(keys: Path, tmp_path: Path, capsys: CAPS) -> None:
    raw = spoiled(random_session(keys, 30))
    code, text = written(tmp_path, capsys, raw, "html", *options(keys), "--evidence", "0")
    assert code == 3
    assert "Where it was found" not in text
    assert "In baselines: orders." in Page(text).words


def test_html_without_its_extra_names_it(tmp_path: Path, capsys: CAPS, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "paywright_audit.report.html")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    code, words = written(tmp_path, capsys, b"", "html")
    assert code == 2
    assert "pip install 'paywright[audit]'" in words
    assert not (tmp_path / "report.html").exists()
