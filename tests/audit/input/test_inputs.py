"""What the audit reads: the same exchanges from every form of a capture, in pieces, and however they are packed."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_audit.input.body_decoding import is_lost
from paywright_audit.input.captures.har import read_har
from paywright_audit.input.captures.json_stream import JsonStream, NotJson
from paywright_audit.input.captures.reading import read_input
from paywright_audit.input.records import Decoded, Exact, Exchange, Lost, Message, Unreadable
from paywright_cli.main import main
from tests.audit.helpers.records import Scribe
from tests.support.examples import examples


def summary(file: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    main(["audit", str(file), "--format", "json", *options])
    last: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return last


@pytest.fixture
def scribe(keys: Path) -> Scribe:
    made = Scribe(keys)
    made.call("orders.checkout", {"outTradeNo": "O1"}, {"outTradeNo": "O1"})
    made.call("orders.query", {"outTradeNo": "O1"}, {"outTradeNo": "O2"}, at=10)
    return made


def har(entries: list[dict[str, Any]], **more: object) -> bytes:
    return json.dumps({"log": {"version": "1.2", "pages": [{"id": "p"}], "entries": entries, **more}}).encode()


def entry(text: str, **more: object) -> dict[str, Any]:
    content = {"size": len(text), "text": text, **more}
    return {
        "startedDateTime": "2025-06-01T12:00:00.000Z",
        "time": 250.5,
        "request": {"url": "https://x/", "headers": [], "postData": {"text": text}},
        "response": {"status": 200, "headers": more.get("headers", []), "content": content},
    }


def read(raw: bytes) -> list[Exchange | Unreadable]:
    return list(read_har(b"", io.BytesIO(raw)))


def records(tmp_path: Path, *members: dict[str, Any]) -> list[Exchange | Unreadable]:
    request = {"headers": [], "body": {"text": "{}"}}
    record = {"v": 1, "kind": "call", "url": "https://gw.example/x", "request": request, "response": None}
    (tmp_path / "some.jsonl").write_text("\n".join(json.dumps(record | one) for one in members))
    return list(read_input(str(tmp_path / "some.jsonl")))


FOREIGN: list[tuple[str | bytes, str]] = [  # beside those of test_real_tools.py: how a file of another kind begins, and what the one line about it says
    (b"PK\x03\x04\x14\x00", "a zip archive: unzip it, and give the .har that is inside"),
    (b"\xfd7zXZ\x00\x00", "xz: unpack it first (xz -dc FILE | paywright audit -)"), (b"BZh91AY&SY", "bzip2: unpack it first (bzip2 -dc FILE | paywright audit -)"),
    (b"\x04\x22\x4d\x18\x64", "lz4: unpack it first (lz4 -dc FILE | paywright audit -)"),
    ('{"log": {}}'.encode("utf-16"), "UTF-16: convert it (iconv -f UTF-16 -t UTF-8 FILE | paywright audit -)"), ("{ ".encode("utf-16-le"), "UTF-16: "),
    (b"\xd4\xc3\xb2\xa1\x02\x00", "a pcap: convert it with tshark and packets.py"), (b"\x0a\x0d\x0d\x0a\x1c\x00", "a pcap: "),
    (b"ARROW1\x00\x00\xff\xff\xff\xff\x80", "Arrow, ORC or Avro: write it as Parquet"), (b"\xff\xff\xff\xff\xb8\x02", "Arrow, "),
    ("v,at,kind,url,request,response\n1,2026-10-01", "CSV: export Parquet instead"), ('"at";"kind";"request body"\r\n', "CSV: export Parquet instead"),
    ("@timestamp,@message\n", "CSV: "), ("frame.time,http.file_data\n", "CSV: "),
    (b"3241:9:websocket;0:~8:response;", "a file of mitmproxy: convert it with records.py"), ("http 2026-12-01T12:23:00.186641Z app/a/b 1.2.3.4:5", "an access log"),
    ('[\n  {\n    "_index": "packets-2026-12-01",\n', "from Wireshark or Envoy"), ('{"index":{"_index":"packets-', "from Wireshark"),
    ('{\n "http_buffered_trace": {', "from Wireshark or Envoy: write"), ("12:38:20.63 IP localhost.4 > localhost.5: Flags [S]", "HTTP as"),
    ('Dec  1 12:00:00 host app[1]: {"v":1,"at":"', "a log: cut off what stands before records (sed 's/^[^{]*//' FILE | paywright"),
    ('127.0.0.1 - - [29/Nov/2026:20:00:00 +0000] "POST /refund HTTP/1.1" 200', "an access log, which has no bodies: record with another tool"),
    ("WARC/1.0\r\nWARC-Type: response\r\n", "a WARC: write capture records of it"), ('<?xml version="1.0"?>\n<items', "XML, as Burp and Wireshark"),
    (b"SQLite format 3\x00", "an SQLite database: write capture records"), ("---\nhttp_interactions:\n- ", "a cassette of vcrpy or VCR"),
    ("POST /pay HTTP/1.1\r\n", "HTTP as a program printed it"), ("* Trying 127.0.0.1:80\n", "HTTP as"), ("== Info: Trying\n", "HTTP as"),
    ("1 932079936fa4306fc308d67588178d17d823647c 1439818823587396305 200\nPOST /pay HTTP/1.1\r\n", "a file of GoReplay"),
    ('{"info": {"_postman_id": "0b1c"}}', "a collection of Postman, which has no answers"), ('{"constants":{"a":[]}}', "a net-log of Chromium: "),
    ('[{"v":1,"kind":"call"},\n {"v":1,"kind":"call"}]\n', "a JSON array: write one record a line (jq -c '.[]' FILE | paywright audit -)"),
]  # fmt: skip


@pytest.mark.parametrize(("begins", "said"), FOREIGN)
def test_a_format_that_is_not_read_is_named_with_advice(tmp_path: Path, begins: str | bytes, said: str) -> None:
    file = tmp_path / "capture"
    file.write_bytes((begins.encode() if isinstance(begins, str) else begins) + b"\nmore\n" * 20)
    (one,) = read_input(str(file))
    assert isinstance(one, Unreadable)
    assert one.why.startswith(f"it is {said}")


@pytest.mark.slow
def test_a_har_file_is_read_entry_by_entry_in_the_memory_of_one() -> None:
    class Endless(io.RawIOBase):
        """A HAR file of 60 MB that is never there as a whole."""

        def __init__(self) -> None:
            one = json.dumps(entry("x" * 3000)).encode()
            self.pieces: Iterator[bytes] = iter([b'{"log":{"entries":[', *([one + b","] * 10_000), one, b"]}}"])
            self.rest = b""

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            while len(self.rest) < len(buffer):
                piece = next(self.pieces, b"")
                if not piece:
                    break
                self.rest += piece
            count = min(len(buffer), len(self.rest))
            buffer[:count], self.rest = self.rest[:count], self.rest[count:]
            return count

    tracemalloc.start()
    try:
        count = sum(isinstance(one, Exchange) for one in read_har(b"", io.BufferedReader(Endless())))
        assert count == 10_001
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_times_and_bodies_of_a_har_entry() -> None:
    (one,) = read(har([entry("{}")]))
    assert isinstance(one, Exchange)
    assert (one.until or 0) - (one.at or 0) == pytest.approx(0.2505)
    assert isinstance(one.request.body, Decoded)
    packed = [{"name": "Content-Encoding", "value": "gzip"}]
    text = b64encode(b"{}").decode()
    for made, kind, why in (
        (entry("{}", headers=packed), Decoded, "reencoded"),
        (entry("{}", size=500), Decoded, "bytes_lost"),  # a whole object is whole, whatever size is said
        (entry("", size=500), Lost, "body_lost"),
        (entry(text, encoding="base64"), Exact, None),
        (entry("*", encoding="base64"), Lost, "body_lost"),
        (entry(f'["{text}","{text}"]', encoding="base64", headers=packed), Exact, None),
        (entry(f'["{text}","*"]', encoding="base64", headers=packed), Lost, "body_lost"),
        (entry("[" * 5_000, encoding="base64"), Lost, "body_lost"),
    ):
        (one,) = read(har([made]))
        assert isinstance(one, Exchange)
        assert one.response is not None
        assert (type(one.response.body), getattr(one.response.body, "why", None)) == (kind, why)


@pytest.mark.parametrize(
    ("at", "until", "read_as"),
    [
        (None, None, (None, None)), (None, "2025-06-01T12:00:01Z", (None, 1)), ("2025-06-01T12:00:00Z", None, (0, 0)),
        ("2025-06-01T12:00:00Z", "2025-06-01T12:00:01Z", (0, 1)), ("2025-06-01 12:00:00.0 UTC", None, (0, 0)),
        ("2025-06-01T12:00:01Z", "2025-06-01T12:00:00Z", (1, 1)),  # it cannot have ended before it began
    ],
)  # fmt: skip
def test_an_exchange_ends_when_it_is_said_to_or_else_when_it_began(
    tmp_path: Path, at: str | None, until: str | None, read_as: tuple[int | None, int | None]
) -> None:
    (one,) = records(tmp_path, {name: value for name, value in (("at", at), ("until", until)) if value is not None})
    assert isinstance(one, Exchange), one
    noon = 1748779200
    assert tuple(None if time is None else time - noon for time in (one.at, one.until)) == read_as


def test_bodies_that_are_no_text_lie_where_tools_put_them() -> None:
    """As httptoolkit writes a request, and Polly.JS the chunks of a compressed answer."""
    raw = gzip.compress(b"{}") + b"\xff"
    one = entry("")
    one["request"] |= {"_content": {"text": b64encode(raw).decode(), "encoding": "base64"}}
    chunks = json.dumps([b64encode(part).decode() for part in (raw[:5], raw[5:])])
    one["response"]["content"] = {"text": chunks, "encoding": "base64"}
    one["response"]["headers"] = [{"name": "content-encoding", "value": "gzip"}]
    (found,) = read(har([one]))
    assert isinstance(found, Exchange)
    assert found.response is not None
    for body in (found.request.body, found.response.body):
        assert isinstance(body, Exact)
        assert body.raw == raw


def test_values_for_nothing_accuse_nobody_and_unreadable_times_are_counted(
    scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scribe.records.clear()
    records = [scribe.call("orders.query", {"outTradeNo": "O1"}, {"outTradeNo": "O1"}) for _ in range(4)]
    records[0]["response"] |= {"status": 0}
    for status in (None, 100):  # a proxy's page, and an interim answer of which the last one was lost
        response = scribe.call("orders.query", {"outTradeNo": "O1"}, {"outTradeNo": "O1"})["response"]
        response |= {"status": status, "body": {"text": "<html>"}, "headers": [["Content-Length", "6"]]}
    times = (1748779200, "28/Nov/2026:10:00:00 +0000", "2025-06-01T12:00:00")
    for record, text, at in zip(records[1:], ("null", "NaN", ""), times, strict=True):
        record |= {"at": at, "response": {**record["response"], "body": {"text": text}}}
    *lines, last = scribe.audit(tmp_path, capsys)
    assert [line for line in lines if line["type"] == "finding"] == []
    assert last["unanswered"] == 0
    assert last["judged"]["times"] == last["judged"]["times_of"] == 6  # without the capture's, by the signed one
    assert last["judged"]["odd"] == {"time": 2}


@pytest.mark.parametrize("version", [1_000, 0, True, None, 1.5])
def test_a_record_of_another_version_is_not_read(tmp_path: Path, version: object) -> None:
    good, other = records(tmp_path, {}, {"v": version})
    assert isinstance(good, Exchange)
    assert isinstance(other, Unreadable)
    assert other.why.startswith("its v is not 1: another format, rows without the columns of")
    (tmp_path / "docker.json").write_text('{"log": "{\\"v\\":1}\\n"}\n')
    assert [other.why] == [one.why for one in read_input(str(tmp_path / "docker.json")) if isinstance(one, Unreadable)]


@pytest.mark.parametrize("form", [dict, list, json.dumps])
def test_flat_rows_are_read_as_the_columns_of_a_table(
    scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: Callable[[object], object]
) -> None:
    """As DuckDB's COPY writes a table to JSON lines: headers as a map, as pairs, or as the text of one of these."""
    rows: list[dict[str, object]] = [{name.upper(): one[name] for name in ("at", "url")} for one in scribe.records]
    for row, one in zip(rows, scribe.records, strict=True):
        for side in ("request", "response"):
            body, row[f"{side}_headers"] = b64decode(one[side]["body"]["base64"]), form(one[side]["headers"])
            row[f"{side}_body"] = json.loads(body) if side == "response" and form is list else body.decode()
    status = {} if form is dict else {"response_status": 200}  # BigQuery writes no member for what is null
    rows = [{**row, **status} for row in rows] + [{"url": 1, "request_body": 1, "kind": []}]
    (tmp_path / "rows.json").write_text("\n".join(map(json.dumps, rows)))
    last = summary(tmp_path / "rows.json", capsys, *scribe.options())
    assert (last["matched"], last["signatures"]["valid"], last["unreadable"]) == (2, 4, 1)


