"""What becomes of traffic when it is captured: operators on captures, which can be composed.

Each takes a capture and a source of chance and returns another capture, without changing the one it was given. None of them
adds a fault: a world without one looks like this to whoever recorded only so much of it, twice, or by another clock.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from tests.audit.helpers.worlds import Capture, Record

__all__ = ["ALL", "LOSSLESS", "Operator", "composed"]

Operator = Callable[[Capture, Random], Capture]
_Change = Callable[[Record, Random], Record | None]
SHARE: Final = 0.2


def composed(operators: Iterable[Operator]) -> Operator:
    """One after the other."""

    def run(capture: Capture, random: Random) -> Capture:
        for operator in operators:
            capture = operator(capture, random)
        return capture

    return run


def _some(change: _Change, share: float = SHARE) -> Operator:
    """Apply a change to a share of all records; None drops a record."""

    def run(capture: Capture, random: Random) -> Capture:
        return {
            name: [
                one
                for record in records
                if (one := change(record, random) if random.random() < share else record) is not None
            ]
            for name, records in capture.items()
        }

    return run


# Lose


def lost(record: Record, random: Random) -> None:
    return None


def answer_lost(record: Record, random: Random) -> Record:
    return {**record, "response": None}


def body_lost(record: Record, random: Random) -> Record:
    side = random.choice(("request", "response"))
    return record if record[side] is None else {**record, side: {**record[side], "body": None}}


def time_lost(record: Record, random: Random) -> Record:
    return {name: value for name, value in record.items() if name not in ("at", "until")}


def host_lost(capture: Capture, random: Random) -> Capture:
    gone = random.choice(sorted(capture))
    return {name: records for name, records in capture.items() if name != gone or len(capture) == 1}


# Twice


def _twice(change: _Change, *, elsewhere: bool, share: float = SHARE) -> Operator:
    def run(capture: Capture, random: Random) -> Capture:
        made = {name: list(records) for name, records in capture.items()}
        for name, records in capture.items():
            other = f"{name}-again" if elsewhere else name
            copies = [change(record, random) for record in records if random.random() < share]
            if copies:
                made.setdefault(other, []).extend(one for one in copies if one is not None)
        return made

    return run


def same(record: Record, random: Random) -> Record:
    return record


def by_a_proxy(record: Record, random: Random) -> Record:
    """As a proxy sees it: a moment later, with packed answers. Of what was decoded already it has no bytes either."""
    record = _later(record, 0.02)
    answer = record["response"]
    raw = None if answer is None or "text" in (answer["body"] or {}) else _raw(answer)
    if answer is None or raw is None or any(name.lower() == "content-encoding" for name, _ in answer["headers"]):
        return record
    headers = [pair for pair in answer["headers"] if pair[0].lower() != "content-length"]
    body = {"base64": b64encode(gzip.compress(raw)).decode()}
    return {**record, "response": {**answer, "headers": [*headers, ["Content-Encoding", "gzip"]], "body": body}}


def timed_out(record: Record, random: Random) -> Record:
    """As a client sees it that a proxy gave a 502."""
    page = {"status": 502, "headers": [["Content-Type", "text/html"]], "body": {"text": "<html>bad gateway</html>"}}
    return {**record, "response": page}


def parsed(record: Record, random: Random) -> Record:
    return _with_bodies(record, "parsed", json.loads)


# Cut


def cut(record: Record, random: Random) -> Record:
    side = random.choice(("request", "response"))
    raw = None if record[side] is None else _raw(record[side])
    if not raw or random.random() < 0.3:
        return record
    body = {"base64": b64encode(raw[: random.randrange(len(raw))]).decode()}
    headers = [pair for pair in record[side]["headers"] if pair[0].lower() != "content-length"]
    if random.random() < 0.5:
        headers.append(["Content-Length", str(len(raw))])
    return {**record, side: {**record[side], "headers": headers, "body": body}}


def cut_by_day(capture: Capture, random: Random) -> Capture:
    made: Capture = {}
    for name, records in capture.items():
        for record in records:
            made.setdefault(f"{str(record.get('at'))[:10]}-{name}", []).append(record)
    return made


# Encode anew


def as_text(record: Record, random: Random) -> Record:
    return _with_bodies(record, "text", bytes.decode)


def other_case(record: Record, random: Random) -> Record:
    return _with_headers(record, lambda pairs: [[random.choice((str.upper, str.title))(n), v] for n, v in pairs])


def as_http2(record: Record, random: Random) -> Record:
    """With the names of HTTP/2, and without the length."""

    def headers(pairs: list[list[str]]) -> list[list[str]]:
        return [[":scheme", "https"], *([n.lower(), v] for n, v in pairs if n.lower() != "content-length")]

    return _with_headers(record, headers)


# Clocks


def shifted(most: float) -> Operator:
    """Set the clock of one host wrong: all that it recorded has other times."""

    def run(capture: Capture, random: Random) -> Capture:
        wrong, by = random.choice(sorted(capture)), random.choice((1, -1)) * random.uniform(most / 3, most)
        return {
            name: [_later(record, by) for record in records] if name == wrong else list(records)
            for name, records in capture.items()
        }

    return run


# Mask


def masked(record: Record, random: Random) -> Record:
    mark = random.choice(("[REDACTED]", "***"))
    if random.random() < 0.5:
        return _with_headers(record, lambda pairs: [[n, mark if n.lower() == "sign" else v] for n, v in pairs])
    side = random.choice(("request", "response"))
    return record if record[side] is None else {**record, side: {**record[side], "body": {"text": mark}}}


def key_masked(record: Record, random: Random) -> Record:
    """As a log that hides the numbers of orders and refunds in what it writes as text."""
    record = as_text(record, random)
    for side in ("request", "response"):
        body = None if record[side] is None else record[side]["body"]
        if not isinstance(body, dict) or "text" not in body:
            continue
        try:
            value = json.loads(body["text"])
        except ValueError:
            continue
        inside = value.get("data") if isinstance(value, dict) else None
        for name in ("outTradeNo", "outRefundNo", "userId"):
            if isinstance(inside, dict) and name in inside:
                inside[name] = "***"
        text = json.dumps(value, separators=(",", ":"))
        headers = [pair for pair in record[side]["headers"] if pair[0].lower() != "content-length"]
        record = {**record, side: {**record[side], "headers": headers, "body": {"text": text}}}
    return record


# Merge


def merged(capture: Capture, random: Random) -> Capture:
    return {"all.jsonl": [record for records in capture.values() for record in records]}


def reordered(capture: Capture, random: Random) -> Capture:
    return {name: random.sample(records, len(records)) for name, records in capture.items()}


LOSSLESS: Final[dict[str, Operator]] = {
    "nothing": lambda capture, random: capture,
    "doubled in its file": _twice(same, elsewhere=False),
    "doubled in another file": _twice(same, elsewhere=True),
    "seen by a proxy": _twice(by_a_proxy, elsewhere=True, share=0.5),
    "seen by a proxy, in one file": _twice(by_a_proxy, elsewhere=False, share=0.5),
    "seen parsed": _twice(parsed, elsewhere=True),
    "seen with a 502": _twice(timed_out, elsewhere=True),
    "seen without an answer": _twice(answer_lost, elsewhere=True),
    "cut by day": cut_by_day,
    "as text": _some(as_text, 0.5),
    "headers in other case": _some(other_case, 0.5),
    "as HTTP/2": _some(as_http2, 0.5),
    "a clock 5 s off": shifted(5),
    "a clock a minute off": shifted(60),
    "a clock minutes off": shifted(240),
    "in one file": merged,
    "in another order": reordered,
}
"""After these the capture still has every exchange."""

ALL: Final[dict[str, Operator]] = {
    **LOSSLESS,
    "exchanges lost": _some(lost),
    "one of two": _some(lost, 0.5),
    "one of twenty": _some(lost, 0.95),
    "a host lost": host_lost,
    "answers lost": _some(answer_lost),
    "bodies lost": _some(body_lost),
    "times lost": _some(time_lost),
    "seen with lost bodies": _twice(body_lost, elsewhere=False),
    "bodies cut": _some(cut),
    "seen cut": _twice(cut, elsewhere=True),
    "parsed": _some(parsed, 0.5),
    "masked": _some(masked),
    "seen masked": _twice(masked, elsewhere=False),
    "keys masked": _some(key_masked),
}


def _with_bodies(record: Record, form: str, read: Callable[[bytes], object]) -> Record:
    for side in ("request", "response"):
        raw = None if record[side] is None else _raw(record[side])
        with suppress(ValueError):  # it stays as it is
            if raw is not None:
                record = {**record, side: {**record[side], "body": {form: read(raw)}}}
    return record


def _raw(message: dict[str, Any]) -> bytes | None:
    body = message["body"]
    if not isinstance(body, dict) or "parsed" in body:
        return None
    return b64decode(body["base64"]) if "base64" in body else str(body["text"]).encode()


def _later(record: Record, by: float) -> Record:
    if "at" not in record:
        return record
    at = datetime.fromisoformat(record["at"]) + timedelta(seconds=by)
    return {**record, "at": at.isoformat(timespec="milliseconds")}


def _with_headers(record: Record, change: Callable[[list[list[str]]], list[list[str]]]) -> Record:
    for side in ("request", "response"):
        if record[side] is not None:
            record = {**record, side: {**record[side], "headers": change(record[side]["headers"])}}
    return record
