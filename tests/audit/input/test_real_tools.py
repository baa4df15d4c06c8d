"""What the audit says of one signed order as real tools recorded it: the table of docs/recording.md.

Each file of `recordings` is the tool's own, of one POST on loopback whose amount is 10.50, whose subject has an umlaut and whose answer
has escaped slashes. Of a format that is not read, which is named, what the file holds is judged as records.
"""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from paywright_audit import AuditSettings, audit_files
from paywright_cli.main import main
from tests.audit.helpers.records import START, Scribe
from tests.support.contract import TOP

RECORDINGS = Path(__file__).parents[1] / "recordings"
KEYS = ["--merchant-key", f"{RECORDINGS}/merchant.pub", "--gateway-key", f"{RECORDINGS}/gateway.pub"]
CODES = {"signature-unverifiable": "unverifiable", "capture-changed": "repaired"}
Said = dict[str, str]
Side = tuple[object, object]
"""Headers and body of a message."""


def exact(text: str) -> object:
    return {"base64": b64encode(b64decode(text)).decode()}


def first(headers: dict[str, list[str]]) -> dict[str, str]:
    return {name: values[0] for name, values in headers.items()}


def betamax(value: Any) -> tuple[Side, Side]:
    one = value["http_interactions"][0]
    asked, told = ((one[side]["headers"], {"text": one[side]["body"]["string"]}) for side in ("request", "response"))
    return asked, told


def mountebank(value: Any) -> tuple[Side, Side]:
    one, told = value["requests"][0], value["stubs"][0]["responses"][0]["is"]
    return (one["headers"], {"text": one["body"]}), (told["headers"], {"parsed": told["body"]})


def newman(value: Any) -> tuple[Side, Side]:
    one = value["run"]["executions"][0]
    asked, told = one["request"], one["response"]
    return (asked["header"], {"text": asked["body"]["raw"]}), (
        told["header"],
        {"base64": b64encode(bytes(told["stream"]["data"])).decode()},
    )


def nock(value: Any) -> tuple[Side, Side]:
    (one,), raw = value, value[0]["rawHeaders"]
    return (one["reqheaders"], {"parsed": one["body"]}), (
        [*map(list, zip(raw[::2], raw[1::2], strict=True))],
        {"parsed": one["response"]},
    )


def responses(value: Any) -> tuple[Side, Side]:
    one = value["responses"][0]["response"]
    return ({}, None), ({"content-type": one["content_type"], **one["headers"]}, {"text": one["body"]})


def talkback(value: Any) -> tuple[Side, Side]:
    asked, told = value["req"], value["res"]
    return (asked["headers"], {"parsed": asked["body"]}), (told["headers"], {"parsed": told["body"]})


def undici(value: Any) -> tuple[Side, Side]:
    one = value[0]["snapshot"]
    asked, told = one["request"], one["responses"][0]
    return (asked["headers"], {"text": asked["body"]}), (told["headers"], exact(told["body"]))


def vcrpy(value: Any) -> tuple[Side, Side]:
    one = value["interactions"][0]
    asked, told = one["request"], one["response"]
    return (first(asked["headers"]), {"text": asked["body"]}), (first(told["headers"]), {"text": told["body"]["string"]})  # fmt: skip


def mappings(value: Any) -> tuple[Side, Side]:
    told = value["mappings"][0]["response"]
    return ({}, None), (told["headers"], {"text": told["body"]})


def wiremock(value: Any) -> tuple[Side, Side]:
    one = value["requests"][0]
    asked, told = (one[side] for side in ("request", "response"))
    return (asked["headers"], exact(asked["bodyAsBase64"])), (told["headers"], exact(told["bodyAsBase64"]))


Converter = Callable[[Any], tuple[Side, Side]]
TOOLS: dict[str, tuple[str, str | None, Converter | None]] = {
    # the tool in the page: its file, and for one that is not read what it is called and how its content is found
    "our `Recorder(exact=True)`": ("recorder.jsonl", None, None),
    "mitmproxy 11.0.2, `records.py`": ("mitmproxy.jsonl", None, None),
    "mitmproxy 11.0.2, HAR": ("mitmproxy.har", None, None),
    "Playwright 1.65, embed": ("playwright-embed.har", None, None),
    "Playwright 1.65, attach": ("playwright-attach/har.har", None, None),
    "@pollyjs/core 6.0.6": ("polly.har", None, None),
    "node-fetch-har 1.0.1": ("node-fetch-har.har", None, None),
    "axios-har-tracker 0.8.0": ("axios-har-tracker.har", None, None),
    "vcrpy 9.4.2": ("vcrpy.yaml", "a cassette of vcrpy or VCR", vcrpy),
    "betamax 0.9.0": ("betamax.json", "a cassette of betamax or VCR", betamax),
    "newman 6.2.2": ("newman.json", "a report of newman", newman),
    "WireMock 3.13.2, journal": ("wiremock-journal.json", "a journal of WireMock", wiremock),
    "WireMock 3.13.2, mappings": ("wiremock-mappings.json", "mappings of WireMock, which have no requests", mappings),
    "undici 7.30.2": ("undici.json", "a snapshot of undici", undici),
    "mountebank 2.9.1": ("mountebank.json", "an imposter of mountebank", mountebank),
    "nock 13.5.6": ("nock.json", "a recording of nock, which has parsed bodies", nock),
    "talkback 4.2.0": ("talkback.json5", "a tape of talkback, whose bodies were written anew", talkback),
    "responses 0.26.3": ("responses.yaml", "a file of responses, which has no requests", responses),
}