@pytest.mark.parametrize("headers", [["ab"], [["a"]], [["a", "b", "c"]], [["a", 1.5]], "[" * 5_000])
def test_headers_of_a_form_that_is_not_known_are_not_recorded_and_counted(tmp_path: Path, headers: object) -> None:
    (one,) = records(tmp_path, {"request": {"headers": headers, "body": {"text": "{}"}}})
    assert isinstance(one, Exchange)
    assert (one.request.headers, one.odd) == ((), ["headers"])


def test_a_har_entry_without_a_request_and_a_first_line_without_json(tmp_path: Path) -> None:
    (tmp_path / "one.har").write_text('{\n"comment": "x",\n' + har([{}, entry("{}")]).decode()[1:])
    wrong, good = read_input(str(tmp_path / "one.har"))
    assert isinstance(wrong, Unreadable)
    assert (wrong.place, wrong.why) == ("entry", "it has no request with a url")
    assert isinstance(good, Exchange)


@pytest.mark.parametrize("cut", [1, 5, 40, 200])
def test_a_har_file_that_is_cut_off_gives_what_was_whole(cut: int) -> None:
    raw = har([entry("{}"), entry("{}")])
    found = read(raw[:-cut])
    assert isinstance(found[-1], Unreadable)
    assert len(found) == (3 if cut == 1 else 2)


