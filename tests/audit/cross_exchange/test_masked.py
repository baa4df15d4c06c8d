"""Values are hidden, one after another and wherever they stand: nobody is accused of what cannot be seen."""

from __future__ import annotations

import html
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from paywright_audit import AuditSettings, Severity, audit_files
from tests.audit.helpers.planted_across import ACROSS, GOOD
from tests.audit.helpers.planted_story import Story
from tests.audit.helpers.planted_writing import pen
from tests.audit.helpers.tables import write_table

Place = tuple[str | int, ...]
MARKS = ("***", "[REDACTED]")
UNKNOWN = ("unknown-value", "other-version")
SIDES = ("request", "response")


def records_of(stories: Sequence[Callable[[Story], object]], secrets: Path) -> list[Any]:
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
def errors(public: dict[str, Any], tmp_path: Path) -> Callable[[list[Any], bool], set[tuple[str, str]]]:

    def found(records: list[Any], complete: bool) -> set[tuple[str, str]]:
        lines = deepcopy(records)
        for record in lines:
            for side in parts(record):
                text = json.dumps(record[side]["body"], separators=(",", ":"), ensure_ascii=False)
                record[side]["body"] = {"text": text}
        file = tmp_path / "captured.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        report = audit_files([file], AuditSettings(complete=complete, **public))
        # Notes say what cannot be known now; but none says that the contract lacks what is hidden.
        told = [one for one in report.groups if one.severity is not Severity.NOTE or one.code in UNKNOWN]
        told = [one for one in told if one.code != "no-signature-holds"]  # which accuses nobody
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


def told(stories: Sequence[Callable[[Story], object]], quick: bool) -> list[Any]:
    """Each story twice, as a whole capture and a part of one: of eight two fast if `quick`, three slow, the others full."""
    found: list[Any] = []
    for number, story in enumerate(stories):
        whole = number % 2 == 1
        marks = (
            () if quick and number % 8 in (4, 5) else pytest.mark.slow if number % 8 in (0, 2, 7) else pytest.mark.full
        )
        found.append(pytest.param(story, whole, marks=marks))
        found.append(pytest.param(story, not whole, marks=pytest.mark.full))
    return found


@pytest.mark.parametrize(
    ("story", "complete"), [*told([story for story, _ in GOOD], True), *told([*ACROSS.values()], False)]
)
def test_a_hidden_value_is_no_fault(
    story: Callable[[Story], object], secrets: Path, errors: Any, complete: bool
) -> None:
    records = records_of([story], secrets)
    known, wrong = errors(records, complete), {}
    assert story in ACROSS.values() or known == set()
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
@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.full)])
def test_a_member_that_is_hidden_everywhere_accuses_nobody(
    secrets: Path, errors: Any, complete: bool, step: int
) -> None:
    def name(record: Any, place: Place) -> str:
        inside = (
            record[place[0]]["headers"][place[2]][0]
            if place[1] == "headers"
            else [one for one in place if isinstance(one, str)][-1]
        )
        return str(inside)

    captured, wrong = records_of([story for story, _ in GOOD], secrets), {}
    for hidden in sorted({name(record, place) for record in captured for place in hideable(record)})[::step]:
        records = deepcopy(captured)
        for record in records:
            for place in hideable(record):
                if name(record, place) == hidden:
                    hide(record, place, MARKS[len(hidden) % 2])
        if found := errors(records, complete):
            wrong[hidden] = found
    assert wrong == {}


# What tools do to one message, which nobody is to blame for.

