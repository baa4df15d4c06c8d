"""What nobody should send, made by the thousand: of any form and of any damage the audit makes a report, in time, and
nothing in it steers a terminal or a page."""

from __future__ import annotations

import gzip
import io
import json
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from copy import deepcopy
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright.contract import CONTRACT
from paywright_cli.main import main
from tests.support.examples import examples

URL = "https://gw.example/aggregate-pay/api/gateway/"
STEERS = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066\u200f\u2028\x85\r\x08\x00"

NAMES = st.sampled_from(
    ["v", "at", "kind", "url", "request", "response", "headers", "body", "base64", "text", "parsed", "status", "log",
     "entries", "postData", "content", "size", "encoding", "name", "value", "sign", "data", "startedDateTime", "time"]
) | st.text(max_size=3)  # fmt: skip
TEXTS = st.text(max_size=8) | st.sampled_from(["e30=", "{}", STEERS, "call", "notify", f"{URL}refund", "base64", "*"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**70) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)


def audited(file: Path, *options: str) -> int:
    """Audits a file in both formats and into every report, and looks at all that is printed."""
    codes = set()
    for form in ("text", "json"):
        written = io.StringIO()
        with redirect_stdout(written):
            codes.add(main(["audit", str(file), "--format", form, "--reveal", *options]))
        harmless(written.getvalue())
        if form == "json":
            last = [json.loads(line) for line in written.getvalue().splitlines()][-1]
            assert last["type"] == "summary"
    (code,) = codes
    nothing = 4 if last["judged"]["nothing"] else 0
    assert code == (3 if last["unreadable"] else 4 if not last["matched"] else 1 if last["failing"] else nothing)
    return code


def harmless(text: str) -> None:
    for one in set(text) - {"\n"}:
        assert unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Zl", "Zp"), f"U+{ord(one):04X}"


def record(**more: object) -> dict[str, Any]:
    body = {"base64": b64encode(json.dumps(CONTRACT.example("refunds.create.request")).encode()).decode()}
    side: dict[str, Any] = {"headers": [["Content-Type", "application/json"], ["sign", "x"]], "body": body}
    base = {"v": 1, "at": "2025-06-01T12:00:00Z", "kind": "call", "url": f"{URL}refund", "request": side}
    return {**base, "response": {"status": 200, **side}, "source": "t", **more}


def entry() -> dict[str, Any]:
    text = json.dumps(CONTRACT.example("refunds.create.request"))
    headers = [{"name": "sign", "value": "x"}]
    return {
        "startedDateTime": "2025-06-01T12:00:00Z",
        "time": 1.5,
        "request": {"url": f"{URL}refund", "headers": headers, "bodySize": len(text), "postData": {"text": text}},
        "response": {"status": 200, "headers": headers, "content": {"size": 2, "text": "{}", "encoding": "base64"}},
    }


def places(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))


def replaced(make: Callable[[], Any], number: int, new: object) -> Any:
    """A good one with one of its values replaced."""
    root = make()
    every = list(places(root))
    path = every[number % len(every)]
    if not path:
        return new
    inner = root
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = new
    return root


def dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "har"])
@examples(150)
@given(number=st.integers(0, 500), new=JSON)
def test_a_record_and_a_har_entry_may_hold_anything_anywhere(
    tmp_path: Path, form: str, number: int, new: object
) -> None:
    file = tmp_path / f"any.{form}"
    two = [replaced(record if form == "jsonl" else entry, number, new), record() if form == "jsonl" else entry()]
    file.write_bytes(b"\n".join(map(dumped, two)) if form == "jsonl" else dumped({"log": {"entries": two}}))
    assert audited(file) in (1, 3, 4)  # never as if all were well


@pytest.mark.slow
def test_a_member_of_a_body_may_be_anything(tmp_path: Path) -> None:
    headers = [["Content-Type", "application/json"], ["sign", b64encode(bytes(256)).decode()]]
    records = []
    for name in CONTRACT.operations():
        operation = CONTRACT.operation(name)
        bodies = [CONTRACT.example(f"{name}.{role}") for role in operation.roles]
        url, kind = f"https://gw.example{operation.path or '/'}", "notify" if operation.inbound else "call"
        for number, new in product(range(1, len([*places(bodies)])), ([], {}, 7, None)):
            changed = replaced(partial(deepcopy, bodies), number, new)
            asked, answered = ({"headers": headers, "body": {"parsed": one}} for one in changed)
            records.append(record(url=url, kind=kind, request=asked, response={"status": 200, **answered}))
    file = tmp_path / "members.jsonl"
    file.write_bytes(b"\n".join(map(dumped, records)))
    assert audited(file) == 1