@examples(120)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    ),
    st.integers(0, 3),
    st.integers(1, 9),
)
def test_a_json_stream_reads_what_json_reads(value: object, indent: int, piece: int) -> None:
    raw = json.dumps({"a": value, "list": [value, value]}, indent=indent or None, ensure_ascii=False).encode(
        errors="surrogatepass"
    )

    class Dripping(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(piece)

    stream = JsonStream(b"", Dripping(raw), 1000)
    seen: dict[str, object] = {}
    try:
        for name in stream.members():
            seen[name] = stream.value() if name == "a" else list(stream.elements(stream.value))
    except NotJson:
        assert "\\ud" in json.dumps(value)
        return
    assert stream.next() == ""
    if "\\ud" not in json.dumps(value):
        assert seen == {"a": value, "list": [value, value]}


def test_a_value_that_is_too_large_is_given_up_before_it_is_read_whole() -> None:
    source = io.BytesIO(b'"' + b"x" * 10_000_000 + b'"')
    with pytest.raises(NotJson, match="not well-formed, or too large"):
        JsonStream(b"", source, 1000).value()
    assert source.tell() < 1_000_000


def test_zstd_and_gzip_pieces_are_read(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zstandard = pytest.importorskip("zstandard")
    raw = scribe.bytes()
    file = tmp_path / "packed"
    packer = zstandard.ZstdCompressor()
    for packed in (
        packer.compress(raw),
        packer.compress(raw[:700]) + packer.compress(raw[700:]),
        b"\x5f\x2a\x4d\x18\3\0\0\0abc" + packer.compress(raw),  # with a skippable frame, as pzstd writes one
        gzip.compress(raw[:99]) + gzip.compress(raw[99:]),
    ):
        file.write_bytes(packed)
        assert summary(file, capsys)["matched"] == 2
    file.write_bytes(packer.compress(raw)[:-9])
    assert summary(file, capsys)["unreadable"] == 1
    file.write_bytes(b"\x28\xb5\x2f\xfdjunk")
    assert summary(file, capsys)["unreadable"] == 1


def har_of(
    text: str | None, size: int, length: str | None, url: str = "https://h/aggregate-pay/api/gateway/refund"
) -> bytes:
    headers = [] if length is None else [{"name": "Content-Length", "value": length}]
    request: dict[str, Any] = {"url": url, "headers": headers, "bodySize": size}
    if text is not None:
        request["postData"] = {"text": text}
    return json.dumps({"log": {"entries": [{"request": request, "response": {}}]}}).encode()


def test_a_har_body_is_empty_cut_or_lost_by_what_the_message_itself_says() -> None:
    def body(*given: Any) -> object:
        (exchange,) = read_har(b"", io.BytesIO(har_of(*given)))
        assert isinstance(exchange, Exchange)
        found = exchange.request.body
        return found.raw if isinstance(found, (Exact, Decoded)) else found.why if isinstance(found, Lost) else None

    assert body(None, 0, "0") == b""
    assert body(None, 0, None) == body(None, 0, "12") == body(None, -1, None) == "body_lost"
    assert body("{}", 2, None) == body("{}", -1, None) == b"{}"
    assert body("{}", 5, None) == b"{}"  # a byte order mark that was dropped
    assert body("{}", 6, None) == b"{}"  # another serialisation's size


def test_a_short_record_proves_nothing(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = scribe.records[0]["response"]
    whole = b64decode(answer["body"]["base64"])
    answer["headers"].append(["content-length", str(len(whole))])
    assert scribe.audit(tmp_path, capsys)[-1]["signatures"]["valid"] == 4
    for form, cut in (("base64", b64encode(whole[:-9]).decode()), ("text", whole[:-9].decode())):
        answer["body"] = {form: cut}
        *lines, last = scribe.audit(tmp_path, capsys)
        assert [line["code"] for line in lines] == ["signature-unverifiable", "echo"]  # the second of the other one
        assert (last["unjudged"], last["unverifiable"]) == (1, {"the capture does not have the whole body": 1})
    answer["body"] = {"base64": b64encode(whole[:-9]).decode()}
    answer["headers"][-1][1] = str(len(whole) - 9)
    assert [line["code"] for line in scribe.audit(tmp_path, capsys)[:-1]] == ["json", "signature-invalid", "echo"]


@pytest.mark.parametrize(
    ("text", "length", "lost"),
    [
        ('{"data":{"subject":"2 \u00d7 tea"},"co', "45", True),  # what the length counts, another spelling may have had
        ('{"data":{"subject":"2 \u00d7 tea"},"co', "34", False),  # all of it is here
        ('{"data":{"subject":"2 x tea"},"co', "36", True),  # less is missing than a byte order mark has
        ('{"data":{"subject":"2 x tea"}}', "33", False),
        ('{"data":{"subject":"2 x tea"},"co', None, True),
        ("[REDACTED]", None, True), ("[1,", None, False), ("bad gateway", None, False),
    ],
)  # fmt: skip
def test_what_ends_before_its_end_was_lost_by_the_capture(text: str, length: str | None, *, lost: bool) -> None:
    headers = [] if length is None else [("Content-Length", length)]
    assert is_lost(Message(headers, Decoded(text.encode())), "syntax") is lost