def table() -> dict[str, Said]:
    text = (TOP / "docs" / "recording.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.*?) \| (.*?) \|$", text.partition("## What other tools keep")[2], re.MULTILINE)
    return {tool: {"request": asked, "response": told} for tools, asked, told in rows[1:] for tool in tools.split("; ")}


def audited(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    main(["audit", str(file), "--format", "json", "--fail-on", "note", *KEYS])
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    return lines, last


def verdicts(lines: Iterable[dict[str, Any]]) -> Said:
    """What is said of the signature of each message; fails for anything that blames somebody."""
    said = {"request": "valid", "response": "valid"}
    for line in lines:
        assert (line["type"], line["severity"]) == ("note", "note"), line
        said[line["part"]] = CODES[line["code"]]
    return said


def test_the_page_has_a_row_for_each_recording() -> None:
    assert {*table()} == {*TOOLS}
    files = {path.relative_to(RECORDINGS).as_posix() for path in RECORDINGS.rglob("*.*") if path.suffix != ".pub"}
    assert {name for name, *_ in TOOLS.values()} == {
        name for name in files if not re.search(r"/[0-9a-f]{40}\.json$", name)
    }


@pytest.mark.parametrize("tool", TOOLS)
def test_a_recording_proves_what_the_page_says(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, called, convert = TOOLS[tool]
    lines, last = audited(RECORDINGS / name, capsys)
    if called is None:
        assert last["matched"] == 1
        assert verdicts(lines) == table()[tool]
        return
    (line,) = lines
    assert line["message"].startswith(f"it is {called}")
    assert convert is not None
    asked, told = convert(yaml.safe_load((RECORDINGS / name).read_text(encoding="utf-8")))
    record = {"v": 1, "kind": "call", "url": "http://127.0.0.1:8787/aggregate-pay/api/gateway/orderAndPay"}
    for side, (headers, body), more in (("request", asked, {}), ("response", told, {"status": 200})):
        record[side] = {"headers": headers, "body": body, **more}
    file = tmp_path / "records.jsonl"
    file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    said = verdicts(audited(file, capsys)[0])
    assert {**said, **({"request": "none"} if asked[1] is None else {})} == table()[tool]


@pytest.mark.parametrize("connected", [False, True])
def test_a_call_that_mitmproxy_could_not_connect_for_was_not_sent(
    keys: Path, public: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connected: bool
) -> None:
    """The script of docs/audit.md over flows as mitmproxy hands them to it. Only a lazy reverse proxy hands on refused calls."""
    page = (TOP / "docs" / "audit.md").read_text()
    assert "mitmdump --mode reverse:https://gateway.example --set connection_strategy=lazy" in page
    options = SimpleNamespace(records=str(tmp_path / "records.jsonl"), records_kind="call")
    mitmproxy = SimpleNamespace(ctx=SimpleNamespace(options=options), http=SimpleNamespace(HTTPFlow=object))
    monkeypatch.setitem(sys.modules, "mitmproxy", mitmproxy)  # type: ignore[arg-type]  # what is imported from it
    script: dict[str, Any] = {}
    exec(re.findall(r"```py\n(# records\.py\n.*?)```", page, re.DOTALL)[0], script)
    scribe = Scribe(keys)
    for at in (0, 60):
        scribe.call("orders.checkout", {"outTradeNo": "O1"}, {"outTradeNo": "O1"}, at=at)
    for number, record in enumerate(scribe.records):
        sides = []
        for side in (record["request"], record["response"]):
            fields = [[text.encode() for text in pair] for pair in side["headers"]]
            end = START.timestamp() + 60 * number
            message = SimpleNamespace(
                headers=SimpleNamespace(fields=fields), raw_content=b64decode(side["body"]["base64"])
            )
            message.__dict__.update(
                timestamp_start=end, timestamp_end=end, method="POST", pretty_url=record["url"], status_code=200
            )
            sides.append(message)
        setup = 1.0 if connected or number else None
        flow = SimpleNamespace(request=sides[0], response=sides[1] if number else None)
        flow.server_conn = SimpleNamespace(timestamp_tcp_setup=setup)
        script["response" if number else "error"](flow)
    report = audit_files([options.records], AuditSettings(complete=True, **public))
    assert [group.code for group in report.groups] == ["placed-again"] * connected