@pytest.mark.slow
@examples(100)
@given(st.integers(0, 100), JSON)
def test_a_har_file_may_be_anything(tmp_path: Path, number: int, new: object) -> None:
    file = tmp_path / "any.har"
    file.write_bytes(dumped(replaced(lambda: {"log": {"entries": [{"request": 1}]}, "b": 2}, number, new)))
    assert audited(file) in (3, 4)


@pytest.mark.slow
@examples(200)
@given(st.integers(0, 2000), st.binary(max_size=8), st.integers(0, 9), st.sampled_from(["har", "record", "body"]))
def test_any_bytes_may_be_damaged_or_lost(tmp_path: Path, at: int, what: bytes, lost: int, form: str) -> None:
    raw = {
        "har": dumped({"log": {"entries": [entry(), entry()]}}),
        "record": dumped(record()) + b"\n" + dumped(record()),
        "body": dumped(CONTRACT.example("refunds.create.request")),
    }[form]
    at %= len(raw)
    raw = raw[:at] + what + raw[at + lost :]
    if form == "body":
        side = {"headers": [], "body": {"base64": b64encode(raw).decode()}}
        raw = dumped(record(request=side))
    file = tmp_path / "damaged"
    file.write_bytes(raw)
    audited(file)


@pytest.mark.slow
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_packed_files_may_be_cut_or_damaged_anywhere(tmp_path: Path, pack: str) -> None:
    raw = dumped(record()) + b"\n"
    if pack == "gzip":
        packed = gzip.compress(raw, mtime=0)
    else:
        packed = pytest.importorskip("zstandard").ZstdCompressor().compress(raw)
    file = tmp_path / "packed"
    for at in range(4, len(packed), 7):
        file.write_bytes(packed[:at])
        assert audited(file) == 3
    for at in range(4, len(packed), 7):
        file.write_bytes(packed[:at] + bytes([packed[at] ^ 0x55]) + packed[at + 1 :])
        audited(file)
    file.write_bytes(packed + b"\x00" * 30)
    audited(file)


DEEP = 200_000


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * DEEP, b'{"v":' * DEEP, b'{"v":1,"request":' + b"[" * DEEP + b"]" * DEEP + b"}\n",
        b'{"log":{"entries":[' + b"[" * DEEP, b'{"log":{"entries":[' + b'{"request":' * DEEP,
        b'{"log":{"x":' + b"[" * DEEP + b"]" * DEEP + b',"entries":[]}}',
        dumped(record(request={"headers": [], "body": {"parsed": json.loads("[" * 60 + "]" * 60)}})),
        dumped(record(request={"headers": [], "body": {"base64": b64encode(b'{"a":' * DEEP).decode()}})),
        dumped(record(request={"headers": [["sign", "x"]] * 50_000, "body": {"text": "{}"}})),
    ],
)  # fmt: skip
def test_however_deep_or_many_it_ends(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "deep"
    file.write_bytes(raw)
    assert audited(file) in (1, 3, 4)  # never as if all were well


@pytest.mark.slow
def test_a_million_violations_in_one_body_are_one_message(tmp_path: Path) -> None:
    body = b'{"data":{"productTypeList":[' + b"1," * 300_000 + b"1]}}"
    file = tmp_path / "many"
    side = {"headers": [], "body": {"base64": b64encode(body).decode()}}
    file.write_bytes(dumped(record(url=f"{URL}queryAuthorizedAccount", request=side)))
    assert audited(file) == 1


def test_nothing_of_what_steers_gets_out_wherever_it_stands(tmp_path: Path) -> None:
    card = "4444333322221111"
    everything = {f"{STEERS}{card}": STEERS, STEERS: {STEERS: [STEERS]}, "data": {"outRefundNo": STEERS, STEERS: card}}
    side = {"headers": [[STEERS, STEERS], ["Content-Type", STEERS], ["sign", STEERS]], "body": {"parsed": everything}}
    lines = [
        record(request=side, response={"status": 200, **side}, source=STEERS),
        record(url=f"{URL}refund?{STEERS}", at=STEERS, request=side),
        record(kind="notify", request={**side, "body": {"parsed": {"notifyType": STEERS, **everything}}}),
        record(kind=STEERS),
        record(request={**side, "body": {STEERS: 1}}),
    ]
    written = [tmp_path / f"report{ending}" for ending in (".json", ".jsonl")]
    options = [option for file in written for option in ("--write", str(file))]
    for name, raw in (
        (f"x{STEERS[:-1]}.jsonl", b"\n".join(map(dumped, lines))),
        ("x.har", dumped({"log": {"entries": [{**entry(), "startedDateTime": STEERS, STEERS: STEERS}], STEERS: 1}})),
    ):
        file = tmp_path / name.replace("/", "")
        file.write_bytes(raw)
        audited(file, *options)
        for report in written:
            text = report.read_text()
            harmless(text.replace("\t", " "))
            assert card not in text
