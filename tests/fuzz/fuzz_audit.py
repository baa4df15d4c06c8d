"""Coverage-guided fuzzing of the audit, with atheris: `make fuzz`.

What must hold for any file: no exception, every place said, nothing printed that steers a terminal, the same report
however the file is cut, and the short ways of reading come to what the long ones do. The first byte of an input chooses
what the rest is: capture records (0), a HAR file (1), the body of a request in a record (2), and a
whole file of anything (3). Run with files as arguments it takes each as one input, without atheris.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

atheris = None
if __name__ == "__main__":
    with contextlib.suppress(ImportError):
        import atheris

with (
    atheris.instrument_imports(include=["paywright_audit", "paywright_runtime"])
    if atheris
    else contextlib.nullcontext()
):
    import io
    import json
    import logging
    import unicodedata
    from base64 import b64encode
    from collections.abc import Callable, Iterable
    from datetime import date
    from typing import Any, cast

    from paywright.contract import CONTRACT
    from paywright_audit.cross_exchange.evidence.row_store import RowStore
    from paywright_audit.input.body_decoding import read
    from paywright_audit.input.captures import capture_reader, typed_lines
    from paywright_audit.input.captures.har import read_har
    from paywright_audit.input.captures.reading import _guarded, _read
    from paywright_audit.input.records import Exact, Exchange, Message, Unreadable
    from paywright_audit.judging.findings import Severity
    from paywright_audit.judging.matching import Matcher
    from paywright_audit.judging.signatures import Keys
    from paywright_audit.judging.values import Showing
    from paywright_audit.report.build_report import build_report
    from paywright_audit.report.document import write_json
    from paywright_audit.report.lines import json_lines
    from paywright_audit.report.text import text_lines
    from paywright_audit.result.partial_result import PartialResult, Settings
    from paywright_audit.running.auditor import Auditor, relate_all
    from paywright_audit.settings.config import Config
    from paywright_audit.settings.policy import ReportPolicy
    from paywright_runtime import strict_json
    from paywright_runtime.signing.keys import generate_key_pair, load_private_key, load_public_key
    from paywright_runtime.signing.rsa import RsaSigner

Found = Iterable["Exchange | Unreadable"]
PAIR = generate_key_pair()
SIGNER = RsaSigner(load_private_key(PAIR.private_pem.encode()))
PUBLIC = load_public_key(PAIR.public_pem.encode())
KEYS = Keys([PUBLIC], [PUBLIC])
MATCHER = Matcher()
SETTINGS = Settings(("input",), showing=Showing.REVEALED)
TERMS = ReportPolicy(Config(), None, Severity.WARNING, date(2025, 6, 1))
URL = "https://gw.example/aggregate-pay/api/gateway/"
NAMES = ("refunds.create", "orders.checkout", "orders.query", "subscriptions.create", "payment_tokens.list")


def one_input(data: bytes) -> None:
    """What atheris calls."""
    if data:
        WAYS[data[0] % len(WAYS)](data[1:])


def records(raw: bytes) -> None:
    for line in raw.splitlines(keepends=True):
        quick = typed_lines.usual_exchange(line, 0, 1)
        if quick is not None:
            assert said(quick) == said(capture_reader._record(line, 0, 1)), line
    once = comes_to(judged([lambda: lines_of(raw, 0, None)]))
    cut = raw.find(b"\n", len(raw) // 2) + 1
    if cut:
        assert comes_to(judged([lambda: lines_of(raw, 0, cut), lambda: lines_of(raw, cut, None)])) == once


def lines_of(raw: bytes, start: int, end: int | None) -> Found:
    source = io.BytesIO(raw[start:])
    return capture_reader.read_captures(source.readline(), source, offset=start, end=end)


def har(raw: bytes) -> None:
    judged([lambda: read_har(b"", io.BytesIO(raw))])


def body(raw: bytes) -> None:
    value, repeated, why, _ = read(Message((), Exact(raw)), strictly=True)
    try:
        expected, problem = strict_json.parse(raw), ""
    except strict_json.JsonProblem as caught:
        expected, problem = None, caught.why
    if problem == "duplicate":
        assert repeated or why
    else:
        assert (repr(value), why, list(repeated)) == (repr(expected), problem, [])
    for name in NAMES:
        judged([lambda name=name: lines_of(record(name, raw), 0, None)])  # type: ignore[misc]


def whole(raw: bytes) -> None:
    total = judged([lambda: _guarded(_read(io.BufferedReader(cast(io.RawIOBase, io.BytesIO(raw))), ""))])
    report = build_report(total, SETTINGS, TERMS)
    harmless([*json_lines(report), *text_lines(report), *write_json(report).splitlines()])


WAYS: tuple[Callable[[bytes], None], ...] = (records, har, body, whole)


def judged(parts: list[Callable[[], Found]]) -> PartialResult:
    """What all parts come to, each of which is read for itself, and merged."""
    total, store = PartialResult(), RowStore()
    for part in parts:
        auditor = Auditor(MATCHER, KEYS, SETTINGS, store)
        auditor.begin(SETTINGS.names[0])
        auditor.take_all(placed(part()))
        total.merge(auditor.close(), SETTINGS.kept)
    relate_all(store, total, SETTINGS)
    store.close()
    for group in total.groups.values():
        for one in group.evidence:
            harmless([one.pointer, one.message, one.value or ""])
    harmless([one.why for one in total.broken])
    return total


def comes_to(total: PartialResult) -> object:
    """All that a report says of it."""
    groups = {key: (group.count, group.contract, group.evidence) for key, group in total.groups.items()}
    counted = {name: value for name, value in vars(total).items() if name not in ("groups", "lines")}
    return groups, counted


def harmless(lines: Iterable[str]) -> None:
    for line in lines:
        if not (line.isascii() and line.isprintable()):
            assert all(unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for one in line), repr(line)


def placed(found: Found) -> Found:
    """Places are held against the ones of the whole by their offsets: numbers are those of a part."""
    for one in found:
        assert isinstance(one, (Exchange, Unreadable))
        assert one.number >= 0
        assert one.offset >= 0
        one.number = 0
        yield one


def said(one: Exchange | Unreadable) -> object:
    if isinstance(one, Unreadable):
        return one.why
    sides = [one.request] + ([one.response] if one.response is not None else [])
    return one.url, one.kind, one.at, [
        ([tuple(pair) for pair in side.headers], side.status, getattr(side.body, "raw", None)) for side in sides
    ]  # fmt: skip


def record(name: str, raw: bytes) -> bytes:
    """A record of a call with that body, both as it was asked and as it was answered."""
    sign = SIGNER.sign(raw) if len(raw) < 40 else "x"
    side = {
        "headers": [["Content-Type", "application/json"], ["sign", sign]],
        "body": {"base64": b64encode(raw).decode()},
    }
    url = f"https://gw.example{CONTRACT.operation(name).path}"
    made: dict[str, Any] = {"v": 1, "at": "2025-06-01T04:00:00Z", "kind": "call", "url": url, "request": side}
    made |= {"response": {"status": 200, **side}, "source": "fuzz"}
    return json.dumps(made, separators=(",", ":")).encode() + b"\n"


def seeds(folder: Path) -> None:
    """Something to begin with: one of each, as it should be."""
    for number, name in enumerate(NAMES):
        asked = json.dumps(CONTRACT.example(f"{name}.request"), separators=(",", ":"))
        line = record(name, asked.encode())
        headers = [{"name": "sign", "value": "x"}]
        request = {"url": f"{URL}refund", "headers": headers, "bodySize": len(asked), "postData": {"text": asked}}
        content = {"size": 2, "text": "e30=", "encoding": "base64"}
        response = {"status": 200, "headers": headers, "content": content}
        entry = {"startedDateTime": "2025-06-01T04:00:00Z", "time": 1.5, "request": request, "response": response}
        page = json.dumps({"log": {"entries": [entry]}}).encode()
        for way, raw in enumerate((line, page, asked.encode(), line + line)):
            (folder / f"seed-{way}-{number}").write_bytes(bytes([way]) + raw)


def main() -> None:
    logging.disable(logging.CRITICAL)
    folders = [Path(one) for one in sys.argv[1:] if Path(one).is_dir()]
    files = [Path(one) for one in sys.argv[1:] if Path(one).is_file()]
    if files:
        for file in files:
            one_input(file.read_bytes())
        print(f"{len(files)} inputs: nothing found")
        return
    assert atheris is not None, "atheris is not installed; `make fuzz` does that"
    for folder in folders[:1]:
        seeds(folder)
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
