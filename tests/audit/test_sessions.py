"""What the audit says of sessions: the sandbox's own log is clean, and of a tampered one exactly what was planted."""

import gzip
import io
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from paywright_cli.main import main
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.testing.served import running_sandbox
from tests.audit.helpers.records import findings
from tests.sandbox.helpers.place import place

Run = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture
def audit(keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command over bytes; the exit code, and every line of its JSON."""

    def run(raw: bytes, *options: str, with_keys: bool = True) -> tuple[int, list[dict[str, Any]]]:
        file = tmp_path / "capture"
        file.write_bytes(raw)
        given = ["--merchant-key", str(keys / "keys" / "merchant.pub")] * with_keys
        given += ["--gateway-key", str(keys / "keys" / "gateway.pub")] * with_keys
        code = main(["audit", str(file), "--format", "json", *given, *options])
        out = capsys.readouterr()
        assert out.err == ""
        return code, [json.loads(line) for line in out.out.splitlines()]

    return run


def rewritten(log: bytes, number: int, change: Callable[[dict[str, Any]], object]) -> bytes:
    records = [json.loads(line) for line in log.splitlines()]
    change(records[number])
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def body_of(record: dict[str, Any], side: str) -> bytes:
    return b64decode(record[side]["body"]["base64"])


def put(record: dict[str, Any], side: str, body: bytes, signer: RsaSigner | None = None) -> None:
    record[side]["body"] = {"base64": b64encode(body).decode()}
    if signer is not None:
        for pair in record[side]["headers"]:
            if pair[0] == "sign":
                pair[1] = signer.sign(body)


def test_the_sandboxs_own_log_gives_no_finding(audit: Run, good_log: bytes) -> None:
    code, lines = audit(good_log)
    assert code == 0
    (summary,) = lines
    assert summary["matched"] == summary["exchanges"] == 5
    assert summary["signatures"] == {"valid": 10, "invalid": 0, "unverifiable": 0, "absent": 0}
    assert summary["operations"] == {"orders.checkout": 1, "orders.query": 2, "refunds.create": 1, "refunds.query": 1}


def test_a_path_is_signed_with_its_query_and_verified_so_by_sandbox_and_audit(audit: Run, keys: Path) -> None:
    paths = {"snap.status": "/v1.0/debit/status?lang=en&at=%2F", "snap.cancel": "/v1.0/debit/cancel?lang=en"}
    with running_sandbox(keys) as sandbox, sandbox.client(paths=paths) as client:
        place(client, "ORD_1")
        client.snap.status(original_partner_reference_no="ORD_1", service_code="54")
        client.snap.cancel(original_partner_reference_no="ORD_1")
        log = sandbox.log()
    for options in ([], [f"--path={name}={path}" for name, path in paths.items()]):
        code, lines = audit(log, *options)
        assert (code, lines[-1]["signatures"]["valid"], lines[-1]["operations"]) == (
            0, 7, {"orders.checkout": 1, "snap.status": 1, "snap.cancel": 1},
        )  # fmt: skip


def test_headers_that_a_capture_has_not_accuse_nobody(audit: Run, good_log: bytes, tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sides = ("request", "response")
    log = good_log
    for number in range(5):
        log = rewritten(log, number, lambda record: [record[side].update(headers=[]) for side in sides])
    (tmp_path / "log.jsonl").write_bytes(good_log)
    tables = import_module("tests.audit.helpers.tables")
    tables.write_table(table := tmp_path / "table.parquet", [str(tmp_path / "log.jsonl")])
    rows = pq.read_table(table)
    for number, name in enumerate(rows.column_names):
        if name.endswith("_headers"):  # as fastparquet reads lists of lists
            rows = rows.set_column(number, name, pa.nulls(rows.num_rows, rows.schema.types[number]))
    pq.write_table(rows, table)
    for raw in (log, table.read_bytes()):
        code, lines = audit(raw)
        assert (code, findings(lines)) == (4, [])  # nothing is proven
        assert lines[-1]["signatures"] == {"valid": 0, "invalid": 0, "unverifiable": 10, "absent": 0}


def test_no_answer_and_an_answer_of_a_proxy(audit: Run, good_log: bytes) -> None:
    log = rewritten(good_log, 0, lambda record: record.update(response=None))
    assert (audit(log)[0], audit(log)[1][-1]["unanswered"]) == (0, 1)

    def proxy(record: dict[str, Any]) -> None:
        record["response"].update(status=502, headers=[], body={"base64": b64encode(b"<html>").decode()})

    code, lines = audit(rewritten(good_log, 0, proxy))
    assert (code, findings(lines)) == (1, [("line 1", "orders.checkout", "response", "@status", "http-status")])


def test_what_a_capture_lost_is_unverifiable_and_no_finding(audit: Run, good_log: bytes) -> None:
    def as_text(record: dict[str, Any]) -> None:
        record["request"]["body"] = {"text": body_of(record, "request").decode()}
        record["response"]["body"] = {"text": body_of(record, "response").decode().replace("10.50", "10.5O")}

    def as_value(record: dict[str, Any]) -> None:
        record["request"]["body"] = {"parsed": {**json.loads(body_of(record, "request")), "requestTime": "today"}}
        record["response"]["body"] = None

    log = rewritten(rewritten(good_log, 2, as_text), 4, as_value)
    code, lines = audit(log)
    assert code == 0
    assert lines[-1]["signatures"] == {"valid": 7, "invalid": 0, "unverifiable": 3, "absent": 0}
    assert lines[-1]["unjudged"] == 3
    assert sorted(lines[-1]["unverifiable"]) == [
        "it is not valid for the text, whose bytes the capture may have changed",
        "the capture does not have the body",
        "the capture has the parsed body, not the bytes that were signed",
    ]


def test_without_keys_nothing_is_called_valid(audit: Run, good_log: bytes) -> None:
    code, lines = audit(good_log, with_keys=False)
    assert (code, lines[-1]["judged"]["nothing"]) == (4, ["signatures"])
    assert audit(good_log, "--require", "bodies,times", with_keys=False)[0] == 0
    assert lines[-1]["signatures"]["valid"] == 0
    assert lines[-1]["unverifiable"] == {"no key of that side was given": 10}


def test_any_of_several_keys_suffices(audit: Run, good_log: bytes, keys: Path) -> None:
    other = ["--merchant-key", str(keys / "keys" / "gateway.pub"), "--gateway-key", str(keys / "keys" / "merchant.pub")]
    assert audit(good_log, *other)[0] == 0
    code, lines = audit(good_log, *other, with_keys=False)
    assert (code, lines[-1]["errors"], lines[-1]["notes"]) == (1, 2, 10)  # one error for each side


def test_standard_input_is_read_too(
    good_log: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for raw in (good_log, gzip.compress(good_log)):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(raw))))  # type: ignore[arg-type]  # bytes are raw enough
        assert main(["audit", "-", "--require", "none"]) == 0
        assert "5 exchanges, 5 of the contract" in capsys.readouterr().out


def har(log: bytes, *, encoding: str | None = None) -> bytes:
    """The same exchanges as a browser exports them."""
    entries = []
    for line in log.splitlines():
        record = json.loads(line)
        answer = body_of(record, "response")
        content: dict[str, Any] = {"mimeType": "application/json", "size": len(answer), "text": answer.decode()}
        if encoding == "base64":
            content |= {"encoding": "base64", "text": b64encode(answer).decode()}

        def headers(side: str, record: dict[str, Any] = record) -> list[dict[str, str]]:
            return [{"name": name, "value": value} for name, value in record[side]["headers"]]

        entries.append(
            {
                "startedDateTime": record["at"],
                "time": 12.34567890123,
                "request": {
                    "method": "POST",
                    "url": "https://gateway.example/v2" + record["url"].removeprefix("http://127.0.0.1:8787") + "?x=1",
                    "headers": headers("request"),
                    "postData": {"mimeType": "application/json", "text": body_of(record, "request").decode()},
                },
                "response": {"status": 200, "headers": headers("response"), "content": content},
            }
        )
    entries.append({"request": {"url": "https://shop.example/app.js", "headers": []}, "response": {"status": 304}})
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1).encode()


def test_har_is_read_with_other_hosts_and_prefixes(audit: Run, good_log: bytes) -> None:
    for raw in (har(good_log), b"\xef\xbb\xbf" + har(good_log), har(good_log, encoding="base64")):
        code, lines = audit(raw)
        assert (code, lines[-1]["exchanges"], lines[-1]["matched"]) == (0, 6, 5)
        assert lines[-1]["signatures"]["valid"] == 10


def test_where_and_what(good_log: bytes, keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(
        rewritten(
            good_log, 2, lambda record: put(record, "response", body_of(record, "response").replace(b"10.50", b"99.50"))
        )
    )
    assert main(["audit", str(file), "--gateway-key", str(keys / "keys" / "gateway.pub")]) == 1
    out = capsys.readouterr().out
    assert (
        f"{file}, line 3: orders.query response: @header/sign: signature-invalid by the gateway: it is not valid" in out
    )
    assert "signatures: 4 valid, 1 invalid, 5 unverifiable, 0 absent" in out
    assert "1 finding" in out
    for value in ("ORD_1", "99.50", "user_1", "shop.example"):
        assert value not in out