WORDS = ("gone", "not kept", "PII", "n/a", "void", "classified", "see vault", "0", "-", "")
TEXTS: tuple[Callable[[str, Random], str], ...] = (
    lambda text, draw: draw.choice(("<{}>", "({})", "{{{{{}}}}}", "#{}#", "%{}%", "{}")).format(draw.choice(WORDS)),
    lambda text, draw: text[: draw.randrange(len(text) + 1)],
    lambda text, draw: f"{text}, {text}",
    lambda text, draw: quote(text),
    lambda text, draw: html.escape(f"<{text}>"),
    lambda text, draw: repr(text),
    lambda text, draw: text.replace("+", " ").swapcase(),
    lambda text, draw: b64encode(text.encode()).decode(),
    lambda text, draw: json.dumps(json.dumps(text)),
)
"""Of one value: marks that no code knows, cuts, joins, encodings, escapes."""
BODIES: tuple[Callable[[str], str], ...] = (
    lambda text: b64encode(b64encode(text.encode())).decode(),
    lambda text: text.encode().hex(),
    lambda text: f"{len(text.encode()):x}\r\n{text}\r\n0\r\n\r\n",
    lambda text: json.dumps(text), lambda text: html.escape(text), quote, lambda text: f"\ufeff {text}\r\n",
    lambda text: json.dumps(json.loads(text), indent=1, sort_keys=True),
    lambda text: repr(json.loads(text)),
    lambda text: '"' + text.replace('"', '""') + '"',
    lambda text: text.replace("/", "\\/"), lambda text: text.replace("T", "\ufffd"), lambda text: text[: len(text) // 2],
    lambda text: "", lambda text: "null",
)  # fmt: skip


Way = Callable[[Any, Random], None]


def put(side: str, place: Place, change: Callable[[str, Random], str] | None, record: Any, draw: Random) -> None:
    """Alter one value, or take it away."""
    *way, last = place
    inside = record[side]
    for step in way:
        inside = inside[step]
    if change is None:
        del inside[last]
    else:
        inside[last] = change(str(inside[last]), draw)


def rewrite(side: str, change: Callable[[str], str], record: Any, draw: Random) -> None:
    """Alter a body as a whole: a JSON value, or already a text."""
    text = record[side]["body"]
    if isinstance(text, dict):
        text = json.dumps(text, separators=(",", ":"), ensure_ascii=False)
    try:
        record[side]["body"] = change(text or "")
    except ValueError:  # it was altered before, and is no JSON any more
        record[side]["body"] = ""


def lose(side: str, lost: int, record: Any, draw: Random) -> None:
    """Lose headers: all but one, or all."""
    headers = record[side]["headers"]
    record[side]["headers"] = [[pair for pair in headers or [] if pair[0] == "Content-Type"], [], None][lost]


def ways(record: Any) -> list[list[Way]]:
    """Every single alteration of a record: of members, of headers, of bodies, and losses."""
    members: list[Way] = []
    headers: list[Way] = []
    bodies: list[Way] = []
    losses: list[Way] = []
    for side in parts(record):
        message = record[side]
        for place in places(message["body"]) if isinstance(message["body"], dict) else ():
            members += [partial(put, side, ("body", *place), change) for change in TEXTS]
            losses.append(partial(put, side, ("body", *place), None))
        for number in range(len(message["headers"] or [])):
            headers += [partial(put, side, ("headers", number, 1), change) for change in TEXTS]
        bodies += [partial(rewrite, side, change) for change in BODIES]
        losses += [partial(lose, side, lost) for lost in range(3)]
    return [one for one in (members, headers, bodies, losses) if one]


def in_form(records: list[Any], form: str) -> bytes:
    """Records whose bodies are texts or JSON values, as a capture file."""
    lines, entries = [], []
    for record in deepcopy(records):
        for side in parts(record):
            body = record[side]["body"]
            if form == "parsed" and isinstance(body, dict):
                record[side]["body"] = {"parsed": body}
                continue
            text = body if isinstance(body, str) else json.dumps(body, separators=(",", ":"), ensure_ascii=False)
            record[side]["body"] = {"text": text}
        lines.append(json.dumps(record).encode() + b"\n")
        if form == "har":
            sides = [
                {
                    **record[side],
                    "headers": [
                        dict(zip(("name", "value"), pair, strict=True)) for pair in record[side]["headers"] or []
                    ],
                }
                for side in parts(record)
            ]
            asked = {"method": "POST", "url": record["url"], "headers": sides[0]["headers"], "postData": sides[0]["body"]}  # fmt: skip
            told = {"status": 0} if record["response"] is None else {**sides[1], "content": sides[1]["body"]}
            entries.append({"startedDateTime": record["at"], "time": 1, "request": asked, "response": told})
    return json.dumps({"log": {"entries": entries}}).encode() if form == "har" else b"".join(lines)


@pytest.fixture
def blamed(public: dict[str, Any], tmp_path: Path) -> Callable[[list[Any], str], set[tuple[str, str]]]:
    """Whom a complete capture of records in a form blames."""
    file = tmp_path / "captured"

    def blames(records: list[Any], form: str) -> set[tuple[str, str]]:
        file.write_bytes(in_form(records, "text" if form == "parquet" else form))
        if form == "parquet":
            write_table(file, [str(file)])
        report = audit_files([file], AuditSettings(complete=True, **public))
        return {(one.code, one.operation) for one in report.groups if one.by and one.severity is not Severity.NOTE}

    return blames


@pytest.mark.parametrize(
    ("draws", "first"), [(12, 0), *(pytest.param(250, seed, marks=pytest.mark.full) for seed in range(1, 8))]
)
@pytest.mark.parametrize("form", ["text", "parsed", "har"])
def test_what_tools_alter_is_nobodys_fault(secrets: Path, blamed: Any, form: str, draws: int, first: int) -> None:
    stories, wrong = [records_of([story], secrets) for story, _ in GOOD], {}
    for number in range(draws):
        draw = Random(f"{form} {first} {number}")
        records = deepcopy(draw.choice(stories))
        record = draw.choice(records)
        for _ in range(draw.choice((1, 1, 2, 3))):
            draw.choice(draw.choice(ways(record)))(record, draw)
        if found := blamed(records, form):
            wrong[number] = found
    assert wrong == {}


@pytest.mark.full
@pytest.mark.parametrize(("form", "share"), [("text", 1), ("parsed", 1), ("har", 1), ("parquet", 60)])
def test_no_single_alteration_is_anybodys_fault(
    secrets: Path, blamed: Any, form: str, share: int, record_property: Callable[[str, object], None]
) -> None:
    """Each one of each kind of message; of Parquet, whose reader is a process of its own, each sixtieth."""
    wrong, seen, count = {}, set[str](), 0
    for story, _ in GOOD:
        records = records_of([story], secrets)
        for number, record in enumerate(records):
            shape = f"{record['url']} {[[*map(str, places(record[side]['body']))] for side in parts(record)]}"
            if shape in seen:
                continue
            seen.add(shape)
            for place, way in enumerate(chain(*ways(record))):
                if place % share:
                    continue
                left = deepcopy(records)
                way(left[number], Random(place))
                count += 1
                if found := blamed(left, form):
                    wrong[story.__name__, number, place] = found
    record_property(f"count: single alterations in {form} that blame nobody", count)
    assert wrong == {}


def test_a_fault_that_is_proven_is_found_beside_what_tools_altered(
    secrets: Path, public: dict[str, Any], tmp_path: Path
) -> None:
    """A signed fault in text, and a forged notification in exact bytes whose card the gateway itself masks."""
    story = Story(1, Random(1))
    wrong, other = story.order(data={"currency": "usd"}), story.ask()
    forged = story.period()
    forged.data["subscriptionPaymentDetail"]["cardNo"] = "444433******1111"
    forged.asked.signer = "stranger"
    lines = []
    for draft in (wrong, other, forged):
        draft.form = "records"
        record = json.loads(pen(secrets).write(draft))
        if draft is other:
            record["request"]["headers"] = [["sign", "(gone)"]]
            record["response"]["body"] = {
                "text": b64decode(record["response"]["body"]["base64"]).decode().replace("PENDING", "PII")
            }
        lines.append(json.dumps(record))
    (file := tmp_path / "captured").write_text("\n".join(lines))
    report = audit_files([file], AuditSettings(**public))
    found = {(one.code, one.operation, one.by) for one in report.groups if one.by and one.severity is not Severity.NOTE}
    assert found == {
        ("format", "orders.checkout", "merchant"), ("signature-invalid", "notifications.subscription_payment", "gateway"),
    }  # fmt: skip
